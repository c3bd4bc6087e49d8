import { readFileSync } from 'node:fs';
import { CITIES } from './city/catalogue.ts';
import { BUILT_CITIES, type CitySet } from './city/city-set.ts';
import { cityNames } from './city/names.ts';
import type { City } from './city/types.ts';

/**
 * Reads the built cities. To generate them at start would take several seconds.
 *
 * @throws Error if one has not been built
 */
export function loadCities(): CitySet {
  const cities = CITIES.map(({ name }) => JSON.parse(readBuilt(`${name}.json`).toString()) as City);
  const tables = CITIES.map(({ name }) => Uint8Array.from(readBuilt(`${name}.table`)).buffer);
  return { cities, tables, names: cities.map(cityNames) };
}

function readBuilt(file: string): Buffer {
  try {
    return readFileSync(new URL(file, BUILT_CITIES));
  } catch (error) {
    throw new Error(`build/cities/${file} is missing: run npm run build`, { cause: error });
  }
}
