import { describe, expect, it } from 'vitest';
import { headwaysOf, percentile } from '../../rigs/headways.ts';
import { cities, makeKernel } from '../../rigs/kernel.ts';

const SEEDS = Array.from({ length: 12 }, (_, i) => 300 + i);
/** Five minutes. */
const TICKS = 15_000;

describe.each(cities.cities.map((city, index) => ({ name: city.name, city, index })))(
  'cars that follow one another in $name',
  ({ city, index }) => {
    const headways = headwaysOf(makeKernel(1), city, index, SEEDS, TICKS);

    it('[C28] keep a time headway of 1.2 to 1.8 s in the median', () => {
      expect(headways.length).toBeGreaterThan(1000);
      expect(percentile(headways, 0.5)).toBeGreaterThan(1.2);
      expect(percentile(headways, 0.5)).toBeLessThan(1.8);
    });

    it('[C28] hardly ever keep less than 0.9 s', () => {
      expect(percentile(headways, 0.02)).toBeGreaterThan(0.9);
    });
  },
);
