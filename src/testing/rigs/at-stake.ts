import {
  EVENT_COLLISION,
  EVENT_RED_LIGHT,
  EVENT_STALLED,
  FRAME_TICKS,
  TICKS_PER_S,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import type { City } from '../../city/types.ts';
import type { Kernel, Slab } from '../../kernel/kernel.ts';
import { forecast } from '../../shard/counterfactual/forecast.ts';
import { Rewind } from '../../shard/counterfactual/rewind.ts';
import { carTypesOf } from '../../twin/fleet.ts';
import { outlookEntries } from '../../twin/outlook.ts';
import type { Outlook } from '../../twin/outlook-record.ts';
import { needsOf } from '../../twin/spot-features.ts';
import type { WorldOutlook } from '../../twin/wire.ts';
import { cars, cities, makeKernel } from './kernel.ts';

/** A world that is looked at, and what is at stake in it. */
export interface Stakes extends Foretold {
  kernel: Kernel;
  slab: Slab;
}

interface Foretold {
  /** Names of cars are their indices. */
  entries: WorldOutlook['outlook'];
  outlook: Outlook;
}

/** Lives a new world up to a tick, and ahead of it. */
export function stakesOf(cityIndex: number, seed: number, tick: number): Stakes {
  const kernel = makeKernel(2);
  const slab = kernel.acquire() ?? 0;
  kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed) });
  while (kernel.tick(slab) < tick) kernel.step(slab, tick - kernel.tick(slab));
  const [city, table] = [at(cities.cities, cityIndex), at(cities.tables, cityIndex)];
  return { kernel, slab, ...foretold(kernel, slab, kernel.acquire() ?? 0, city, table) };
}

/** What the outlook of a world tells now. It is lived ahead in the slab `scratch`. */
export function foretold(
  kernel: Kernel,
  slab: Slab,
  scratch: Slab,
  { hazards }: City,
  table: ArrayBuffer,
): Foretold {
  const needs = hazards.map(({ kind }) => needsOf(kind));
  const slices = forecast(new Rewind(kernel, scratch), kernel.image(slab), table, needs);
  for (;;) {
    const next = slices.next();
    if (!next.done) continue;
    const fleet = cars.map((car) => ({ vin: `${car}` }));
    const entries = outlookEntries(next.value, kernel.tick(slab), { fleet, hazards });
    return { entries, outlook: next.value };
  }
}

/** Seconds after which an event tells of a car what it lacks a feature for, and that it collides. */
export interface Follows {
  shownS: number;
  collisionS: number;
}

/**
 * Switches a feature of a car off and lives the world for some seconds; Infinity: not within these.
 * Stops at a collision.
 */
export function whatFollows(
  kernel: Kernel,
  slab: Slab,
  car: number,
  bit: number,
  seconds: number,
): Follows {
  const from = kernel.tick(slab);
  kernel.apply(slab, from + 1, car, bit, 0);
  const follows = { shownS: Number.POSITIVE_INFINITY, collisionS: Number.POSITIVE_INFINITY };
  while (kernel.tick(slab) < from + seconds * TICKS_PER_S) {
    kernel.step(slab, FRAME_TICKS);
    const afterS = (kernel.tick(slab) - from) / TICKS_PER_S;
    for (const event of kernel.events(slab)) {
      if (event.tick <= from) continue;
      if (event.kind === EVENT_COLLISION && (event.car === car || event.other === car)) {
        return { shownS: Math.min(follows.shownS, afterS), collisionS: afterS };
      }
      const isConsequence = event.kind >= EVENT_RED_LIGHT && event.kind <= EVENT_STALLED;
      if (isConsequence && event.car === car) follows.shownS = Math.min(follows.shownS, afterS);
    }
  }
  return follows;
}
