import { expect, test } from 'vitest';
import { NodeClock } from '../clock.ts';
import type { ClusterView } from '../store/contract.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { ClockSync, clusterReadingMs } from './clock-sync.ts';

const START_MS = 1_700_000_000_000;

/** A heartbeat whose answer took a while on the way there, and on the way back. */
function viewOf(clusterMs: number, time: TestTime, [thereMs, backMs] = [0, 0]): ClusterView {
  const answeredMs = time.now();
  const sentMs = answeredMs - thereMs - backMs;
  return { clockMs: clusterMs - backMs, sentMs, answeredMs, nodes: new Map() };
}

test('the reading of the cluster is taken from the middle of a round trip', async () => {
  const time = TestTime.standing();
  const view = viewOf(START_MS, time, [10, 10]);
  expect(clusterReadingMs(view, time.now())).toBe(START_MS);
  await time.advance(500);
  expect(clusterReadingMs(view, time.now())).toBe(START_MS + 500);
});

test.each([40, -40])('a clock that is %i ms off comes into step slowly', async (offMs) => {
  const time = TestTime.standing(START_MS);
  const clock = new NodeClock(time, START_MS + offMs);
  const sync = new ClockSync(clock, time);
  const zeroMs = time.now();
  let last = clock.now();
  for (let second = 1; second <= 10; second++) {
    sync.heard(viewOf(START_MS + time.now() - zeroMs, time));
    await time.advance(1000);
    const passedMs = clock.now() - last;
    expect(passedMs).toBeGreaterThanOrEqual(994);
    expect(passedMs).toBeLessThanOrEqual(1006);
    last = clock.now();
  }
  expect(Math.abs(clock.now() - START_MS - (time.now() - zeroMs))).toBeLessThanOrEqual(1);
  expect(Math.abs(sync.offsetMs)).toBeLessThanOrEqual(1);
  sync.stop();
});

test('one slow answer among fast ones does not count', async () => {
  const time = TestTime.standing(START_MS);
  const clock = new NodeClock(time, START_MS);
  const sync = new ClockSync(clock, time);
  sync.heard(viewOf(START_MS, time));
  // All of the delay was on the way back.
  sync.heard(viewOf(START_MS, time, [0, 600]));
  expect(sync.offsetMs).toBe(0);
  await time.advance(5000);
  expect(clock.now()).toBe(START_MS + 5000);
  sync.stop();
});
