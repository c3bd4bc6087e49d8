import { afterAll, beforeAll, describe } from 'vitest';
import { startRedis, type TestRedis } from '../../testing/redis.ts';
import { storeSuite } from '../contract.suite.ts';
import { openRedis } from './store.ts';

const LEASE_MS = 6000;

/** Nothing is killed here: no test needs to wait for a disk. */
const QUICK = ['--appendfsync', 'no'];
/** A server that takes only keys of one slot in a script, as each of a cluster does. */
const CLUSTER = ['--cluster-enabled', 'yes'];

describe.each([
  ['redis', []],
  ['redis, a server of a cluster', CLUSTER],
] as const)('%s', (name, settings) => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis(...QUICK, ...settings);
    if (settings === CLUSTER) await redis.ask('CLUSTER ADDSLOTSRANGE 0 16383');
  });
  afterAll(() => redis.discard());

  storeSuite(name, async () => {
    const open = () => openRedis({ url: redis.url, nodeName: 'test', leaseMs: LEASE_MS });
    let store = await open();
    return {
      store,
      async reopen() {
        await store.close();
        store = await open();
        return store;
      },
      async destroy() {
        await store.close();
        await redis.ask('FLUSHALL');
      },
    };
  });
});
