import { describe, expect, it, test } from 'vitest';
import { NodeClock, ShardClock } from './clock.ts';
import { TestTime } from './testing/doubles/test-time.ts';

const START_MS = 1_700_000_000_000;

describe('the clock of a node', () => {
  it('[T9] starts no lower than the highest reading of an earlier run', () => {
    const time = TestTime.standing(START_MS);
    expect(new NodeClock(time, START_MS + 3_600_000).now()).toBe(START_MS + 3_600_000);
    expect(new NodeClock(time, 1000).now()).toBe(START_MS);
  });

  it('[T9] gives whole milliseconds that never fall', async () => {
    const time = TestTime.standing(START_MS);
    const clock = new NodeClock(time);
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
    const clock = new NodeClock(time);
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
    const clock = new NodeClock(time);
    await time.advance(60_000);
    expect(clock.catchUpAfterSuspend()).toBe(0);
    time.suspend(90_000);
    expect(clock.now()).toBe(START_MS + 60_000);
    expect(clock.catchUpAfterSuspend()).toBe(90_000);
    expect(clock.now()).toBe(START_MS + 150_000);
    expect(clock.catchUpAfterSuspend()).toBe(0);
  });
});

test('a clock with a limit runs on, but publishes nothing beyond it', async () => {
  const time = TestTime.standing(START_MS);
  let limitMs = Number.NEGATIVE_INFINITY;
  const clock = new NodeClock(time, 0, () => limitMs);
  const follower = new ShardClock(clock.words, clock.originMs, time);
  expect(clock.now()).toBe(START_MS);
  expect(follower.published()).toBe(0);
  limitMs = time.now();
  await time.advance(20);
  expect(clock.now()).toBe(START_MS + 20);
  expect(follower.published()).toBe(START_MS);
  limitMs = Number.POSITIVE_INFINITY;
  expect(follower.published()).toBe(START_MS);
  clock.now();
  expect(follower.published()).toBe(START_MS + 20);
});
