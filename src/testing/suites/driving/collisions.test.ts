import { describe, expect, it } from 'vitest';
import { cities, makeKernel, makeWorld } from '../../rigs/kernel.ts';
import { driveLong } from '../../rigs/long-run.ts';

const KILOMETRES = 10_000;
const HALF_AN_HOUR_TICKS = 90_000;
const FIRST_SEED = 20_000;
/** A world that stands still all day adds no kilometres: it fails here instead of running on. */
const WORLDS_MAX = 60;

describe('[C1] no collision in 10,000 vehicle-kilometres', () => {
  const share = KILOMETRES / cities.cities.length;

  it.each(cities.cities.map(({ name }, index) => ({ name, index })))(
    'not in the city $name',
    ({ name, index }) => {
      const kernel = makeKernel(1);
      const contacts: string[] = [];
      let kilometres = 0;
      for (let i = 0; i < WORLDS_MAX && kilometres < share; i++) {
        const seed = FIRST_SEED + i;
        const slab = makeWorld(kernel, seed, index);
        const run = driveLong(kernel, slab, HALF_AN_HOUR_TICKS);
        kilometres += run.kilometres;
        for (const { tick, kind, parties } of run.contacts.slice(0, 3)) {
          const cars = parties.map(({ car }) => car).join(' and ');
          contacts.push(`${name} seed ${seed} tick ${tick} kind ${kind} cars ${cars}`);
        }
        kernel.release(slab);
      }
      expect(contacts).toEqual([]);
      expect(kilometres).toBeGreaterThanOrEqual(share);
    },
  );
});
