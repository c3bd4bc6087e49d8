import { expect, test } from 'vitest';
import { phaseOf } from './phase.ts';
import { systemRandom } from './random.ts';
import { randomWorldNumber } from './twin/ids.ts';

test.each([0, 5000, 2 ** 50 - 1000])(
  'a thousand numbers from %d on have their turns evenly in a period',
  (from) => {
    const tenths = new Array<number>(10).fill(0);
    for (let number = from; number < from + 1000; number++) {
      const phase = phaseOf(number, 800);
      expect(Number.isInteger(phase) && phase >= 0 && phase < 800).toBe(true);
      const tenth = Math.floor(phase / 80);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(Math.min(...tenths)).toBeGreaterThan(90);
  },
);

test('worlds, whose ids are random, have their turns all over a period', () => {
  const phases = Array.from({ length: 4000 }, () =>
    phaseOf(randomWorldNumber(systemRandom.bytes), 800),
  );
  expect(new Set(phases).size).toBeGreaterThan(700);
});
