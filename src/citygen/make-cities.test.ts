import { expect, test } from 'vitest';
import { loadCities } from '../load-cities.ts';
import { makeCities } from './make-cities.ts';

test('the cities that were built are those that the sources grow', () => {
  const built = loadCities();
  const grown = makeCities();
  expect(JSON.stringify(built.cities), 'run npm run build').toBe(JSON.stringify(grown.cities));
  expect(built.names).toEqual(grown.names);
  for (const [i, table] of grown.tables.entries()) {
    const bytes = new Uint8Array(built.tables[i] ?? new ArrayBuffer(0));
    expect(Buffer.compare(bytes, new Uint8Array(table))).toBe(0);
  }
});
