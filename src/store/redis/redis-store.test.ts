import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../log.ts';
import { systemRandom } from '../../random.ts';
import { startRedis, type TestRedis } from '../../testing/rigs/redis.ts';
import { until } from '../../testing/rigs/until.ts';
import { storeSuite } from '../../testing/suites/store/contract.suite.ts';
import { systemTime } from '../../time.ts';
import { openRedis } from './redis-store.ts';

const LEASE_MS = 6000;

/** Nothing is killed here: no test needs to wait for a disk. */
const QUICK = ['--appendfsync', 'no'];
/** A cluster of one, which takes only keys of one slot in a script, as any does. */
const CLUSTER = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];

describe.each([
  ['redis', []],
  ['redis, a cluster', CLUSTER],
] as const)('%s', (name, settings) => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis(...QUICK, ...settings);
    if (settings !== CLUSTER) return;
    await redis.ask('CLUSTER ADDSLOTSRANGE 0 16383');
    await until('a cluster', async () =>
      (await redis.ask('CLUSTER INFO')).includes('cluster_state:ok'),
    );
  });
  afterAll(() => redis.discard());

  storeSuite(name, async () => {
    const url = settings === CLUSTER ? redis.url.replace('redis:', 'redis+cluster:') : redis.url;
    const open = () =>
      openRedis(
        { url, nodeName: 'test', leaseMs: LEASE_MS },
        { time: systemTime, random: systemRandom, log: createLog('silent') },
      );
    const under = {
      store: await open(),
      async reopen() {
        await under.store.close();
        under.store = await open();
      },
      async destroy() {
        await under.store.close();
        await redis.ask('FLUSHALL');
      },
    };
    return under;
  });

  it('takes a commit of more writes than arguments fit on the stack', async () => {
    const { url } = redis;
    const ofCluster = settings === CLUSTER ? url.replace('redis:', 'redis+cluster:') : url;
    const store = await openRedis(
      { url: ofCluster, nodeName: 'test', leaseMs: 60_000 },
      { time: systemTime, random: systemRandom, log: createLog('silent') },
    );
    const writes = Array.from({ length: 50_000 }, (_, i) => ({ key: ['many', i], value: i }));
    expect(await store.commit([], writes)).toBe(true);
    expect((await store.get(['many', 49_999]))?.value).toBe(49_999);
    await store.close();
    await redis.ask('FLUSHALL');
  });
});
