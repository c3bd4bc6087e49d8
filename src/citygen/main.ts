/** Builds every city into the build folder, for `loadCities`; some seconds' work. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { BUILT } from '../shard/cities.ts';
import { makeCities } from './make-cities.ts';

const { cities, tables } = makeCities();
mkdirSync(BUILT, { recursive: true });
for (const [i, city] of cities.entries()) {
  writeFileSync(new URL(`${city.name}.json`, BUILT), JSON.stringify(city));
  writeFileSync(new URL(`${city.name}.table`, BUILT), new Uint8Array(tables[i] ?? []));
}
