import { beforeAll, describe, expect, it } from 'vitest';
import {
  DRIVING_LIMITS,
  describeLimit,
  isMet,
  MOTION_LIMITS,
  measureDriving,
} from '../testing/driving.ts';
import { DrivingTally } from '../testing/driving-tally.ts';
import { cities, makeKernel } from '../testing/kernel.ts';

const SEEDS = Array.from({ length: 10 }, (_, i) => 100 + i);
const HALF_AN_HOUR_TICKS = 90_000;

/** Ten worlds of each city for half an hour, everything on, every car looked at after every tick. */
describe.each(cities.cities.map((city, index) => ({ name: city.name, city, index })))(
  'driving in the city $name',
  ({ city, index }) => {
    let tally = new DrivingTally();
    beforeAll(() => {
      tally = measureDriving(makeKernel(1), city, index, SEEDS, HALF_AN_HOUR_TICKS);
    });

    it.each([...DRIVING_LIMITS, ...MOTION_LIMITS])('$name', (limit) => {
      expect(isMet(limit, tally), describeLimit(limit, tally)).toBe(true);
    });
  },
);
