import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { optionsFrom, PARTS } from './options.ts';

it('proves everything on all cores by default', () => {
  expect(optionsFrom([])).toMatchObject({
    seed: 1,
    km: 20_000,
    parts: PARTS,
    threads: availableParallelism(),
    folder: resolve(import.meta.dirname, '../results/prove'),
  });
});

it('takes seed, size, parts, threads and folder', () => {
  const args = '--seed 7 --km 500000 --only sweep --threads 3 --out /x'.split(' ');
  expect(optionsFrom(args)).toEqual({
    seed: 7,
    km: 500_000,
    parts: ['sweep'],
    threads: 3,
    folder: '/x',
  });
  expect(optionsFrom(['--only', 'attribution', '--only', 'manoeuvres']).parts).toEqual([
    'manoeuvres',
    'attribution',
  ]);
});
