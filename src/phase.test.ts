import { expect, test } from 'vitest';
import { phaseOf } from './phase.ts';

test.each([0, 5000, 2 ** 40])(
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
