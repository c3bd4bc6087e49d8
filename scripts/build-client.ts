import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { mapOf } from '../src/city/map.ts';
import { loadCities } from '../src/load-cities.ts';
import { noticesText, shippedPackages } from './third-party-notices.ts';

// Builds the package in `client/`: its code into `client/dist`, with type declarations, and what worlds are
// lived with into `client/assets`.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const inRoot = (...path: string[]) => join(ROOT, ...path);
const DIST = inRoot('client/dist');
const ASSETS = inRoot('client/assets');
/** Where the compiler writes the declarations of all files. */
const TYPES = inRoot('build/client-types');
const ENTRIES = ['client/src/index.d.ts', 'client/src/node.d.ts'];

await build({ configFile: inRoot('client/vite.config.ts'), logLevel: 'warn' });
writeTypes();
writeAssets();
const packages = shippedPackages(ROOT, []).filter(({ parts }) => parts.includes('the kernel'));
writeFileSync(join(DIST, 'THIRD-PARTY-NOTICES.txt'), noticesText(packages));

/** The declarations of what the entries need, and no others. */
function writeTypes(): void {
  rmSync(TYPES, { recursive: true, force: true });
  const compiler = inRoot('node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', inRoot('client')], { stdio: 'inherit' });
  const needed = new Set(ENTRIES);
  for (const file of needed) {
    const text = readFileSync(sourceOf(file), 'utf8');
    for (const [, target = ''] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      needed.add(join(dirname(file), target.replace(/(\.d)?\.ts$/, '.d.ts')));
    }
    const path = join(DIST, 'types', file);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(sourceOf(file), path);
  }
}

/** Declarations that are written by hand or by another step stand where they are. */
function sourceOf(file: string): string {
  return file.startsWith('build/') ? inRoot(file) : join(TYPES, file);
}

/** The kernel and, of each city, its table and its map. */
function writeAssets(): void {
  rmSync(ASSETS, { recursive: true, force: true });
  mkdirSync(ASSETS);
  copyFileSync(inRoot('build/kernel.wasm.br'), join(ASSETS, 'kernel.wasm.br'));
  for (const city of loadCities().cities) {
    copyFileSync(
      inRoot(`build/cities/${city.name}.coded.br`),
      join(ASSETS, `${city.name}.coded.br`),
    );
    const map = brotliCompressSync(JSON.stringify(mapOf(city)));
    writeFileSync(join(ASSETS, `${city.name}.map.json.br`), map);
  }
}
