/** Does any car collide with everything on, over 500,000 vehicle-kilometres? */

import { CAR_COUNT, TICK_MS } from '../assembly/layout.ts';
import { CITIES } from '../src/city/catalogue.ts';
import { type Figure, figure } from './common/figures.ts';
import { parseOptions } from './common/options.ts';
import type { LongDriveJob, LongDriveWorld } from './prove/long-drive.ts';
import { openProvePool } from './prove/prove-pool.ts';

const WORLD_TICKS = 90_000;
/** Limits the number of worlds where cars hardly move. */
const WORLD_KM_MIN = 50;
const KMH_MIN = 20;
const STANDSTILL_S_MAX = 120;
/** Contacts that are printed. */
const ACCOUNTS_MAX = 20;

const OPTIONS = {
  seed: { fallback: 1, min: 0, max: 2 ** 32 - 1, help: 'of the first world' },
  km: { fallback: 500_000, min: 1, max: 100_000_000, help: 'vehicle-kilometres' },
  threads: { fallback: 2, min: 1, max: 256, help: 'threads' },
  city: { fallback: '', choices: CITIES.map(({ name }) => name), help: 'only this one' },
};

export async function run(options: string[]): Promise<Figure[]> {
  const { seed, km, threads, city } = parseOptions(OPTIONS, options);
  const cities = CITIES.flatMap(({ name }, cityIndex) =>
    city === '' || name === city ? [{ name, cityIndex }] : [],
  );
  const jobAt = (i: number): LongDriveJob => {
    const cityIndex = cities[i % cities.length]?.cityIndex ?? 0;
    return { cityIndex, seed: seed + i, ticks: WORLD_TICKS };
  };
  const driven = await driveAll(jobAt, km, threads);
  for (const account of driven.flatMap(({ accounts }) => accounts).slice(0, ACCOUNTS_MAX)) {
    console.log(account);
  }
  const figures = cities.flatMap(({ name, cityIndex }) =>
    figuresOf(
      name,
      driven.filter(({ job }) => job.cityIndex === cityIndex),
    ),
  );
  return [figure('driven', kilometresOf(driven), 'km', { atLeast: km }), ...figures];
}

/** Drives worlds, city after city in turn, until `km` are reached. */
async function driveAll(
  jobAt: (i: number) => LongDriveJob,
  km: number,
  threads: number,
): Promise<LongDriveWorld[]> {
  const driven: LongDriveWorld[] = [];
  const worldsMax = Math.ceil(km / WORLD_KM_MIN);
  let given = 0;
  const pool = openProvePool(threads);
  try {
    await pool.run('driveLongWorld', {
      next: () => {
        const isEnough = kilometresOf(driven) >= km || given >= worldsMax;
        return isEnough ? undefined : jobAt(given++);
      },
      done: (world) => driven.push(world),
      progress: () => `${Math.round(kilometresOf(driven))} km, ${contactsOf(driven)} contacts`,
    });
  } finally {
    await pool.close();
  }
  return driven;
}

type Driven = readonly LongDriveWorld[];

const kilometresOf = (driven: Driven): number =>
  driven.reduce((sum, { kilometres }) => sum + kilometres, 0);

const contactsOf = (driven: Driven): number =>
  driven.reduce((sum, { contacts }) => sum + contacts.length, 0);

function figuresOf(name: string, driven: Driven): Figure[] {
  if (driven.length === 0) return [];
  const kilometres = kilometresOf(driven);
  const hours = (driven.length * CAR_COUNT * WORLD_TICKS * TICK_MS) / 3_600_000;
  const [longest] = driven.toSorted((a, b) => b.longestStandstillS - a.longestStandstillS);
  console.log(
    `${name}: ${driven.length} worlds, longest standstill with seed ${longest?.job.seed}`,
  );
  return [
    figure(`${name}: driven`, kilometres, 'km'),
    figure(`${name}: contacts`, contactsOf(driven), 'contacts', { atMost: 0 }),
    figure(`${name}: mean speed`, kilometres / hours, 'km/h', { atLeast: KMH_MIN }),
    figure(`${name}: longest standstill`, longest?.longestStandstillS ?? 0, 's', {
      atMost: STANDSTILL_S_MAX,
    }),
  ];
}
