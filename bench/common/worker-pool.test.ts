import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { WorkerPool } from './worker-pool.ts';

interface Jobs {
  square(job: number): number;
  refuse(job: number): never;
}

function openPool(): WorkerPool<Jobs> {
  const folder = mkdtempSync(join(tmpdir(), 'pool-test-'));
  const file = join(folder, 'worker.mjs');
  const refuse = `export function refuse() { throw new RangeError('too odd'); }`;
  writeFileSync(file, `export const square = (job) => job * job;\n${refuse}\n`);
  const pool = new WorkerPool<Jobs>(pathToFileURL(file), 2);
  onTestFinished(async () => {
    await pool.close();
    rmSync(folder, { recursive: true });
  });
  return pool;
}

test('every job of a batch is done once', async () => {
  let job = 0;
  const results: number[] = [];
  await openPool().run('square', {
    next: () => (job < 5 ? ++job : undefined),
    done: (result) => results.push(result),
    progress: () => `${results.length} of 5`,
  });
  expect(results.sort((a, b) => a - b)).toEqual([1, 4, 9, 16, 25]);
});

test('a job that fails ends the batch and is named', async () => {
  let job = 6;
  const run = openPool().run('refuse', {
    next: () => (job < 7 ? ++job : undefined),
    done: () => {},
    progress: () => '',
  });
  await expect(run).rejects.toMatchObject({
    message: 'refuse 7 failed',
    cause: expect.objectContaining({ message: 'too odd' }),
  });
});
