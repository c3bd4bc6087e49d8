/** Does any car collide with everything on, over 500,000 vehicle-kilometres? */

import { CAR_COUNT, TICK_MS } from '../assembly/layout.ts';
import { CITIES } from '../src/city/catalogue.ts';
import { type Figure, figure } from './common/figures.ts';
import { parseOptions } from './common/options.ts';
import { columns } from './common/report.ts';
import type { LongDriveJob, LongDriveWorld } from './prove/long-drive.ts';
import { openProvePool } from './prove/prove-pool.ts';

const WORLD_TICKS = 90_000;
/** Limits the number of worlds where cars hardly move. */
const WORLD_KM_MIN = 50;
const KMH_MIN = 20;
const STANDSTILL_S_MAX = 120;
/** Contacts that are printed. */
const ACCOUNTS_MAX = 20;

interface Totals {
  name: string;
  cityIndex: number;
  worlds: number;
  kilometres: number;
  contacts: number;
  longestStandstillS: number;
  /** Seed of the world with it. */
  longestSeed: number;
  /** Seeds of worlds with contacts. */
  seeds: number[];
}

const OPTIONS = {
  seed: { fallback: 1, min: 0, max: 2 ** 32 - 1, help: 'of the first world' },
  km: { fallback: 500_000, min: 1, max: 100_000_000, help: 'vehicle-kilometres' },
  threads: { fallback: 2, min: 1, max: 256, help: 'threads' },
  city: { fallback: '', choices: CITIES.map(({ name }) => name), help: 'only this one' },
};

export async function run(options: string[]): Promise<Figure[]> {
  const { seed, km, threads, city } = parseOptions(OPTIONS, options);
  const totals = CITIES.map(({ name }, cityIndex) => emptyTotals(name, cityIndex)).filter(
    ({ name }) => city === '' || name === city,
  );
  await driveAll(totals, { seed, km, threads });
  console.log(columns(totals.map((each) => [each.name, describe(each)] as const)));
  const driven = figure('driven', kilometresOf(totals), 'km', { atLeast: km });
  return [driven, ...totals.flatMap(figuresOf)];
}

/** Drives worlds, city after city in turn, until `km` are reached. */
async function driveAll(
  totals: readonly Totals[],
  { seed, km, threads }: { seed: number; km: number; threads: number },
): Promise<void> {
  const worldsMax = Math.ceil(km / WORLD_KM_MIN);
  let given = 0;
  let printed = 0;
  const next = (): LongDriveJob | undefined => {
    if (kilometresOf(totals) >= km || given >= worldsMax) return undefined;
    const cityIndex = totals[given % totals.length]?.cityIndex ?? 0;
    given += 1;
    return { cityIndex, seed: seed + given - 1, ticks: WORLD_TICKS };
  };
  const pool = openProvePool(threads);
  const done = (world: LongDriveWorld): void => {
    add(totals, world);
    for (const account of world.accounts) {
      printed += 1;
      if (printed <= ACCOUNTS_MAX) console.log(account);
    }
  };
  try {
    await pool.run('driveLongWorld', { next, done, progress: () => progressOf(totals) });
  } finally {
    await pool.close();
  }
}

function add(totals: readonly Totals[], { job, ...world }: LongDriveWorld): void {
  const city = totals.find(({ cityIndex }) => cityIndex === job.cityIndex);
  if (!city) return;
  city.worlds += 1;
  city.kilometres += world.kilometres;
  city.contacts += world.contacts.length;
  if (world.contacts.length > 0) city.seeds.push(job.seed);
  if (world.longestStandstillS > city.longestStandstillS) {
    city.longestStandstillS = world.longestStandstillS;
    city.longestSeed = job.seed;
  }
}

function emptyTotals(name: string, cityIndex: number): Totals {
  const counts = { worlds: 0, kilometres: 0, contacts: 0, longestStandstillS: 0, longestSeed: 0 };
  return { name, cityIndex, ...counts, seeds: [] };
}

const kilometresOf = (totals: readonly Totals[]): number =>
  totals.reduce((sum, { kilometres }) => sum + kilometres, 0);

const meanKmh = ({ kilometres, worlds }: Totals): number =>
  kilometres / ((worlds * CAR_COUNT * WORLD_TICKS * TICK_MS) / 3_600_000);

function describe(totals: Totals): string {
  const { worlds, kilometres, contacts, longestStandstillS, longestSeed, seeds } = totals;
  const collided = seeds.length > 0 ? ` in seeds ${seeds.slice(0, 10).join(', ')}` : '';
  return (
    `${worlds} worlds, ${Math.round(kilometres)} km, ${contacts} contacts${collided}, ` +
    `${meanKmh(totals).toFixed(1)} km/h, longest standstill ${longestStandstillS} s (seed ${longestSeed})`
  );
}

function progressOf(totals: readonly Totals[]): string {
  const kilometres = kilometresOf(totals);
  const contacts = totals.reduce((sum, each) => sum + each.contacts, 0);
  return `${Math.round(kilometres)} km, ${contacts} contacts`;
}

function figuresOf(totals: Totals): Figure[] {
  const { name, kilometres, contacts, longestStandstillS } = totals;
  return [
    figure(`${name}: driven`, kilometres, 'km'),
    figure(`${name}: contacts`, contacts, 'contacts', { atMost: 0 }),
    figure(`${name}: mean speed`, meanKmh(totals), 'km/h', { atLeast: KMH_MIN }),
    figure(`${name}: longest standstill`, longestStandstillS, 's', { atMost: STANDSTILL_S_MAX }),
  ];
}
