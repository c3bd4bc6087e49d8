import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeCompressedCopies } from './compressed-copies.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copies-'));
  file = join(folder, 'kernel.wasm');
  writeFileSync(file, 'the same again '.repeat(100));
});
afterEach(() => rmSync(folder, { recursive: true }));

const copies = () => [
  brotliDecompressSync(readFileSync(`${file}.br`)).toString(),
  gunzipSync(readFileSync(`${file}.gz`)).toString(),
];

test('a file gets a copy in each coding, and new ones when its content changes', async () => {
  await writeCompressedCopies([file]);
  expect(readdirSync(folder).toSorted()).toEqual([
    'kernel.wasm',
    'kernel.wasm.br',
    'kernel.wasm.gz',
  ]);
  const first = readFileSync(file, 'utf8');
  expect(copies()).toEqual([first, first]);
  expect(statSync(`${file}.br`).size).toBeLessThan(first.length / 10);
  writeFileSync(file, 'something else');
  await writeCompressedCopies([file]);
  expect(copies()).toEqual(['something else', 'something else']);
});

test('copies of the same content are kept, and what is no copy is replaced', async () => {
  await writeCompressedCopies([file]);
  const long = new Date(2000, 0, 1);
  utimesSync(`${file}.br`, long, long);
  writeFileSync(`${file}.gz`, 'half of a copy');
  await writeCompressedCopies([file]);
  expect(statSync(`${file}.br`).mtime).toEqual(long);
  expect(gunzipSync(readFileSync(`${file}.gz`))).toEqual(readFileSync(file));
});
