import { expect, test } from 'vitest';
import { ClockBounds } from './clock-bounds.ts';

test('answers at different phases of a tick narrow the bounds of a clock', () => {
  const bounds = new ClockBounds();
  // The clock of the node is 1000 ms ahead; its answers take 2 ms there and 3 ms back.
  for (let atMs = 0; atMs < 1000; atMs += 7) {
    bounds.add(500, Math.floor((atMs + 1000 - 500) / 20), atMs - 2, atMs + 3);
  }
  expect(bounds.atLeastMs).toBeLessThanOrEqual(1000);
  expect(bounds.atMostMs).toBeGreaterThanOrEqual(1000);
  expect(bounds.atMostMs - bounds.atLeastMs).toBeLessThan(8);
  expect(Math.abs(bounds.middleMs - 1000)).toBeLessThan(2);
});
