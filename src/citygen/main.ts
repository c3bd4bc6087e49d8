/** Generates the cities into a folder, with their tables; by default the one that `loadCities` reads. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { CITIES } from '../city/catalogue.ts';
import { BUILT_CITIES } from '../city/city-set.ts';
import { encodeTable } from '../city/table/table-coding.ts';
import { generateCity } from './generate.ts';
import { packCity } from './tables/city-table.ts';

const [, , path] = process.argv;
const folder = path === undefined ? BUILT_CITIES : pathToFileURL(`${path}/`);
mkdirSync(folder, { recursive: true });
for (const { name, seed } of CITIES) {
  const city = generateCity(name, seed);
  writeFileSync(new URL(`${name}.json`, folder), JSON.stringify(city));
  const table = packCity(city);
  writeFileSync(new URL(`${name}.table`, folder), new Uint8Array(table));
  writeFileSync(new URL(`${name}.coded`, folder), encodeTable(table));
}
