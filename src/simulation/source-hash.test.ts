import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashOf, sourceHash, sourcesOf } from './source-hash.ts';

const ROOT = new URL('../../', import.meta.url);
const ENTRY = new URL('seed-process.ts', import.meta.url);
/** Prints what Node.js loads with a module, but for packages. */
const LOADED = `
import { registerHooks } from 'node:module';
const urls = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:') && !url.includes('/node_modules/')) urls.push(url);
    return next(url, context);
  },
});
await import(process.argv[1]);
console.log(JSON.stringify(urls));
process.exit();
`;

let folder: string;
let root: URL;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sources-'));
  root = pathToFileURL(`${folder}/`);
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const hash = () => hashOf(sourcesOf(new URL('a.ts', root)), root);

test('the sources of a run are the modules that Node.js loads for it', () => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', LOADED];
  const printed = execFileSync('node', [...args, ENTRY.href]).toString();
  const found = sourcesOf(ENTRY).map(({ href }) => href);
  expect(found.filter((href) => href.endsWith('.ts')).toSorted()).toEqual(
    (JSON.parse(printed) as string[]).toSorted(),
  );
  expect(found).toContain(new URL('build/frames.shared.wasm', ROOT).href);
  expect(sourceHash()).toMatch(/^[0-9a-f]{12}$/);
});

test('a hash is another one where a file that is loaded changes, and only there', () => {
  write('a.ts', "import type { T } from './t.ts';\nimport {\n  b,\n} from './b.ts';\n");
  write('b.ts', "export * from './c.ts';\n");
  write('c.ts', "import './d.ts';\nconst late = () => import('./e.ts');\n");
  for (const name of ['d.ts', 'e.ts', 't.ts', 'a.test.ts']) write(name, '');
  let last = hash();
  for (const name of ['d.ts', 'e.ts']) {
    write(name, 'export {};\n');
    expect(hash()).not.toBe(last);
    last = hash();
  }
  for (const name of ['t.ts', 'a.test.ts']) write(name, 'export {};\n');
  expect(hash()).toBe(last);
});
