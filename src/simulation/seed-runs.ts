import type { Outcome } from './outcome.ts';
import type { SeedPool } from './seed-pool.ts';
import { addTo, NO_COUNTS, type RunCounts } from './totals.ts';

export interface SeedRange {
  from: number;
  count: number;
}

export interface SeedRunsOptions {
  /** Goes on after a failure. */
  all: boolean;
  /** See `RunSettings`. */
  isLossy?: boolean;
  /** Called after each run. */
  done?: (outcome: Outcome, runCount: number) => void;
}

/** What has become of many runs. */
export interface SeedRuns {
  runCount: number;
  totals: RunCounts;
  /** How often which fault struck a handover, and where. */
  strikes: ReadonlyMap<string, number>;
  failed: readonly Outcome[];
}

/** Lives through the runs of a range of seeds, as many at a time as the pool has processes. */
export async function runSeeds(
  pool: SeedPool,
  { from, count }: SeedRange,
  { all, isLossy = false, done }: SeedRunsOptions,
): Promise<SeedRuns> {
  const totals = { ...NO_COUNTS };
  const strikes = new Map<string, number>();
  const failed: Outcome[] = [];
  let runCount = 0;
  let next = from;
  const take = async () => {
    while (next < from + count && (all || failed.length === 0)) {
      const outcome = await pool.run({ seed: next++, isLossy });
      runCount++;
      addTo(totals, outcome.counts);
      for (const [what, count] of Object.entries(outcome.strikes)) {
        strikes.set(what, (strikes.get(what) ?? 0) + count);
      }
      if (outcome.failure !== undefined) failed.push(outcome);
      done?.(outcome, runCount);
    }
  };
  await Promise.all(Array.from({ length: pool.size }, take));
  return { runCount, totals, strikes, failed };
}
