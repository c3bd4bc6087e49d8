import { beforeAll, describe, expect, it } from 'vitest';
import { CAR_COUNT, F_BRAKES } from '../../../../assembly/layout.ts';
import type { City } from '../../../city/types.ts';
import type { Slab } from '../../../kernel/kernel.ts';
import { courseOf } from '../../rigs/course.ts';
import {
  DRIVING_LIMITS,
  describeLimit,
  isMet,
  MOTION_LIMITS,
  measureDriving,
} from '../../rigs/driving.ts';
import { DrivingTally } from '../../rigs/driving-tally.ts';
import { HeadwayWatch, percentile } from '../../rigs/headways.ts';
import { cities, makeKernel, makeWorld, memoised } from '../../rigs/kernel.ts';
import { driveLong } from '../../rigs/long-run.ts';

const SEEDS = Array.from({ length: 5 }, (_, i) => 100 + i);
const HALF_AN_HOUR_TICKS = 90_000;
const TEN_MINUTES_TICKS = 30_000;
const KILOMETRES = 10_000;
const FIRST_LONG_SEED = 20_000;
/** A world that stands still all day adds no kilometres: it fails here instead of running on. */
const LONG_WORLDS_MAX = 60;

/** Headways are measured for so long in each of the worlds that only drive on. */
const HEADWAY_TICKS = 20_000;

/** Drives worlds of a city on from some kilometres up to its share of all. */
function driveShare(city: City, index: number, fromKm: number, share: number) {
  const kernel = makeKernel(1);
  const course = courseOf(city, index);
  const contacts: string[] = [];
  const headwaysS: number[] = [];
  let kilometres = fromKm;
  for (let i = 0; i < LONG_WORLDS_MAX && kilometres < share; i++) {
    const seed = FIRST_LONG_SEED + i;
    const slab = makeWorld(kernel, seed, index);
    const headways = new HeadwayWatch(kernel.view(slab), course);
    const run = driveLong(kernel, slab, HALF_AN_HOUR_TICKS, (tick) => {
      if (tick <= HEADWAY_TICKS) headways.look();
    });
    kilometres += run.kilometres;
    headwaysS.push(...headways.headwaysS);
    for (const { tick, kind, parties } of run.contacts.slice(0, 3)) {
      const cars = parties.map(({ car }) => car).join(' and ');
      contacts.push(`seed ${seed} tick ${tick} kind ${kind} cars ${cars}`);
    }
    kernel.release(slab);
  }
  return { contacts, kilometres, headwaysS: headwaysS.toSorted((a, b) => a - b) };
}

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

    const share = KILOMETRES / cities.cities.length;
    const longRun = memoised((fromKm: number) => driveShare(city, index, fromKm, share));
    const runOn = () => longRun(tally.distanceM / 1000);

    it('[C1] has no collision in its share of 10,000 vehicle-kilometres', () => {
      const { contacts, kilometres } = runOn();
      expect(contacts).toEqual([]);
      expect(tally.contacts).toBe(0);
      expect(kilometres).toBeGreaterThanOrEqual(share);
    });

    it('[C28] has cars that follow one another at 1.2 to 1.8 s in the median', () => {
      const { headwaysS } = runOn();
      expect(headwaysS.length).toBeGreaterThan(1000);
      expect(percentile(headwaysS, 0.5)).toBeGreaterThan(1.2);
      expect(percentile(headwaysS, 0.5)).toBeLessThan(1.8);
    });

    it('[C28] hardly ever has cars that follow one another at less than 0.9 s', () => {
      expect(percentile(runOn().headwaysS, 0.02)).toBeGreaterThan(0.9);
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
