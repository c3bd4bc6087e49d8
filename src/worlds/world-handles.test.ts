import { expect, it } from 'vitest';
import { HANDLES_MAX } from '../limits.ts';
import type { OwnedWorld } from './owned-world.ts';
import { WorldHandles } from './world-handles.ts';

const NOW_MS = 100_000;

/** Worlds at hand, more than there should be: of the first three, one is busy, one was just called. */
function setUp() {
  const retired: number[] = [];
  const handles = new WorldHandles();
  for (let number = 0; number < HANDLES_MAX + 3; number++) {
    const world = {
      number,
      isBusy: number === 1,
      lastTouchMs: number === 2 ? NOW_MS : 0,
      retire: async () => void retired.push(number),
    };
    // Added as if it had just been called, so that nothing is evicted yet.
    handles.add(world as unknown as OwnedWorld, -NOW_MS);
  }
  return { handles, retired };
}

it('retires what it evicts, and nothing that is in use', () => {
  const { handles, retired } = setUp();
  expect(retired).toEqual([]);
  handles.trim(NOW_MS);
  expect(retired).toEqual([0, 3, 4]);
  expect(handles.size).toBe(HANDLES_MAX);
  const world = { number: 9999, isBusy: true, retire: async () => {} } as unknown as OwnedWorld;
  handles.add(world, NOW_MS);
  expect(retired.length).toBeGreaterThan(3);
  for (const number of retired) expect(handles.get(number)).toBeUndefined();
});
