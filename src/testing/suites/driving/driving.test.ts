import { beforeAll, describe, expect, it } from 'vitest';
import { CAR_COUNT, F_BRAKES } from '../../../../assembly/layout.ts';
import type { Slab } from '../../../kernel/kernel.ts';
import {
  DRIVING_LIMITS,
  describeLimit,
  isMet,
  MOTION_LIMITS,
  measureDriving,
} from '../../rigs/driving.ts';
import { DrivingTally } from '../../rigs/driving-tally.ts';
import { cities, makeKernel } from '../../rigs/kernel.ts';

const SEEDS = Array.from({ length: 5 }, (_, i) => 100 + i);
const HALF_AN_HOUR_TICKS = 90_000;
const TEN_MINUTES_TICKS = 30_000;

/** Five worlds of each city for half an hour, everything on; every car is measured after every tick. */
describe.each(cities.cities.map((city, index) => ({ name: city.name, city, index })))(
  'driving in the city $name',
  ({ city, index }) => {
    let tally = new DrivingTally();
    beforeAll(() => {
      tally = measureDriving(makeKernel(1), city, index, SEEDS, HALF_AN_HOUR_TICKS);
    });

    it.each([...DRIVING_LIMITS, ...MOTION_LIMITS])('[C2] $name', (limit) => {
      expect(isMet(limit, tally), describeLimit(limit, tally)).toBe(true);
    });

    it('[C3] never jumps, also where nobody has brakes and cars collide', () => {
      const kernel = makeKernel(1);
      const loseBrakes = (slab: Slab): void => {
        for (let car = 0; car < CAR_COUNT; car++) kernel.apply(slab, 0, car, F_BRAKES, 0);
      };
      const wrecked = measureDriving(kernel, city, index, [200], TEN_MINUTES_TICKS, loseBrakes);
      expect(wrecked.contacts).toBeGreaterThan(0);
      expect(wrecked.respawns).toBeGreaterThan(0);
      expect(wrecked.jumps, wrecked.examples.get('jumps')?.join('; ')).toBe(0);
      expect(wrecked.notFinite).toBe(0);
    });
  },
);
