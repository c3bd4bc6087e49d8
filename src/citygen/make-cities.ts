import { CITIES } from '../city/catalogue.ts';
import { type CitySet, citySet } from '../city/city-set.ts';
import { generateCity } from './generate.ts';
import { packCity } from './tables/city-table.ts';

/** Generates every city of the catalogue, which takes some seconds. */
export function makeCities(): CitySet {
  const cities = CITIES.map(({ name, seed }) => generateCity(name, seed));
  return citySet(cities, cities.map(packCity));
}
