import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const FLAGS = ['--expose-gc', '--disable-warning=ExperimentalWarning', '--disable-proto=delete'];
/** In a few rounds the code that was compiled meanwhile counts as well. */
const OPTIONS = ['--warmup', '1', '--rounds', '2', '--worlds', '24', '--kib-max', '512'];

test('[R35] worlds, requests and clients that are gone leave nothing in memory', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [...FLAGS, MAIN, ...OPTIONS]);
  expect(stdout).toMatch(/leaves -?\d+ KiB; all together leave 0 worlds and 0 exchanges\n$/);
});
