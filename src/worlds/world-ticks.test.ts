import { expect, test } from 'vitest';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { WorldTicks } from './world-ticks.ts';

test('a world begins where its last holder may have shown it, though the clock is behind', () => {
  const clock = new ManualClock(100_000);
  const ticks = new WorldTicks(clock, 90_000, 100_496);
  expect(ticks.now()).toBe(524);
  clock.advance(1000);
  expect(ticks.now()).toBe(550);
});

test('without an earlier holder it begins by the clock', () => {
  const ticks = new WorldTicks(new ManualClock(100_000), 100_000, Number.NEGATIVE_INFINITY);
  expect(ticks.now()).toBe(0);
});
