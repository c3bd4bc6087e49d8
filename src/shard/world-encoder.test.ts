import { expect, it } from 'vitest';
import { at } from '../city/geometry.ts';
import { LIFE_TICKS } from '../limits.ts';
import { cities, makeKernel } from '../testing/rigs/kernel.ts';
import { carTypesOf } from '../twin/fleet.ts';
import { worldEncoder } from './world-encoder.ts';

/** Ticks of a day: longer than the time in which a world that has ended is dropped. */
const DAY_TICKS = 24 * 3600 * 50;

it('[W36] ticks and times are right until the end of a life and some hours beyond', () => {
  const kernel = makeKernel(1);
  const slab = kernel.acquire() ?? -1;
  const tick = LIFE_TICKS + DAY_TICKS / 2;
  kernel.create(slab, { cityIndex: 0, seed: 1, carTypes: carTypesOf(1), tick });
  kernel.step(slab, 4);
  const encoder = worldEncoder(1, at(cities.names, 0));
  const { tick: shown, time } = JSON.parse(
    new TextDecoder().decode(encoder.encode('json', kernel.pack(slab))),
  );
  expect([shown, time]).toEqual([tick + 4, (tick + 4) / 50]);
});
