import { expect, test } from 'vitest';
import { loadCities } from '../load-cities.ts';
import { makeCities } from './make-cities.ts';

test('the built cities are those that the sources generate', () => {
  const built = loadCities();
  const generated = makeCities();
  expect(JSON.stringify(built.cities), 'run npm run build').toBe(JSON.stringify(generated.cities));
  expect(built.names).toEqual(generated.names);
  for (const [i, table] of generated.tables.entries()) {
    const bytes = new Uint8Array(built.tables[i] ?? new ArrayBuffer(0));
    expect(Buffer.compare(bytes, new Uint8Array(table))).toBe(0);
  }
});
