import { describe, expect, it, test } from 'vitest';
import { NodeClock, ShardClock, SLEW_MAX } from './clock.ts';
import { readClockStart } from './clock-keeper.ts';
import { TestTime } from './testing/doubles/test-time.ts';

const START_MS = 1_700_000_000_000;

describe('the clock of a node', () => {
  it('[T9] starts no lower than the highest reading of an earlier run', async () => {
    const time = TestTime.standing(START_MS);
    const startAfter = (value: number) => {
      const store = { get: async <T>() => ({ key: ['clock'], value: value as T, version: 1 }) };
      return readClockStart(store, time);
    };
    expect(await startAfter(START_MS + 3_600_000)).toBe(START_MS + 3_600_000);
    expect(await startAfter(1000)).toBe(START_MS);
    expect(new NodeClock(time, START_MS + 7).now()).toBe(START_MS + 7);
  });

  it('[T9] gives whole milliseconds that never fall', async () => {
    const time = TestTime.standing(START_MS);
    const clock = new NodeClock(time, START_MS);
    const readings: number[] = [];
    for (let i = 0; i < 100; i++) {
      readings.push(clock.now());
      await time.advance(0.37);
    }
    expect(readings.every(Number.isInteger)).toBe(true);
    expect(readings).toEqual(readings.toSorted((a, b) => a - b));
    expect(readings.at(-1)).toBe(START_MS + Math.floor(99 * 0.37));
  });

  it('publishes every reading to the shards, whose own clock goes on beside it', async () => {
    const time = TestTime.standing(START_MS);
    const clock = new NodeClock(time, START_MS);
    const shard = new ShardClock(clock.words, clock.originMs, time);
    const read = clock.now();
    expect(shard.published()).toBe(read);
    await time.advance(20);
    expect(shard.published()).toBe(read);
    expect(shard.now()).toBe(read + 20);
    expect(clock.now()).toBe(read + 20);
    expect(shard.published()).toBe(read + 20);
  });

  it('[T9] stays as it is while the machine is awake, and catches up when it was suspended', async () => {
    const time = TestTime.standing(START_MS);
    const clock = new NodeClock(time, START_MS);
    await time.advance(60_000);
    expect(clock.catchUpAfterSuspend()).toBe(0);
    time.suspend(90_000);
    expect(clock.now()).toBe(START_MS + 60_000);
    expect(clock.catchUpAfterSuspend()).toBe(90_000);
    expect(clock.now()).toBe(START_MS + 150_000);
    expect(clock.catchUpAfterSuspend()).toBe(0);
  });

  it.each([3_600_000, -3_600_000])(
    '[T9] goes on as before where the wall clock jumps by %d ms',
    async (ms) => {
      const time = TestTime.standing(START_MS);
      const clock = new NodeClock(time, START_MS);
      const shard = new ShardClock(clock.words, clock.originMs, time);
      time.jumpWall(ms);
      expect(time.wallMs()).toBe(START_MS + ms);
      for (let tick = 0; tick < 10; tick++) {
        expect([clock.catchUpAfterSuspend(), clock.now()]).toEqual([0, START_MS + 20 * tick]);
        expect([shard.published(), shard.now()]).toEqual([clock.now(), clock.now()]);
        await time.advance(20);
      }
    },
  );
});

test('a clock with a limit runs on, but publishes nothing beyond it', async () => {
  const time = TestTime.standing(START_MS);
  const limits = { limitMs: Number.NEGATIVE_INFINITY, latestReadingMs: Number.POSITIVE_INFINITY };
  const clock = new NodeClock(time, START_MS, limits);
  const follower = new ShardClock(clock.words, clock.originMs, time);
  expect(clock.now()).toBe(START_MS);
  expect(follower.published()).toBe(0);
  limits.limitMs = time.now();
  await time.advance(20);
  expect(clock.now()).toBe(START_MS + 20);
  expect(follower.published()).toBe(START_MS);
  limits.limitMs = Number.POSITIVE_INFINITY;
  expect(follower.published()).toBe(START_MS);
  clock.now();
  expect(follower.published()).toBe(START_MS + 20);
});

test('a clock is never published beyond what a later holder starts above', async () => {
  const time = TestTime.standing(START_MS);
  const limits = { limitMs: Number.POSITIVE_INFINITY, latestReadingMs: Number.POSITIVE_INFINITY };
  const clock = new NodeClock(time, START_MS, limits);
  const follower = new ShardClock(clock.words, clock.originMs, time);
  limits.latestReadingMs = clock.latestReadingMs(time.now() + 1000);
  // Nor if it is moved forward as fast as it may be.
  for (let i = 0; i < 20; i++) {
    await time.advance(1 / SLEW_MAX);
    clock.move(1);
    clock.now();
    if (i < 5) expect(clock.now()).toBeLessThanOrEqual(limits.latestReadingMs);
  }
  expect(follower.published()).toBe(limits.latestReadingMs);
  expect(clock.now()).toBeGreaterThan(limits.latestReadingMs);
});

test('a clock that is moved back stands still meanwhile', async () => {
  const time = TestTime.standing(START_MS);
  const clock = new NodeClock(time, START_MS);
  clock.move(-5);
  expect(clock.now()).toBe(START_MS);
  await time.advance(4);
  expect(clock.now()).toBe(START_MS);
  await time.advance(4);
  expect(clock.now()).toBe(START_MS + 3);
  expect(clock.aheadMs(START_MS, time.now())).toBe(3);
});
