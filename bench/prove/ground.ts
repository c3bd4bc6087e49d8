import { CAR_COUNT } from '../../assembly/layout.ts';
import type { City } from '../../src/city/types.ts';
import type { Kernel, Slab } from '../../src/kernel/kernel.ts';
import { type Course, courseOf } from '../../src/testing/rigs/course.ts';
import { eventOf, type RawEvent } from '../../src/twin/events.ts';
import { carTypesOf, fleetOf } from '../../src/twin/fleet.ts';
import { type ContactFacts, incidentId } from '../../src/twin/incidents.ts';
import { loadKernel } from '../aged-worlds.ts';

/** The kernel that ships with what the jobs of one thread need beside it. */
export interface Ground {
  kernel: Kernel;
  cities: readonly City[];
  tables: readonly ArrayBuffer[];
  courses: readonly Course[];
}

/** The world that is driven, and those in which an explanation drives it again. */
const SLABS = 8;
let loaded: Ground | undefined;

/** Loaded once a thread. */
export function ground(): Ground {
  if (loaded) return loaded;
  const { kernel, cities } = loadKernel(SLABS);
  const courses = cities.cities.map(courseOf);
  loaded = { kernel, cities: cities.cities, tables: cities.tables, courses };
  return loaded;
}

export interface WorldChoice {
  cityIndex: number;
  seed: number;
  /** Declared features: of every car, or one mask a car. */
  mask: number | readonly number[];
}

/** Makes a world, hands it over and gives its slab back. */
export function inWorld<T>({ cityIndex, seed, mask }: WorldChoice, use: (slab: Slab) => T): T {
  const { kernel } = ground();
  const slab = kernel.acquire();
  if (slab === undefined) throw new Error('no slab is free');
  try {
    const masks = typeof mask === 'number' ? Array.from({ length: CAR_COUNT }, () => mask) : mask;
    kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed), masks });
    return use(slab);
  } finally {
    kernel.release(slab);
  }
}

/** Text on an event. */
export function eventAccount(
  { cityIndex, seed }: Pick<WorldChoice, 'cityIndex' | 'seed'>,
  event: RawEvent,
): string {
  const { name = '', hazards = [] } = ground().cities[cityIndex] ?? {};
  const { message } = eventOf(event, { fleet: fleetOf(seed, 0), hazards });
  return `${name} seed ${seed} tick ${event.tick}, car ${event.car}: ${message}`;
}

/** Text on a contact; its id begins with the tick, for `npm run bench -- trace` to draw the place. */
export function accountOf(
  { cityIndex, seed }: Pick<WorldChoice, 'cityIndex' | 'seed'>,
  { tick, order, kind, hazard, block, x, y, closingMps, parties }: ContactFacts,
): string {
  const city = ground().cities[cityIndex];
  const spot = city?.hazards[hazard]?.kind ?? 'no spot';
  const cars = parties.flatMap(({ car }) => (car >= 0 ? [car] : [])).join(' and ');
  return (
    `${city?.name} seed ${seed} ${incidentId(tick, order)}: car ${cars}, kind ${kind}, ${spot}, ` +
    `block ${block}, at ${x.toFixed(1)}, ${y.toFixed(1)}, closing ${closingMps.toFixed(1)} m/s`
  );
}
