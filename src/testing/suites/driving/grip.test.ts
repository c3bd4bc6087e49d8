import { describe, expect, it } from 'vitest';
import { gripOf } from '../../rigs/grip.ts';
import { cities, makeKernel } from '../../rigs/kernel.ts';

const SEEDS = [7700, 7701, 7702];
/** Four minutes. */
const TICKS = 12_000;
/** The shares of two axles are weighted by their loads at rest, which braking shifts a little. */
const SHARE_MAX = 1.005;

describe.each(cities.cities.map((city, index) => ({ name: city.name, city, index })))(
  'the cars of $name',
  ({ city, index }) => {
    it('[C5] never accelerate, brake or turn harder than the friction under their axles', () => {
      const { ticks, slipperyTicks, greatest, where } = gripOf(
        makeKernel(1),
        city,
        index,
        SEEDS,
        TICKS,
      );
      expect(ticks).toBeGreaterThan(100_000);
      expect(slipperyTicks).toBeGreaterThan(5000);
      // They come close to it: the measure would notice more.
      expect(greatest).toBeGreaterThan(0.9);
      expect(greatest, where).toBeLessThan(SHARE_MAX);
    });
  },
);
