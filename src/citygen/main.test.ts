import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { CITIES } from '../city/catalogue.ts';
import { BUILT_CITIES } from '../city/city-set.ts';

const folder = mkdtempSync(join(tmpdir(), 'cities-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the built cities are those that the sources generate', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', main, folder]);
  const endings = ['json', 'table', 'coded'];
  const files = CITIES.flatMap(({ name }) => endings.map((ending) => `${name}.${ending}`));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const built = readFileSync(new URL(file, BUILT_CITIES));
    expect(built.equals(readFileSync(join(folder, file))), `${file}: run npm run build`).toBe(true);
  }
});
