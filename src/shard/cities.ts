import { CITIES, generateCity } from '../city/catalogue.ts';
import type { City } from '../city/types.ts';
import { type CityNames, cityNames } from '../codec/names.ts';
import { packCity } from '../kernel/city-table.ts';

/** The cities of the catalogue in every form that a node needs; the index is the kernel's. */
export interface CitySet {
  cities: readonly City[];
  tables: readonly ArrayBuffer[];
  names: readonly CityNames[];
}

export function makeCities(): CitySet {
  const cities = CITIES.map(({ name, seed }) => generateCity(name, seed));
  return { cities, tables: cities.map(packCity), names: cities.map(cityNames) };
}
