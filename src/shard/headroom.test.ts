import { expect, test } from 'vitest';
import { Headroom, type HotWindow } from './headroom.ts';

const IN_TIME: HotWindow = { hotCount: 1000, frames: 6250, lateFrames: 0, hotPerMille: 700 };
const LATE: HotWindow = { ...IN_TIME, lateFrames: 600 };

function observe(headroom: Headroom, window: HotWindow, times = 1): number {
  for (let i = 0; i < times; i++) headroom.observe(window);
  return headroom.worldsMax;
}

/** Windows without lateness until the ceiling rises. */
function windowsToStep(headroom: Headroom): number {
  const before = headroom.worldsMax;
  for (let i = 1; i <= 10_000; i++) {
    if (observe(headroom, { ...IN_TIME, hotCount: before }) > before) return i;
  }
  throw new Error('it never rose');
}

test('a hiccup changes nothing', () => {
  const headroom = new Headroom();
  expect(observe(headroom, LATE)).toBe(Number.POSITIVE_INFINITY);
  expect(observe(headroom, { ...IN_TIME, lateFrames: 100 }, 100)).toBe(Number.POSITIVE_INFINITY);
});

test('late frames close it until none was late for 5 s, and leave a ceiling', () => {
  const headroom = new Headroom();
  expect(observe(headroom, LATE, 2)).toBe(0);
  expect(observe(headroom, IN_TIME, 5)).toBe(0);
  expect(observe(headroom, LATE, 10)).toBe(0);
  expect(observe(headroom, IN_TIME, 9)).toBe(0);
  expect(observe(headroom, IN_TIME)).toBe(937);
});

test('frames that are late while there is little to do are not late because of the worlds', () => {
  const headroom = new Headroom();
  expect(observe(headroom, { ...LATE, hotCount: 3, hotPerMille: 20 }, 20)).toBe(
    Number.POSITIVE_INFINITY,
  );
});

test('a full shard rises in steps, which become rarer where they end in lateness', () => {
  const headroom = new Headroom();
  const closeAgain = () => {
    observe(headroom, { ...LATE, hotCount: 990 }, 2);
    return observe(headroom, IN_TIME, 10);
  };
  closeAgain();
  expect(observe(headroom, { ...IN_TIME, hotCount: 500 }, 1000)).toBe(928);
  const waits = Array.from({ length: 6 }, () => {
    const windows = windowsToStep(headroom);
    closeAgain();
    return windows;
  });
  expect(waits).toEqual([20, 40, 80, 160, 320, 600]);
  // These steps hold, so the next ones are soon again.
  expect([1, 2, 3, 4].map(() => windowsToStep(headroom))).toEqual([600, 600, 600, 20]);
});
