import { CAR_COUNT, F_ALL, F_BRAKES, F_STEERING } from '../../assembly/layout.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { covers } from '../../src/citygen/geometry.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { randomMasks } from '../../src/testing/rigs/told-and-found.ts';
import { ground } from './ground.ts';
import type { ProvePool } from './prove-pool.ts';
import { noScenes, type SceneJob, type Scenes, type SceneWorld } from './scenes-world.ts';

/** 15 minutes. */
const TICKS = 45_000;
/** Worlds of a city and a kind at `KM` kilometres; they grow with the square root. */
const WORLDS = 7;
const KM = 20_000;
const ACCOUNTS_MAX = 40;

/** What is off in the worlds of a kind. */
const KINDS: readonly { name: string; isRead: boolean; masks: (seed: number) => number[] }[] = [
  { name: 'everything on', isRead: false, masks: () => all(() => F_ALL) },
  {
    name: 'up to five features of each car off',
    isRead: true,
    masks: (seed) => randomMasks(new Dice(seed)),
  },
  {
    name: 'no brakes or no steering',
    isRead: false,
    masks: () => all((car) => F_ALL & ~(car % 2 === 0 ? F_BRAKES : F_STEERING)),
  },
];

const all = (maskOf: (car: number) => number) =>
  Array.from({ length: CAR_COUNT }, (_, car) => maskOf(car));

export interface SeenScenes {
  rows: { name: string; counted: Scenes }[];
  /** Paths of actors that begin or end in a building. */
  pathsInBuildings: number;
  accounts: string[];
}

/** Watches worlds of every city, with everything on and with features off. */
export async function runScenes(
  pool: ProvePool,
  { seed, km }: { seed: number; km: number },
): Promise<SeenScenes> {
  const rows = KINDS.map(({ name }) => ({ name, counted: noScenes() }));
  const seen: SeenScenes = { rows, pathsInBuildings: pathsInBuildings(), accounts: [] };
  const count = Math.ceil(WORLDS * Math.sqrt(km / KM)) * CITIES.length;
  const jobs = KINDS.flatMap(({ isRead, masks }, row) =>
    Array.from({ length: count }, (_, i): SceneJob => {
      const of = seed + row * count + i;
      return { row, cityIndex: i % CITIES.length, seed: of, mask: masks(of), ticks: TICKS, isRead };
    }),
  );
  let given = 0;
  await pool.run('watchScenes', {
    next: () => jobs[given++],
    done: (world) => addScenes(seen, world),
    progress: () =>
      `${rows.reduce((sum, { counted }) => sum + counted.worlds, 0)} of ${jobs.length} worlds`,
  });
  return seen;
}

/** Adds what one world counted to its row. */
function addScenes(seen: SeenScenes, { job, counted, accounts }: SceneWorld): void {
  const row = seen.rows[job.row];
  if (!row) throw new RangeError(`there is no row ${job.row}`);
  for (const key of Object.keys(counted) as (keyof Scenes)[]) row.counted[key] += counted[key];
  seen.accounts.push(...accounts.slice(0, Math.max(0, ACCOUNTS_MAX - seen.accounts.length)));
}

function pathsInBuildings(): number {
  return ground().cities.reduce((sum, { hazards, blocks }) => {
    const solids = blocks.filter(({ solid }) => solid);
    const isInside = (point: readonly [number, number] | undefined) =>
      point !== undefined && solids.some(({ polygon }) => covers(polygon, point));
    const inside = hazards.filter(
      ({ site }) => isInside(site.actorPath[0]) || isInside(site.actorPath.at(-1)),
    );
    return sum + inside.length;
  }, 0);
}
