import { F_ALL } from '../../assembly/layout.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { FEATURE_NAMES, type FeatureName, maskOf } from '../../src/twin/catalogue.ts';
import type { ProvePool } from './prove-pool.ts';
import { emptyCounts, type SpotCounts } from './spot-watch.ts';
import { emptyStretch, type Stretch, type SweepJob, type SweepWorld } from './sweep-world.ts';

/** 30 minutes. */
const TICKS_ALL_ON = 90_000;
/** 10 minutes, the time that the marks are for. */
const TICKS_OFF = 30_000;
/** Kilometres with everything on for each world with a feature off. */
const KM_PER_WORLD_OFF = 25_000;
const WORLDS_OFF_MIN = 4;
/** Limits the number of worlds where cars hardly move. */
const WORLD_KM_MIN = 50;
const ACCOUNTS_MAX = 40;

/** All worlds of one city with the same feature off. @param off `null`: everything was on */
export const emptyGroup = (cityIndex: number, off: FeatureName | null) => ({
  cityIndex,
  off,
  worlds: 0,
  /** Ten-minute worlds without an incident. */
  quietWorlds: 0,
  driven: emptyStretch(),
  backOn: emptyStretch(),
});

export type SweepGroup = ReturnType<typeof emptyGroup>;

export interface Sweep {
  groups: readonly SweepGroup[];
  accounts: string[];
  traps: string[];
}

/** Drives worlds with each feature off, then worlds with everything on until `km` are reached. */
export async function runSweep(
  pool: ProvePool,
  { seed, km }: { seed: number; km: number },
): Promise<Sweep> {
  const offs = [null, ...FEATURE_NAMES];
  const groups = offs.flatMap((off) => CITIES.map((_, cityIndex) => emptyGroup(cityIndex, off)));
  const sweep: Sweep = { groups, accounts: [], traps: [] };
  const jobsOff = offJobs(seed, km);
  const worldsMax = Math.ceil(km / WORLD_KM_MIN);
  let allOn = 0;
  let offDone = 0;
  const nextAllOn = (): SweepJob | undefined => {
    const isEnough = allOnKm(sweep) >= km || allOn >= worldsMax;
    if (isEnough && allOn >= CITIES.length) return undefined;
    const world = { cityIndex: allOn % CITIES.length, seed: seed + allOn, mask: F_ALL };
    allOn += 1;
    return { ...world, ticks: TICKS_ALL_ON, ticksBackOn: 0 };
  };
  await pool.run('driveSweepWorld', {
    next: () => jobsOff[offDone++] ?? nextAllOn(),
    done: (world) => add(sweep, world),
    progress: () => {
      const off = Math.min(offDone, jobsOff.length);
      return `${off} of ${jobsOff.length} worlds with something off, ${progressAllOn(sweep, km)}`;
    },
  });
  return sweep;
}

function offJobs(seed: number, km: number): SweepJob[] {
  const worlds = Math.max(WORLDS_OFF_MIN, Math.round(km / KM_PER_WORLD_OFF));
  return Array.from({ length: worlds }, (_, i) => i).flatMap((i) =>
    FEATURE_NAMES.flatMap((name) =>
      CITIES.map((_, cityIndex) => ({
        cityIndex,
        seed: seed + i * CITIES.length + cityIndex,
        mask: F_ALL & ~maskOf([name]),
        ticks: TICKS_OFF,
        ticksBackOn: TICKS_OFF,
      })),
    ),
  );
}

const maskOfGroup = ({ off }: SweepGroup): number => (off ? F_ALL & ~maskOf([off]) : F_ALL);

/** Adds what one world counted to its group. */
export function add(sweep: Sweep, world: SweepWorld): void {
  const { job, driven, backOn, accounts, trap } = world;
  const group = sweep.groups.find(
    (each) => each.cityIndex === job.cityIndex && maskOfGroup(each) === job.mask,
  );
  if (!group) throw new RangeError(`nothing is swept with mask ${job.mask} in ${job.cityIndex}`);
  group.worlds += 1;
  if (driven.incidents === 0) group.quietWorlds += 1;
  group.driven = sum(group.driven, driven);
  if (backOn) group.backOn = sum(group.backOn, backOn);
  if (sweep.accounts.length < ACCOUNTS_MAX) sweep.accounts.push(...accounts);
  if (trap) sweep.traps.push(trap);
}

/** Adds the numbers of two records of one shape; other fields are those of the first. */
function addNumbers<Counts extends object>(a: Counts, b: Counts): Counts {
  const other = new Map<string, unknown>(Object.entries(b));
  const sums = Object.entries(a).map(([key, value]) => [
    key,
    typeof value === 'number' ? value + Number(other.get(key)) : value,
  ]);
  return Object.fromEntries(sums);
}

export function sum(a: Stretch, b: Stretch): Stretch {
  return {
    ...addNumbers(a, b),
    interventions: a.interventions.map((count, i) => count + (b.interventions[i] ?? 0)),
    spots: a.spots.length === 0 ? b.spots : a.spots.map((spot, i) => plus(spot, b.spots[i])),
  };
}

export function plus(a: SpotCounts, b = emptyCounts(a.spot, a.kind)): SpotCounts {
  return { ...addNumbers(a, b), spot: a.spot };
}

const allOnGroups = ({ groups }: Sweep): SweepGroup[] => groups.filter(({ off }) => off === null);

const allOnKm = (sweep: Sweep): number =>
  allOnGroups(sweep).reduce((km, { driven }) => km + driven.kilometres, 0);

function progressAllOn(sweep: Sweep, km: number): string {
  const contacts = allOnGroups(sweep).reduce((count, { driven }) => count + driven.contacts, 0);
  const done = Math.round(allOnKm(sweep));
  return `${done} of ${km} km with all on, ${contacts} contacts`;
}

export const perThousandKm = ({ incidents, kilometres }: Stretch): number =>
  (incidents / kilometres) * 1000;

export const perCarHour = ({ incidents, carHours }: Stretch): number => incidents / carHours;

export const meanKmh = ({ kilometres, carHours }: Stretch): number => kilometres / carHours;

/** Means of worlds with a feature off, which are driven for ten minutes. */
export const perTenMinutes = ({ driven, worlds }: SweepGroup): number => driven.incidents / worlds;

export const toldPerTenMinutes = ({ driven, worlds }: SweepGroup): number =>
  (driven.incidents + driven.consequences) / worlds;
