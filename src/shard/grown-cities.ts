import { mkdirSync, writeFileSync } from 'node:fs';
import { CITIES } from '../city/catalogue.ts';
import { generateCity } from '../city/generate.ts';
import { packCity } from '../kernel/city-table.ts';
import { BUILT, type CitySet, citySet } from './cities.ts';

/** Grows every city, which takes some seconds. */
export function makeCities(): CitySet {
  const cities = CITIES.map(({ name, seed }) => generateCity(name, seed));
  return citySet(cities, cities.map(packCity));
}

/** Leaves every city in the build folder, for `loadCities`. */
export function buildCities(): void {
  const { cities, tables } = makeCities();
  mkdirSync(BUILT, { recursive: true });
  for (const [i, city] of cities.entries()) {
    writeFileSync(new URL(`${city.name}.json`, BUILT), JSON.stringify(city));
    writeFileSync(new URL(`${city.name}.table`, BUILT), new Uint8Array(tables[i] ?? []));
  }
}
