import { expect, test } from 'vitest';
import { RandomStream } from './random-stream.ts';

const draw = (seed: number, purpose: number, count: number): number[] => {
  const random = new RandomStream(seed, purpose);
  return Array.from({ length: count }, () => random.between(0, 999));
};

test('The numbers of a stream are frozen.', () => {
  expect(draw(7, 1, 6)).toEqual([99, 327, 78, 36, 996, 292]);
});

test('Streams of one seed with different purposes differ.', () => {
  expect(draw(7, 1, 20)).not.toEqual(draw(7, 2, 20));
});

test('Streams of neighbouring seeds differ.', () => {
  expect(draw(7, 1, 20)).not.toEqual(draw(8, 1, 20));
});

test('All numbers from the least to the greatest are about equally frequent.', () => {
  const random = new RandomStream(1, 1);
  const counts = [0, 0, 0, 0, 0];
  for (let i = 0; i < 5000; i++) {
    const value = random.between(3, 7);
    counts[value - 3] = (counts[value - 3] ?? 0) + 1;
  }
  expect(counts.reduce((sum, count) => sum + count)).toBe(5000);
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
});

test('Nothing can be picked from an empty list.', () => {
  expect(() => new RandomStream(1, 1).pick([])).toThrow(RangeError);
});
