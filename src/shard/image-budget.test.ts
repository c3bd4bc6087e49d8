import { expect, test } from 'vitest';
import { SLAB_BYTES } from '../../assembly/layout.ts';
import { HEARTBEAT_MS, IMAGE_BYTES_PER_S, STORED_IMAGE_TICKS } from '../limits.ts';
import { ImageBudget } from './image-budget.ts';

const bytes = new Uint8Array(SLAB_BYTES);
const world = (tick: number) => ({ images: [{ tick, seq: 0, bytes }], storedTick: 0 });

/** How many of a thousand worlds, whose images are all due, have theirs taken. */
function takenBy(budget: ImageBudget): number {
  const due = Array.from({ length: 1000 }, () => world(STORED_IMAGE_TICKS));
  return due.filter((each) => budget.take(each) !== undefined).length;
}

test('images that are due together are taken some at each heartbeat, and none are saved up', () => {
  const budget = new ImageBudget();
  const perHeartbeat = Math.floor((IMAGE_BYTES_PER_S * HEARTBEAT_MS) / 1000 / SLAB_BYTES);
  expect(takenBy(budget)).toBe(perHeartbeat);
  expect(takenBy(budget)).toBe(0);
  for (let i = 0; i < 10; i++) budget.refill();
  expect(takenBy(budget)).toBe(perHeartbeat);
});

test('an image is taken once the world has moved far enough, as a copy', () => {
  const budget = new ImageBudget();
  expect(budget.take(world(STORED_IMAGE_TICKS - 1))).toBeUndefined();
  const image = budget.take(world(STORED_IMAGE_TICKS));
  expect(image?.bytes).toEqual(bytes);
  expect(image?.bytes.buffer).not.toBe(bytes.buffer);
});
