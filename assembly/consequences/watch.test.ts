import { expect, test } from 'vitest';
import { at } from '../../src/city/geometry.ts';
import type { Kernel, Slab } from '../../src/kernel/kernel.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { FrameReading } from '../../src/testing/rigs/frame-reading.ts';
import { cities, makeKernel } from '../../src/testing/rigs/kernel.ts';
import { randomMasks, Told, without } from '../../src/testing/rigs/told-and-found.ts';
import { FEATURE_NAMES } from '../../src/twin/catalogue.ts';
import { carTypesOf } from '../../src/twin/fleet.ts';
import {
  CAR_COUNT,
  EVENT_LANE_LEFT,
  EVENT_RED_LIGHT,
  EVENT_STALLED,
  EVENT_TOWED,
  F_ALL,
  F_BRAKES,
  F_FRONT_CAMERA,
  F_STEERING,
  F_THROTTLE,
  F_TRAFFIC_LIGHT_RECOGNITION,
  FRAME_TICKS,
  TICKS_PER_S,
} from '../layout.ts';

const MINUTE = 60 * TICKS_PER_S;
/** What repeats is told anew after so many other events. */
const OTHERS_MAX = 40;

interface Plan {
  cityIndex: number;
  seed: number;
  minutes: number;
  masks?: number[];
}

/** Calls `look` after each frame of a new world. */
function live(
  { cityIndex, seed, minutes, masks }: Plan,
  look: (kernel: Kernel, slab: Slab) => void,
) {
  const kernel = makeKernel(1);
  const slab = kernel.acquire() ?? 0;
  const carTypes = carTypesOf(seed);
  kernel.create(slab, { cityIndex, seed, carTypes, ...(masks ? { masks } : {}) });
  for (let tick = 0; tick < minutes * MINUTE; tick = kernel.tick(slab)) {
    kernel.step(slab, FRAME_TICKS - (tick % FRAME_TICKS));
    if (kernel.tick(slab) % FRAME_TICKS === 0) look(kernel, slab);
  }
}

test('[I37] whoever reads the frames finds the red lights run, lanes left and near misses that events tell, and no others.', () => {
  const totals = { told: 0, found: 0, untold: 0, unfound: 0 };
  const seen = new Set<string>();
  for (let world = 0; world < 15; world++) {
    const cityIndex = world % cities.tables.length;
    const seed = 7000 + world;
    const reading = new FrameReading(at(cities.cities, cityIndex), carTypesOf(seed));
    const told = new Told();
    const masks = randomMasks(new Dice(seed));
    live({ cityIndex, seed, minutes: 4, masks }, (kernel, slab) => {
      reading.read(kernel.pack(slab));
      told.read(kernel, slab);
    });
    totals.told += told.all.length;
    totals.found += reading.found.length;
    totals.untold += without(reading.found, told.all).length;
    totals.unfound += without(told.all, reading.found).length;
    for (const { what } of reading.found) seen.add(what);
  }
  expect(seen.size).toBe(3);
  expect(totals.found).toBeGreaterThan(100);
  expect(totals.untold / totals.found).toBeLessThan(0.02);
  expect(totals.unfound / totals.told).toBeLessThan(0.02);
});

test('[I37] with everything on, no world has a consequence to tell.', () => {
  for (const cityIndex of cities.tables.keys()) {
    const kinds = new Set<number>();
    live({ cityIndex, seed: 41, minutes: 5 }, (kernel, slab) => {
      for (const { kind } of kernel.events(slab)) kinds.add(kind);
    });
    expect([...kinds].filter((kind) => kind >= EVENT_RED_LIGHT)).toEqual([]);
    expect(kinds.size).toBeGreaterThan(0);
  }
});

test('[I38] the event names the feature that is off, also where a function only lacks it.', () => {
  const cases: [off: number, kind: number][] = [
    [F_TRAFFIC_LIGHT_RECOGNITION, EVENT_RED_LIGHT],
    [F_FRONT_CAMERA, EVENT_RED_LIGHT],
    [F_BRAKES, EVENT_RED_LIGHT],
    [F_STEERING, EVENT_LANE_LEFT],
    [F_THROTTLE, EVENT_STALLED],
  ];
  for (const [off, wanted] of cases) {
    const features = new Set<number>();
    const masks = Array.from({ length: CAR_COUNT }, () => F_ALL & ~off);
    live({ cityIndex: 0, seed: 43, minutes: 2, masks }, (kernel, slab) => {
      for (const { kind, feature } of kernel.events(slab))
        if (kind === wanted) features.add(feature);
    });
    const names = [...features].map((feature) => FEATURE_NAMES[feature]);
    expect(names).toEqual([FEATURE_NAMES[Math.log2(off)]]);
  }
});

test('[I39] what repeats within a minute is one event with a count.', () => {
  const masks = Array.from({ length: CAR_COUNT }, () => F_ALL & ~F_STEERING);
  let most = 0;
  live({ cityIndex: 0, seed: 44, minutes: 5, masks }, (kernel, slab) => {
    if (kernel.tick(slab) % TICKS_PER_S !== 0) return;
    const events = kernel.events(slab).filter(({ kind }) => kind === EVENT_TOWED);
    for (const [i, event] of events.entries()) {
      most = Math.max(most, 1 + (event.arg >>> 16));
      for (const later of events.slice(i + 1)) {
        const isEqual = later.car === event.car && later.feature === event.feature;
        const isNear = later.tick - event.tick <= MINUTE && later.seq - event.seq <= OTHERS_MAX;
        expect(isEqual && isNear).toBe(false);
      }
    }
  });
  expect(most).toBeGreaterThan(1);
});
