import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CITIES } from '../../city/catalogue.ts';
import { BUILT_CITIES } from '../../city/city-set.ts';
import type { City } from '../../city/types.ts';
import { generateCity } from '../../citygen/generate.ts';
import { loadCities } from '../../load-cities.ts';

const SOURCES = fileURLToPath(new URL('../../citygen/', import.meta.url));

const keyOf = (name: string, seed: number): string => `${name} ${seed}`;

const known = new Map(builtCities());

/**
 * What `generateCity` makes of the arguments, made once for all tests of a file, which therefore
 * leave it as it is. The catalogue's own cities are read as built where the build is up to date.
 */
export function cityOf(name: string, seed: number): City {
  const key = keyOf(name, seed);
  const city = known.get(key) ?? generateCity(name, seed);
  known.set(key, city);
  return city;
}

function builtCities(): [key: string, city: City][] {
  if (!isBuildFresh()) return [];
  const { cities } = loadCities();
  return CITIES.flatMap(({ name, seed }, i) => {
    const city = cities[i];
    return city ? [[keyOf(name, seed), city]] : [];
  });
}

/** Whether every city was built after the last change to what it grows from. */
function isBuildFresh(): boolean {
  const built = CITIES.flatMap(({ name }) => [`${name}.json`, `${name}.table`]);
  const paths = built.map((file) => fileURLToPath(new URL(file, BUILT_CITIES)));
  if (!paths.every((path) => existsSync(path))) return false;
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => join(SOURCES, path));
  const changedMs = (path: string): number => statSync(path).mtimeMs;
  return Math.min(...paths.map(changedMs)) > Math.max(...sources.map(changedMs));
}
