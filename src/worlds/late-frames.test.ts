import { expect, test } from 'vitest';
import { LateFrames } from './late-frames.ts';

const CREATED_MS = 1_000_000;
/** When the frame of tick 104 is due. */
const DUE_MS = CREATED_MS + 2080;
const world = (frameTick?: number) => ({ createdAtMs: CREATED_MS, frameTick });

test('a frame that comes before the next one is due is not late', () => {
  const late = new LateFrames();
  late.framed(world(), 104, DUE_MS);
  late.framed(world(100), 104, DUE_MS + 80);
  expect(late.count).toBe(0);
  late.framed(world(100), 104, DUE_MS + 81);
  expect(late.count).toBe(1);
});

test('frames that were left out count, and those before the first one do not', () => {
  const late = new LateFrames();
  late.framed(world(), 104, DUE_MS);
  late.framed(world(92), 104, DUE_MS);
  expect(late.count).toBe(2);
});
