import { CITIES } from '../../city/catalogue.ts';
import { at } from '../../city/geometry.ts';
import type { City } from '../../city/types.ts';
import { generateCity } from '../../citygen/generate.ts';
import { loadCities } from '../../load-cities.ts';

const keyOf = (name: string, seed: number): string => `${name} ${seed}`;

/** The built cities; `citygen/main.test.ts` proves that the build is up to date. */
const built = loadCities().cities;
const known = new Map(built.map((city, i) => [keyOf(city.name, CITIES[i]?.seed ?? 0), city]));

/** The grid of the catalogue, the first city. */
export const grid = at(built, 0);

/** The city of that name and seed, made at most once per test file: tests must not change it. */
export function cityOf(name: string, seed: number): City {
  const key = keyOf(name, seed);
  const city = known.get(key) ?? generateCity(name, seed);
  known.set(key, city);
  return city;
}
