/** Builds every city into the build folder, from which `loadCities` reads. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { BUILT_CITIES } from '../city/city-set.ts';
import { makeCities } from './make-cities.ts';

const { cities, tables } = makeCities();
mkdirSync(BUILT_CITIES, { recursive: true });
for (const [i, city] of cities.entries()) {
  writeFileSync(new URL(`${city.name}.json`, BUILT_CITIES), JSON.stringify(city));
  writeFileSync(new URL(`${city.name}.table`, BUILT_CITIES), new Uint8Array(tables[i] ?? []));
}
