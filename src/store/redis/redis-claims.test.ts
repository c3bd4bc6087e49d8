import { afterAll, beforeAll } from 'vitest';
import { createLog } from '../../log.ts';
import { systemRandom } from '../../random.ts';
import { RedisDouble } from '../../testing/doubles/redis-double.ts';
import { RedisData } from '../../testing/doubles/redis-scripts.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { startRedis, type TestRedis } from '../../testing/rigs/redis.ts';
import { claimsSuite } from '../../testing/suites/store/claims.suite.ts';
import type { SharedStore } from '../../testing/suites/store/shared-store.ts';
import type { MakeClient } from './redis-client.ts';
import { openRedis, type RedisStore } from './redis-store.ts';

/** Nothing expires in Redis while a test runs, unless the test has its time pass. */
const LEASE_MS = 50_000;

/** Processes on one server. */
function processes(time: TestTime, url: string, makeClient?: MakeClient) {
  const stores: RedisStore[] = [];
  return {
    async open(nodeName: string): Promise<RedisStore> {
      const settings = { url, nodeName, leaseMs: LEASE_MS };
      const parts = { time, random: systemRandom, log: createLog('silent') };
      const store = await openRedis(settings, { ...parts, ...(makeClient && { makeClient }) });
      stores.push(store);
      store.serve();
      return store;
    },
    closeAll: () => Promise.all(stores.map((store) => store.close())),
  };
}

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis('--appendfsync', 'no');
});
afterAll(() => redis.discard());

claimsSuite('processes on Redis', async () => {
  const time = TestTime.running();
  const { open, closeAll } = processes(time, redis.url);
  const shared: SharedStore = {
    ...{ time, leaseMs: LEASE_MS, open },
    jump: (ms) => redis.moveClock(ms),
    async pass(ms) {
      await redis.moveClock(ms);
      await time.jump(ms);
    },
    pause: () => redis.pause(),
    resume: () => redis.resume(),
    keepData: () => redis.keepData(),
    loseTail: () => redis.loseTail(),
    async endConnections() {
      await redis.ask('CLIENT KILL TYPE normal');
    },
    async destroy() {
      redis.resume();
      await closeAll();
      await redis.ask('FLUSHALL');
    },
  };
  return shared;
});

claimsSuite('processes on a double of Redis', async () => {
  const time = TestTime.running();
  const double = new RedisDouble({ time });
  const { open, closeAll } = processes(time, 'redis://a.double', double.makeClient);
  const kept = new RedisData(double.data.nowMs);
  const shared: SharedStore = {
    ...{ time, leaseMs: LEASE_MS, open },
    async jump(ms) {
      double.clockAheadMs += ms;
    },
    pass: (ms) => time.jump(ms),
    pause: () => double.pause(),
    resume: () => double.resume(),
    keepData: async () => double.data.copyTo(kept),
    loseTail: async () => kept.copyTo(double.data),
    endConnections: async () => double.endConnections(),
    async destroy() {
      double.resume();
      await closeAll();
    },
  };
  return shared;
});
