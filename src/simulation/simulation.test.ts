import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runMutant } from './mutant-runs.ts';
import { MUTANTS } from './mutants.ts';
import { type RunResult, simulate } from './simulation.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const RUNS = 20;
/** Those that fail soon; `npm run simulate -- --mutants` runs all. */
const SOON = 20;
const QUICK = [
  'no deadline',
  'deadline from the answer',
  'blind retry of writes',
  'no hold',
  'answer before the store',
];

async function hashesOfOtherProcess(): Promise<string[]> {
  const args = ['--disable-warning=ExperimentalWarning', MAIN, '--hashes', '--all'];
  const range = ['--from', '1', '--seeds', String(RUNS)];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, ...range]);
  return stdout.trim().split('\n');
}

test('clusters live through faults, each run in the same way in every process', async () => {
  const others = hashesOfOtherProcess();
  const results: RunResult[] = [];
  for (let seed = 1; seed <= RUNS; seed++) results.push(await simulate(seed));
  const failed = results.filter(({ failure }) => failure !== undefined);
  expect(failed.map(({ seed, failure }) => `${seed}: ${failure}`)).toEqual([]);
  expect(await others).toEqual(results.map(({ seed, hash }) => `${seed} ${hash}`));
  const sum = (name: keyof RunResult['counts']) =>
    results.reduce((total, { counts }) => total + counts[name], 0);
  for (const name of ['acknowledged', 'reads', 'frames', 'forwarded'] as const) {
    expect(sum(name)).toBeGreaterThan(1000);
  }
  for (const name of ['unknown', 'moved', 'takeovers', 'drops'] as const) {
    expect(sum(name)).toBeGreaterThan(5);
  }
  expect(Math.min(...results.map(({ counts }) => counts.faults))).toBeGreaterThanOrEqual(5);
});

test('different seeds make different runs', async () => {
  const [one, other] = [await simulate(1), await simulate(2)];
  expect(one.hash).not.toBe(other.hash);
  expect(one.settings).not.toEqual(other.settings);
});

test.each(QUICK)('a build that is broken on purpose fails: %s', async (name) => {
  const mutant = MUTANTS.find((each) => each.name === name);
  if (mutant === undefined) throw new Error(`there is no mutant ${name}`);
  const { seed, others } = await runMutant(mutant, SOON);
  expect([seed, others]).not.toEqual([undefined, others]);
});
