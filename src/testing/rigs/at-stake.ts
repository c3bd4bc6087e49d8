import {
  EVENT_COLLISION,
  EVENT_RED_LIGHT,
  EVENT_STALLED,
  FRAME_TICKS,
  TICKS_PER_S,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
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
export interface Stakes {
  kernel: Kernel;
  slab: Slab;
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
  const { hazards } = at(cities.cities, cityIndex);
  const needs = hazards.map(({ kind }) => needsOf(kind));
  const rewind = new Rewind(kernel, kernel.acquire() ?? 0);
  const slices = forecast(rewind, kernel.image(slab), at(cities.tables, cityIndex), needs);
  for (;;) {
    const next = slices.next();
    if (!next.done) continue;
    const fleet = cars.map((car) => ({ vin: `${car}` }));
    const entries = outlookEntries(next.value, tick, { fleet, hazards });
    return { kernel, slab, entries, outlook: next.value };
  }
}

/** Switches a feature of a car off; whether an event tells within some seconds what came of it. */
export function showsWithout(
  { kernel, slab }: Stakes,
  car: number,
  bit: number,
  seconds: number,
): boolean {
  const from = kernel.tick(slab);
  kernel.apply(slab, from + 1, car, bit, 0);
  while (kernel.tick(slab) < from + seconds * TICKS_PER_S) {
    kernel.step(slab, FRAME_TICKS);
    const isShown = kernel.events(slab).some((event) => {
      if (event.tick <= from) return false;
      if (event.kind === EVENT_COLLISION) return event.car === car || event.other === car;
      return event.kind >= EVENT_RED_LIGHT && event.kind <= EVENT_STALLED && event.car === car;
    });
    if (isShown) return true;
  }
  return false;
}
