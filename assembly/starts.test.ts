import { describe, expect, it } from 'vitest';
import { at } from '../src/city/geometry.ts';
import type { City } from '../src/city/types.ts';
import { frictionAt, slipperyZones } from '../src/testing/rigs/grip.ts';
import { cars, cities, makeKernel, makeWorld, SlabView } from '../src/testing/rigs/kernel.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import { C_HX, C_HY, C_LANE, C_TYPE, C_VX, C_X, C_Y, TICKS_PER_S } from './layout.ts';

const SEEDS = Array.from({ length: 300 }, (_, i) => 7500 + i);
const SECONDS = 2;
const LOOK_TICKS = 5;
const DRY = 0.95;
/** A car that goes straight on may still steer a little, rad. */
const TURN_MAX = 0.02;

/** Looks at the cars of many worlds as they begin and for two seconds. */
function lookAtStarts(city: City, cityIndex: number) {
  const kernel = makeKernel(1);
  const zones = slipperyZones(city);
  const seen = { inJunctions: 0, slippery: [] as string[], bends: [] as string[], fastestMps: 0 };
  for (const seed of SEEDS) {
    const slab = makeWorld(kernel, seed, cityIndex);
    const world = new SlabView(kernel.view(slab));
    const headingOf = (car: number) => [world.real(C_HX, car), world.real(C_HY, car)] as const;
    const headings = cars.map(headingOf);
    for (const car of cars) {
      if (city.lanes[world.i32(C_LANE, car)]?.connector) seen.inJunctions += 1;
      seen.fastestMps = Math.max(seen.fastestMps, world.real(C_VX, car));
    }
    for (let tick = 0; tick <= SECONDS * TICKS_PER_S; tick += LOOK_TICKS) {
      for (const car of cars) {
        const { wheelbaseM, lrM } = at(CAR_TYPES, world.i32(C_TYPE, car));
        const [hx, hy] = headingOf(car);
        const [hx0, hy0] = at(headings, car);
        const [x, y] = [world.real(C_X, car), world.real(C_Y, car)];
        const axles = [wheelbaseM - lrM, -lrM];
        const where = `seed ${seed} car ${car} tick ${tick}`;
        if (axles.some((ahead) => frictionAt(zones, [x + ahead * hx, y + ahead * hy]) < DRY))
          seen.slippery.push(where);
        if (Math.abs(hx0 * hy - hy0 * hx) > TURN_MAX) seen.bends.push(where);
      }
      kernel.step(slab, LOOK_TICKS);
    }
    kernel.release(slab);
  }
  return seen;
}

describe.each(cities.cities.map((city, index) => ({ name: city.name, city, index })))(
  'the cars of a new world in $name',
  ({ city, index }) => {
    it('[C27] begin on straight and dry road, and have two seconds of it before them', () => {
      const { inJunctions, slippery, bends, fastestMps } = lookAtStarts(city, index);
      expect(inJunctions).toBe(0);
      expect(slippery).toEqual([]);
      expect(bends).toEqual([]);
      // They roll as they begin.
      expect(fastestMps).toBeGreaterThan(13);
    });
  },
);
