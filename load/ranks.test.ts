import { expect, test } from 'vitest';
import { mannWhitneyZ, medianDeviation } from './ranks.ts';

test('ranks of two samples are compared as by hand', () => {
  // U = 0, expected 4.5, variance 3 · 3 · 7 / 12 = 5.25: -4.5 / 2.2913.
  expect(mannWhitneyZ([1, 2, 3], [4, 5, 6])).toBeCloseTo(-1.964, 3);
  expect(mannWhitneyZ([4, 5, 6], [1, 2, 3])).toBeCloseTo(1.964, 3);
  // Ranks 1, 4 and 2, 3: U = 2, just what is expected.
  expect(mannWhitneyZ([1, 4], [2, 3])).toBe(0);
});

test('equal values share their ranks', () => {
  // Ranks 1.5, 3.5 and 1.5, 3.5.
  expect(mannWhitneyZ([1, 2], [1, 2])).toBe(0);
  // Ranks 1, 2.5 and 2.5, 4: U = 0.5 of 2 expected, variance (4 / 12) (5 - 6 / 12) = 1.5.
  expect(mannWhitneyZ([1, 2], [2, 3])).toBeCloseTo(-1.2247, 4);
  expect(mannWhitneyZ([7, 7], [7, 7])).toBe(0);
});

test('a median is as uncertain as the values around it are far apart', () => {
  // Of 0 to 99 in any order: ranks 44 and 55.
  const values = Array.from({ length: 100 }, (_, i) => (i * 37) % 100);
  expect(medianDeviation(values)).toBe(5.5);
  expect(medianDeviation(values.map((value) => 3 * value + 1000))).toBe(16.5);
  expect(medianDeviation([8, 8, 8])).toBe(0);
  expect(medianDeviation([5, 7])).toBe(1);
  expect(medianDeviation([])).toBe(0);
});
