import { availableParallelism } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { STEPS, type Step } from './handover-steps.ts';
import { runMutant } from './mutant-runs.ts';
import { MUTANTS } from './mutants.ts';
import { strikesAt } from './rare-cases.ts';
import { SeedPool } from './seed-pool.ts';
import { runSeeds } from './seed-runs.ts';

const RUNS = 500;
const LOSSY_RUNS = 30;
const REPEATED = 20;
/** Those that fail soonest; `npm run simulate -- --mutants` runs all. */
const QUICK = ['no deadline', 'deadline from the answer', 'no hold', 'journals cut at an image'];
/** Steps of handovers that fail. They are struck too seldom for each strike to meet them in 500 runs. */
const FAILING: readonly Step[] = ['abort', 'cancel', 'thaw'];
/** Other programs may take most of a machine. */
const TIMEOUT_MS = 3_600_000;

const pool = new SeedPool(availableParallelism());
afterAll(() => pool.close());
/** Of the runs of the first test, by seed. */
const hashes = new Map<number, string>();

test(
  '[N11] clusters live through runs with faults, and keep the invariants',
  async () => {
    const range = { from: 1, count: RUNS };
    const { runCount, totals, strikes, failed } = await runSeeds(pool, range, {
      all: true,
      done: ({ seed, hash }) => hashes.set(seed, hash),
    });
    expect(failed.map(({ seed, failure }) => `${seed}: ${failure?.message}`)).toEqual([]);
    expect(runCount).toBe(RUNS);
    for (const name of ['unknown', 'moved', 'takeovers', 'drops'] as const) {
      expect(totals[name], name).toBeGreaterThan(40);
    }
    const struck = [...strikes.keys()];
    const expected = strikesAt(STEPS.filter((step) => !FAILING.includes(step)));
    expect(struck).toEqual(expect.arrayContaining(expected));
    for (const step of FAILING) {
      expect(struck.filter((each) => each.endsWith(` at ${step}`))).not.toEqual([]);
    }
    // A strike that is new in `faults.ts` belongs into the list as well.
    expect(strikesAt(STEPS)).toEqual(expect.arrayContaining(struck));
  },
  TIMEOUT_MS,
);

test.concurrent(
  'clusters live through runs in which Redis often loses its last writes',
  async () => {
    const range = { from: 1, count: LOSSY_RUNS };
    const { totals, failed } = await runSeeds(pool, range, { all: true, isLossy: true });
    expect(failed.map(({ seed, failure }) => `${seed}: ${failure?.message}`)).toEqual([]);
    expect(totals.drops).toBeGreaterThan(LOSSY_RUNS / 2);
  },
  TIMEOUT_MS,
);

test.concurrent(
  'a run is the same in every process',
  async () => {
    const others = new SeedPool(1);
    const seeds = Array.from({ length: REPEATED }, (_, i) => 1 + i);
    const again = await Promise.all(seeds.map(async (seed) => (await others.run({ seed })).hash));
    others.close();
    const first = seeds.map(async (seed) => hashes.get(seed) ?? (await pool.run({ seed })).hash);
    expect(again).toEqual(await Promise.all(first));
    expect(new Set(again).size).toBe(REPEATED);
  },
  TIMEOUT_MS,
);

test.concurrent.each(QUICK)(
  'a build that is broken on purpose fails: %s',
  async (name) => {
    const mutant = MUTANTS.find((each) => each.name === name);
    if (mutant === undefined) throw new Error(`there is no mutant ${name}`);
    const { seed, others } = await runMutant(pool, mutant);
    expect([seed, others]).not.toEqual([undefined, others]);
  },
  TIMEOUT_MS,
);
