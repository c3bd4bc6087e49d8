import { F_ALL, FEATURE_COUNT } from '../../assembly/layout.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { FEATURE_NAMES, type FeatureName } from '../../src/twin/catalogue.ts';
import type { ProvePool } from './prove-pool.ts';
import type { StakesJob, StakesWorld } from './stakes-world.ts';

/** Runs of each feature in each city. */
const RUNS = 60;
/** Worlds for each run that is wanted: in some, nothing of a feature comes soon. */
const WORLDS_PER_RUN = 4;
const ACCOUNTS_MAX = 40;

export interface StakesRow {
  cityIndex: number;
  feature: FeatureName;
  runs: number;
  shown: number;
  collisions: number;
}

export interface TriedStakes {
  /** Runs that each row should have. */
  wanted: number;
  rows: readonly StakesRow[];
  accounts: string[];
}

/** Tries in worlds of every city whether what the outlook tells comes true. */
export async function runStakes(pool: ProvePool, { seed }: { seed: number }): Promise<TriedStakes> {
  const rows = CITIES.flatMap((_, cityIndex) =>
    FEATURE_NAMES.map((feature) => ({ cityIndex, feature, runs: 0, shown: 0, collisions: 0 })),
  );
  const stakes: TriedStakes = { wanted: RUNS, rows, accounts: [] };
  const worldsMax = RUNS * WORLDS_PER_RUN;
  let given = 0;
  const next = (): StakesJob | undefined => {
    while (given < worldsMax * CITIES.length) {
      const [cityIndex, of] = [given % CITIES.length, seed + given];
      given += 1;
      const features = openFeatures(stakes, cityIndex);
      const tick = 500 + 500 * (of % 10);
      if (features !== 0) return { cityIndex, seed: of, mask: F_ALL, tick, features };
    }
    return undefined;
  };
  await pool.run('tryStakes', {
    next,
    done: (world) => addStakes(stakes, world),
    progress: () => {
      const runs = rows.reduce((sum, row) => sum + row.runs, 0);
      return `${runs} of ${rows.length * RUNS} runs`;
    },
  });
  return stakes;
}

/** Mask of the features that need more runs in a city. */
function openFeatures({ rows, wanted }: TriedStakes, cityIndex: number): number {
  let mask = 0;
  for (let feature = 0; feature < FEATURE_COUNT; feature++) {
    const row = rows[cityIndex * FEATURE_COUNT + feature];
    if (row !== undefined && row.runs < wanted) mask |= 1 << feature;
  }
  return mask;
}

/** Adds what one world has shown; runs beyond those that are wanted do not count. */
export function addStakes(stakes: TriedStakes, { job, tried }: StakesWorld): void {
  for (const { feature, isShown, isCollision, account } of tried) {
    const row = stakes.rows[job.cityIndex * FEATURE_COUNT + feature];
    if (!row) throw new RangeError(`there is no feature ${feature} in city ${job.cityIndex}`);
    if (row.runs === stakes.wanted) continue;
    row.runs += 1;
    if (isShown) row.shown += 1;
    if (isCollision) row.collisions += 1;
    if (!isShown && stakes.accounts.length < ACCOUNTS_MAX) stakes.accounts.push(account);
  }
}
