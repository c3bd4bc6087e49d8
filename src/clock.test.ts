import { describe, expect, it, test } from 'vitest';
import { monotonicMs, NodeClock, ShardClock } from './clock.ts';

describe('the clock of a node', () => {
  it('starts no lower than the highest reading of an earlier run', () => {
    const ahead = Date.now() + 3_600_000;
    expect(new NodeClock(ahead).now()).toBeGreaterThanOrEqual(ahead);
    expect(new NodeClock(1000).now()).toBeGreaterThanOrEqual(Date.now() - 1000);
  });

  it('gives whole milliseconds that never fall', () => {
    const clock = new NodeClock();
    let last = clock.now();
    for (let i = 0; i < 10_000; i++) {
      const now = clock.now();
      expect(Number.isInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  it('publishes every reading to the shards, whose own clock goes on beside it', async () => {
    const clock = new NodeClock();
    const shard = new ShardClock(clock.words, clock.originMs);
    const read = clock.now();
    expect(shard.published()).toBe(read);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(shard.published()).toBe(read);
    expect(shard.now()).toBeGreaterThan(read);
    expect(clock.now()).toBeGreaterThanOrEqual(shard.published());
  });

  it('stays as it is while the machine is awake', () => {
    expect(new NodeClock().catchUpAfterSuspend()).toBe(0);
  });
});

test('a clock with a limit runs on, but publishes nothing beyond it', () => {
  let limitMs = Number.NEGATIVE_INFINITY;
  const clock = new NodeClock(0, () => limitMs);
  const follower = new ShardClock(clock.words, clock.originMs);
  expect(clock.now()).toBeGreaterThan(0);
  expect(follower.published()).toBe(0);
  limitMs = monotonicMs();
  const atLimit = clock.now();
  const waitedMs = performance.now() + 20;
  while (performance.now() < waitedMs);
  expect(clock.now()).toBeGreaterThan(atLimit + 10);
  expect(follower.published()).toBeGreaterThan(0);
  expect(follower.published()).toBeLessThanOrEqual(atLimit);
  limitMs = Number.POSITIVE_INFINITY;
  const now = clock.now();
  expect(follower.published()).toBe(now);
});
