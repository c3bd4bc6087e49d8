import { expect, it } from 'vitest';
import type { Snapshot } from '../api/types.ts';
import { framesAround } from '../live/interpolation.ts';
import { extent, isSlow, played, within } from './timeline.ts';

const frames = [596, 600, 604].map((tick) => ({ tick }) as Snapshot);
const around = (tick: number) => framesAround(frames, tick)?.map((frame) => frame.tick);

it('finds the frames around a tick', () => {
  expect(around(597)).toEqual([596, 600]);
  expect(around(600)).toEqual([600, 604]);
  expect(around(500)).toEqual([596, 596]);
  expect(around(604)).toEqual([604, 604]);
  expect(framesAround([], 600)).toBeNull();
});

it('goes from the first frame to the last', () => {
  expect(extent(frames)).toEqual([596, 604]);
  expect([500, 601, 700].map((tick) => within(tick, [596, 604]))).toEqual([596, 601, 604]);
});

it('plays at a part of real time and stops at the end', () => {
  // A tenth of a second is five ticks.
  const range = { contactTick: 900, end: 604 };
  expect(played(500, 0.1, 1, range)).toBe(505);
  expect(played(500, 0.1, 0.25, range)).toBe(501.25);
  expect(played(600, 1, 1, range)).toBe(604);
});

it('is in slow motion around the contact, unless a speed was chosen', () => {
  const range = { contactTick: 520, end: 604 };
  expect(played(500, 0.1, 1, range)).toBe(501.5);
  expect(played(500, 0.1, 0.5, range)).toBe(502.5);
  expect(played(480, 0.1, 1, range)).toBe(485);
  expect([484, 485, 544, 545].map((tick) => isSlow(tick, 520))).toEqual([false, true, true, false]);
});
