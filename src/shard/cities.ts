import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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

const BUILT = new URL('../../build/cities/', import.meta.url);

/** Grows every city, which takes some seconds. */
export function makeCities(): CitySet {
  return citySet(CITIES.map(({ name, seed }) => generateCity(name, seed)));
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

/**
 * The cities as they were built: a node that grew them itself would not start within a second.
 *
 * @throws Error where one has not been built
 */
export function loadCities(): CitySet {
  const cities = CITIES.map(({ name }) => JSON.parse(readBuilt(`${name}.json`).toString()) as City);
  const tables = CITIES.map(({ name }) => Uint8Array.from(readBuilt(`${name}.table`)).buffer);
  return citySet(cities, tables);
}

function citySet(cities: readonly City[], tables = cities.map(packCity)): CitySet {
  return { cities, tables, names: cities.map(cityNames) };
}

function readBuilt(file: string): Buffer {
  try {
    return readFileSync(new URL(file, BUILT));
  } catch (error) {
    throw new Error(`build/cities/${file} is missing: run npm run build`, { cause: error });
  }
}
