import { expect, test } from 'vitest';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { someTicks } from './comparison.ts';

test('of a world that is known from a tick on, as many ticks are compared, all of them known', () => {
  const compared = { endTick: 95_000, liveTick: 90_000, ticks: 100 };
  for (const firstTick of [0, 60_000, 94_900]) {
    const ticks = someTicks(firstTick, compared, new Dice(1));
    expect(ticks).toHaveLength(100);
    expect(ticks.every((tick) => tick >= firstTick && tick <= 95_000)).toBe(true);
  }
  const isOld = (tick: number) => tick < 90_000;
  expect(someTicks(0, compared, new Dice(1)).filter(isOld).length).toBeGreaterThan(30);
});
