import { beforeAll, describe, expect, it } from 'vitest';
import { CAR_COUNT, F_ESC } from '../../../../assembly/layout.ts';
import type { Slab } from '../../../kernel/kernel.ts';
import { CAR_TYPES } from '../../../twin/fleet.ts';
import { type IcePass, type Interventions, shareOf, tallyIce } from '../../rigs/ice-tally.ts';
import { cities, makeKernel } from '../../rigs/kernel.ts';

const SEEDS = [500, 501, 502, 503, 504, 505];
/** Eight minutes. */
const TICKS = 24_000;
/** Speed of cars that come to the ice freely. */
const FREE_MPS = 6;

/** What becomes of those who come to the ice, with stability control and without. */
describe.each(cities.cities.map((city, index) => ({ name: city.name, city, index })))(
  'the ice in the bend of $name',
  ({ city, index }) => {
    const kernel = makeKernel(1);
    const loseEsc = (slab: Slab): void => {
      for (let car = 0; car < CAR_COUNT; car++) kernel.apply(slab, 0, car, F_ESC, 0);
    };
    let on: IcePass[] = [];
    let off: IcePass[] = [];
    let found: Interventions;
    beforeAll(() => {
      ({ passes: on, interventions: found } = tallyIce(kernel, city, index, SEEDS, TICKS));
      ({ passes: off } = tallyIce(kernel, city, index, SEEDS, TICKS, loseEsc));
    });

    it('is passed often', () => {
      expect(on.length).toBeGreaterThan(20);
      expect(off.length).toBeGreaterThan(20);
    });

    it('makes stability control intervene', () => {
      expect(shareOf(on, ({ hasIntervened }) => hasIntervened)).toBeGreaterThanOrEqual(0.9);
      expect(off.some(({ hasIntervened }) => hasIntervened)).toBe(false);
    });

    it('is where stability control has most to do, which has nothing to do where nobody evades or slides', () => {
      expect(found.kilometres).toBeGreaterThan(270);
      expect(found.onIce).toBeGreaterThan(20);
      expect(found.evading).toBeLessThan(found.onIce);
      expect(found.onWet).toBe(0);
      expect(found.onDry).toBe(0);
    });

    it('is held in the lane by every car with stability control', () => {
      const lost = on.filter((pass) => pass.hasLeftLane || pass.hasSpun || pass.hasCrashed);
      expect(lost).toEqual([]);
    });

    it.each(['front', 'rear'])('takes cars without it that have %s-wheel drive', (drive) => {
      // Slower ones follow a wreck, and the ice holds them.
      const passes = off.filter(
        ({ type, speedMps }) => CAR_TYPES[type]?.drive === drive && speedMps > FREE_MPS,
      );
      expect(passes.length).toBeGreaterThan(4);
      const isLost = (pass: IcePass) => pass.hasLeftLane || pass.hasSpun || pass.hasCrashed;
      expect(shareOf(passes, isLost)).toBeGreaterThan(0.7);
    });
  },
);
