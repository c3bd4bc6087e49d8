import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { systemRandom } from '../random.ts';
import { openRedis } from '../store/redis/redis-store.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { Observer } from './observer.ts';
import { Trace } from './trace.ts';
import { WatchedRedis } from './watched-redis.ts';

const HOUR_MS = 3_600_000;

test('a jump of its clock is taken back before a node starts, unless another has told of it', async () => {
  const time = TestTime.running();
  const nowMs = () => time.now();
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const settings = { idleMs: HOUR_MS, earlyMs: 0, leaseMs: 6000, plannedMs: 0 };
  const { ledger } = new Observer(settings, { nowMs, trace: new Trace(nowMs), failed });
  const redis = new WatchedRedis(time, ledger, { failed, unfenced: undefined });
  const parts = { time, random: systemRandom, log: createLog('silent') };
  const store = await openRedis(
    { url: 'redis://a.double', nodeName: 'n1', leaseMs: 6000 },
    { ...parts, makeClient: redis.makeClient },
  );
  store.serve();
  try {
    const { heartbeats } = store;
    const { clockMs } = await heartbeats.send('starts', undefined);
    await heartbeats.send('serves', clockMs);
    redis.clockAheadMs += HOUR_MS;
    redis.save();
    await heartbeats.send('starts', undefined);
    expect(redis.clockAheadMs).toBe(0);
    redis.clockAheadMs += HOUR_MS;
    await heartbeats.send('serves', clockMs);
    await heartbeats.send('starts', undefined);
    expect(redis.clockAheadMs).toBe(HOUR_MS);
    // It has lost that it was told.
    redis.killWithoutTail();
    redis.start();
    await expect
      .poll(() => heartbeats.send('starts', undefined).catch(() => undefined))
      .toBeDefined();
    expect(redis.clockAheadMs).toBe(0);
    expect(failures).toEqual([]);
  } finally {
    await store.close();
  }
});
