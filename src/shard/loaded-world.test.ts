import { expect, test } from 'vitest';
import { FRAME_TICKS } from '../../assembly/layout.ts';
import { STORED_IMAGE_TICKS } from '../limits.ts';
import { makeKernel, makeWorld } from '../testing/rigs/kernel.ts';
import { loadedWorld } from '../testing/rigs/manual-shard.ts';

test('worlds of one age have their images stored as often as each other, and not at once', () => {
  const kernel = makeKernel(40);
  const firstQuarters = [0, 0, 0, 0];
  for (let number = 1; number <= 40; number++) {
    const world = loadedWorld(kernel, { number, slab: makeWorld(kernel, number) });
    expect(world.isImageDue).toBe(false);
    const storedTicks: number[] = [];
    while (world.tick < 2 * STORED_IMAGE_TICKS) {
      world.advance(world.tick + FRAME_TICKS, FRAME_TICKS);
      if (!world.isImageDue) continue;
      storedTicks.push(world.tick);
      world.storedTick = world.tick;
    }
    const [first = 0, second = 0] = storedTicks;
    expect(storedTicks).toHaveLength(2);
    expect(second - first).toBe(STORED_IMAGE_TICKS);
    const quarter = Math.ceil((4 * first) / STORED_IMAGE_TICKS) - 1;
    firstQuarters[quarter] = (firstQuarters[quarter] ?? 0) + 1;
  }
  expect(Math.min(...firstQuarters)).toBeGreaterThan(7);
});
