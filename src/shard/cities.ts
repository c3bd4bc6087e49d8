import { readFileSync } from 'node:fs';
import { CITIES } from '../city/catalogue.ts';
import type { City } from '../city/types.ts';
import { type CityNames, cityNames } from '../codec/names.ts';

/** The cities of the catalogue in every form that a node needs; the index is the kernel's. */
export interface CitySet {
  cities: readonly City[];
  tables: readonly ArrayBuffer[];
  names: readonly CityNames[];
}

/** Where cities are built. */
export const BUILT = new URL('../../build/cities/', import.meta.url);

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

export function citySet(cities: readonly City[], tables: readonly ArrayBuffer[]): CitySet {
  return { cities, tables, names: cities.map(cityNames) };
}

function readBuilt(file: string): Buffer {
  try {
    return readFileSync(new URL(file, BUILT));
  } catch (error) {
    throw new Error(`build/cities/${file} is missing: run npm run build`, { cause: error });
  }
}
