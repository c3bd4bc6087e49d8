import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ask } from './npm-run.ts';

/** A tree whose bench is one line of JavaScript. */
function tree(bench: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tree-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'bench/results'), { recursive: true });
  writeFileSync(join(folder, 'bench/results/kernel.json'), '{}');
  writeFileSync(join(folder, 'bench.cjs'), `const fs = require('node:fs');\n${bench}\n`);
  const manifest = { name: 'tree', private: true, scripts: { bench: 'node bench.cjs' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  return folder;
}

const QUESTION = { script: 'bench', name: 'kernel', args: ['--quick'] } as const;

test.each([
  "process.env.RESULTS_DIR + '/kernel.json'",
  "process.env.RESULTS_DIR + '/kernel-seed-3.json'",
  "'bench/results/kernel.json'",
])('the result that a run writes to %s is read', async (file) => {
  const folder = tree(`fs.writeFileSync(${file}, '{"result":{"figures":[1]}}')`);
  expect((await ask(folder, QUESTION)).result).toEqual({ figures: [1] });
});

test('a run that writes nothing has what it printed, and gets name and options', async () => {
  const folder = tree(`console.log(process.argv.slice(2).join(' '))`);
  expect(await ask(folder, QUESTION)).toEqual({ printed: 'kernel --quick\n', result: undefined });
});

test('a run that fails is an error', async () => {
  await expect(ask(tree('process.exit(3)'), QUESTION)).rejects.toThrow('ended with 3');
});
