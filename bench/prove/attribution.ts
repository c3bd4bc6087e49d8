import { CAR_COUNT, F_ALL, FEATURE_COUNT } from '../../assembly/layout.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { FEATURE_NAMES, maskOf } from '../../src/twin/catalogue.ts';
import { draw, streamKey, uniform } from '../../src/twin/seeded-random.ts';
import {
  type Attribution,
  type AttributionJob,
  type AttributionWorld,
  noAttribution,
} from './attribution-world.ts';
import type { ProvePool } from './prove-pool.ts';

const TICKS = 30_000;
/** Incidents of each row at `KM` kilometres; they grow with the square root, up to the largest number. */
const INCIDENTS = 200;
const INCIDENTS_MAX = 500;
const KM = 20_000;
/** Worlds of a row at least, so that it has all cities. */
const WORLDS_MIN = 6;
/** A row with fewer is too quiet to wait for; one without any stops sooner. */
const INCIDENTS_PER_WORLD_MIN = 0.25;
const QUIET_WORLDS_MAX = 20;
/** Features that each car lacks in the row `several`. */
const SEVERAL_MIN = 2;
const SEVERAL_MAX = 4;
/** Stream of random numbers for that choice. */
const PURPOSE_SEVERAL = 900;
const ACCOUNTS_MAX = 60;

export interface AttributionRow {
  /** Feature that was off on all cars; `several`: some features, others on each car. */
  off: string;
  worlds: number;
  counted: Attribution;
}

export interface Attributions {
  /** Incidents that each row should have. */
  wanted: number;
  rows: readonly AttributionRow[];
  accounts: string[];
}

/** Explains incidents of worlds with each feature off, and with several off. */
export async function runAttribution(
  pool: ProvePool,
  { seed, km }: { seed: number; km: number },
): Promise<Attributions> {
  const wanted = Math.min(INCIDENTS_MAX, Math.ceil(INCIDENTS * Math.sqrt(km / KM)));
  const offs = [...FEATURE_NAMES, 'several'];
  const rows = offs.map((off) => ({ off, worlds: 0, counted: noAttribution() }));
  const all: Attributions = { wanted, rows, accounts: [] };
  const worldsMax = Math.max(WORLDS_MIN, Math.ceil(wanted / INCIDENTS_PER_WORLD_MIN));
  const given = rows.map(() => 0);
  const next = (): AttributionJob | undefined => {
    const isOpen = (row: number): boolean => {
      const incidents = rows[row]?.counted.incidents ?? wanted;
      const most = incidents === 0 ? Math.min(worldsMax, QUIET_WORLDS_MAX) : worldsMax;
      return incidents < wanted && (given[row] ?? 0) < most;
    };
    const open = rows.map((_, row) => row).filter(isOpen);
    const row = open.sort((a, b) => (given[a] ?? 0) - (given[b] ?? 0))[0];
    if (row === undefined) return undefined;
    const world = given[row] ?? 0;
    given[row] = world + 1;
    return jobOf(row, seed + world, wanted);
  };
  await pool.run('attributeWorld', {
    next,
    done: (world) => addAttribution(all, world),
    progress: () => progressOf(all),
  });
  return all;
}

function jobOf(row: number, seed: number, wanted: number): AttributionJob {
  const name = FEATURE_NAMES[row];
  const cityIndex = seed % CITIES.length;
  const incidentsMax = Math.ceil(wanted / WORLDS_MIN);
  const common = { row, cityIndex, seed, ticks: TICKS, incidentsMax };
  if (name === undefined) return { ...common, mask: severalOff(seed), wanted: 0 };
  return { ...common, mask: F_ALL & ~maskOf([name]), wanted: maskOf([name]) };
}

/** Declared mask of each car in a world of the row `several`. */
export function severalOff(seed: number): number[] {
  return Array.from({ length: CAR_COUNT }, (_, car) => {
    const key = streamKey(seed, PURPOSE_SEVERAL, car);
    const below = (n: number, end: number): number => Math.floor(uniform(draw(key, n)) * end);
    let left = SEVERAL_MIN + below(0, SEVERAL_MAX - SEVERAL_MIN + 1);
    let mask = F_ALL;
    for (let n = 1; left > 0; n++) {
      const bit = 1 << below(n, FEATURE_COUNT);
      if ((mask & bit) === 0) continue;
      mask &= ~bit;
      left -= 1;
    }
    return mask;
  });
}

export function addAttribution(
  all: Attributions,
  { job, counted, accounts }: AttributionWorld,
): void {
  const row = all.rows[job.row];
  if (!row) throw new RangeError(`there is no row ${job.row}`);
  row.worlds += 1;
  for (const key of Object.keys(counted) as (keyof Attribution)[]) row.counted[key] += counted[key];
  const missed = accounts.map((account) => `${row.off} off, ${account}`);
  all.accounts.push(...missed.slice(0, Math.max(0, ACCOUNTS_MAX - all.accounts.length)));
}

function progressOf({ rows, wanted }: Attributions): string {
  const enough = rows.filter(({ counted }) => counted.incidents >= wanted).length;
  const incidents = rows.reduce((sum, { counted }) => sum + counted.incidents, 0);
  return `${incidents} incidents explained, ${enough} of ${rows.length} rows complete`;
}
