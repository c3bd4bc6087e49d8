import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Ranges } from '../../cluster/ranges.ts';
import { systemRandom } from '../../random.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { startRedis, type TestRedis } from '../../testing/rigs/redis.ts';
import { until } from '../../testing/rigs/until.ts';
import type { Grant } from '../contract.ts';
import { openRedis, type RedisSettings, type RedisStore } from './redis-store.ts';

/** Nothing expires in Redis while a test runs; the process's clock is moved instead. */
const LEASE_MS = 60_000;
const RENEWAL_MS = LEASE_MS / 4;
/** The lease of a process that is gone. */
const OTHER = 'other:0123456789abcdef#1';

let redis: TestRedis;
let time: TestTime;
const stores: RedisStore[] = [];
let heard: string[] = [];
let logged: string[] = [];
beforeAll(async () => {
  // The machine never loses power here: no test needs to wait for a disk.
  redis = await startRedis('--appendfsync', 'no');
});
beforeEach(() => {
  time = TestTime.running();
  heard = [];
  logged = [];
});
afterEach(async () => {
  redis.resume();
  await redis.start();
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await redis.ask('FLUSHALL');
});
afterAll(() => redis.discard());

const log = pino(
  { base: null },
  {
    write(line) {
      const { msg, reason, partitions } = JSON.parse(line);
      logged.push(msg);
      heard.push([msg, partitions, reason].filter((part) => part !== undefined).join(': '));
    },
  },
);

/** The store of a node that serves. */
async function open(nodeName: string, settings: Partial<RedisSettings> = {}): Promise<RedisStore> {
  const store = await openStarting(nodeName, settings);
  store.serve();
  return store;
}

/** The partitions of a node, all of them. */
const held = new Map<RedisStore, Ranges>();
const rangesOf = (store: RedisStore) => held.get(store) as Ranges;
const isShown = (store: RedisStore) => rangesOf(store).isShown(5, time.now());

/** The store of a node that still starts. */
async function openStarting(
  nodeName: string,
  settings: Partial<RedisSettings> = {},
): Promise<RedisStore> {
  const store = await openRedis(
    { url: redis.url, nodeName, leaseMs: LEASE_MS, ...settings },
    { time, random: systemRandom, log },
  );
  stores.push(store);
  const ranges = new Ranges(store.claims, { log, time });
  held.set(store, ranges);
  await ranges.start();
  return store;
}

async function holdsAgainOnceFree(store: RedisStore): Promise<void> {
  // The leases that it held under former names would keep it waiting as well.
  await redis.endLeases();
  await time.advance(RENEWAL_MS);
  await holdsAgain(store);
}

const holdsAgain = (store: RedisStore) =>
  until('the store is held again', () => store.isReady && isShown(store));

const car = { key: ['p', 5, 'car'], value: 1 };
const write = (store: RedisStore, value = 1) =>
  store.commit([], [{ ...car, value }], rangesOf(store).grantOf(5));

test('a second process is refused and learns the name of the holder', async () => {
  // Its renewals show within a few readings of the lease.
  await open('first', { leaseMs: 1000 });
  await expect(open('second')).rejects.toThrow(
    /^the store at redis:\/\/127\.0\.0\.1:\d+: it is in use: node "first" holds the lease/,
  );
});

test('one of two processes that wait for a lease gets it', async () => {
  await redis.ask(`SET dt:{dp}:lease ${OTHER} PX 50`);
  const results = await Promise.allSettled([open('first'), open('second')]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('[O10] a start waits until the leases of a dead process expire, in every slot', async () => {
  await redis.ask(`SET dt:{dp}:lease ${OTHER} PX 30`, `SET dt:{p05}:lease ${OTHER} PX 60`);
  const store = await open('next');
  expect(await redis.ask('GET dt:{p05}:lease')).toContain('next:');
  expect(await write(store)).toBe(true);
});

test('[O10] a closed store is free at once', async () => {
  await (await open('first')).close();
  expect(await redis.ask('EXISTS dt:{dp}:lease dt:{p00}:lease dt:{p63}:lease')).toContain(':0');
  expect(await write(await open('second'))).toBe(true);
});

test('[O9] a server that does not answer is named, without the password', async () => {
  const opening = expect(open('node', { url: 'redis://user:se@cret@127.0.0.1:1' })).rejects.toThrow(
    /^the store at redis:\/\/127\.0\.0\.1:1: no answer: /,
  );
  await time.advance(30_000);
  await opening;
});

test('[O13] a start waits until Redis answers, and says so', async () => {
  redis.pause();
  const opening = openStarting('next');
  await time.advance(15_000);
  expect(logged).toEqual(['the start waits for Redis']);
  redis.resume();
  expect(await write(await opening)).toBe(true);
});

test('[O13] a command of a node that starts has longer than one of a node that serves', async () => {
  const limit = { commandTimeoutMs: 100 };
  const serving = await open('serving', limit);
  const starting = await openStarting('starting', { url: `${redis.url}/1`, ...limit });
  await write(starting);
  redis.pause();
  const asked = [starting.get(car.key), write(starting, 2)];
  await expect(serving.get(car.key)).rejects.toMatchObject({ reason: 'failed' });
  redis.resume();
  expect(await Promise.all(asked)).toEqual([expect.objectContaining({ value: 1 }), true]);
});

test('[O13] a node that starts repeats what Redis refused', async () => {
  const store = await openStarting('node');
  await redis.ask('CLIENT KILL TYPE normal SKIPME yes');
  await until('the end of the connection', () => !store.isReady);
  const asked = [store.get(car.key), write(store)];
  expect(await Promise.all(asked)).toEqual([undefined, true]);
  await redis.endLeases();
  expect(await write(store, 2)).toBe(true);
});

test('[R24] a process whose lease was taken writes nothing, even before it notices', async () => {
  const store = await open('paused');
  await write(store);
  // In the slot of this key alone, where nothing else fences it.
  await redis.ask(`SET dt:{p05}:lease ${OTHER} PX 100000`);
  const lost = { name: 'StoreUnavailable', reason: 'failed' };
  await expect(write(store, 2)).rejects.toMatchObject(lost);
  const removing = store.commit([], [{ key: car.key, remove: true }], rangesOf(store).grantOf(5));
  await expect(removing).rejects.toMatchObject(lost);
  expect((await store.get(car.key))?.value).toBe(1);
});

test('a lost partition is reported, and taken again once it is free', async () => {
  const store = await open('node');
  const lost = rangesOf(store).grantOf(5) as Grant;
  await redis.ask(`SET dt:{p05}:lease ${OTHER} PX 100000`);
  await time.advance(RENEWAL_MS);
  await until('the loss', () =>
    heard.includes('this node has lost partitions: 1: node "other" holds it'),
  );
  expect(isShown(store)).toBe(false);
  expect(rangesOf(store).isShown(6, time.now())).toBe(true);
  await redis.ask('DEL dt:{p05}:lease');
  await time.advance(RENEWAL_MS);
  await holdsAgain(store);
  expect(await write(store)).toBe(true);
  // What began under the lost grant has no effect any more.
  await expect(store.commit([], [car], lost)).rejects.toMatchObject({ reason: 'failed' });
  expect(rangesOf(store).grantOf(5)?.epoch).toBeGreaterThan(lost.epoch);
});

test('the lease of a node that is lost is taken again once it is free', async () => {
  const store = await open('node');
  await redis.ask(`SET dt:{dp}:lease ${OTHER} PX 100000`);
  await time.advance(RENEWAL_MS);
  await until('the loss', () => !store.isReady);
  expect(heard.at(-1)).toBe(
    'this node has lost the lease of the store: node "other" holds the lease',
  );
  const account = [{ key: ['account'], value: 1 }];
  await expect(store.commit([], account)).rejects.toMatchObject({ reason: 'failed' });
  await holdsAgainOnceFree(store);
  expect(await store.commit([], account)).toBe(true);
});

test('an expired lease that no other process took is held again', async () => {
  const store = await open('node');
  await write(store);
  const grant = rangesOf(store).grantOf(5);
  heard = [];
  await redis.kill();
  await time.advance(LEASE_MS);
  expect(heard).toEqual([
    'the store does not answer and the lease has expired',
    'the store does not answer and leases have expired: their streams are closed: 64',
  ]);
  expect(isShown(store)).toBe(false);
  await expect(write(store, 2)).rejects.toMatchObject({ reason: 'failed' });
  await redis.start();
  await holdsAgain(store);
  expect(rangesOf(store).grantOf(5)).toBe(grant);
  expect((await store.get(car.key))?.value).toBe(1);
  expect(await write(store, 2)).toBe(true);
});

test('a partition that lost its last writes is lost', async () => {
  const store = await open('node');
  await write(store);
  await redis.ask('SET dt:{p05}:version 1');
  await time.advance(RENEWAL_MS);
  await until('the loss', () =>
    heard.includes('this node has lost partitions: 1: the store lost its last writes'),
  );
  await holdsAgainOnceFree(store);
  const before = (await store.get(car.key))?.version;
  expect(await write(store)).toBe(true);
  expect((await store.get(car.key))?.version).toBeGreaterThan(before ?? 0);
});

test('[R34] an emptied server is neither read nor written until its data is back', async () => {
  const store = await open('node');
  const account = { key: ['account'], value: 1 };
  await store.commit([], [account]);
  await write(store);
  heard = [];
  await redis.ask('SWAPDB 0 1');
  // Before the next renewal: what is missing may have existed.
  await expect(store.get(['p', 5, 'other'])).rejects.toMatchObject({ reason: 'failed' });
  await expect(write(store, 2)).rejects.toMatchObject({ reason: 'failed' });
  const message = /^this node has lost the lease .*restore it from a backup, or restart/;
  await until('the loss', () => heard.some((line) => message.test(line)));
  await until('the loss of the partitions', () => !isShown(store));
  await time.advance(3 * RENEWAL_MS);
  expect(heard).toHaveLength(2);
  expect(store.trouble).toContain('lost all its data');
  await expect(store.get(account.key)).rejects.toMatchObject({ reason: 'failed' });
  await expect(store.list([], { limit: 1 })).rejects.toMatchObject({ reason: 'failed' });
  expect(await redis.ask('DBSIZE')).toContain(':0');

  await redis.ask('SWAPDB 0 1');
  await holdsAgainOnceFree(store);
  expect([store.trouble, (await store.get(account.key))?.value]).toEqual([undefined, 1]);
  expect(await write(store, 2)).toBe(true);
});

test('a read shows for good how a commit of unknown outcome ended', async () => {
  const store = await open('node', { commandTimeoutMs: 100 });
  for (let round = 0; round < 3; round++) {
    redis.pause();
    const asked = [1, 2, 3].map((part) =>
      store.commit([], [{ key: ['n', round, part], value: 0 }]),
    );
    for (const one of asked) await expect(one).rejects.toMatchObject({ reason: 'unknown' });
    await expect(store.commit([], [])).rejects.toMatchObject({ reason: 'failed' });
    redis.resume();
    await until('the connection', () => store.isReady);
    const found = await store.list(['n', round], { limit: 10 });
    expect(await store.commit([], [{ key: ['m', round], value: 0 }])).toBe(true);
    await redis.ask('PING');
    expect(await store.list(['n', round], { limit: 10 })).toEqual(found);
  }
});

test('a new connection fences off the old one', async () => {
  const store = await open('node');
  await write(store);
  const holder = /node:[0-9a-f]+\.\d+#\d+/;
  const before = holder.exec(await redis.ask('GET dt:{p05}:lease'))?.[0];
  await redis.ask('CLIENT KILL TYPE normal SKIPME yes');
  await until('the end of the connection', () => !store.isReady);
  await until('another connection', () => store.isReady);
  const after = holder.exec(await redis.ask('GET dt:{p05}:lease'))?.[0];
  const session = (token = '') => Number(token.split('#')[1]);
  expect(session(after)).toBeGreaterThan(session(before));
  expect(await write(store, 2)).toBe(true);
});

test('[O7] Redis settings that may lose answered writes are reported', async () => {
  const store = await open('node');
  await redis.ask('CONFIG SET appendfsync always');
  expect(await store.warnings()).toEqual([]);
  await redis.ask('CONFIG SET appendfsync everysec', 'CONFIG SET maxmemory-policy allkeys-lru');
  const warnings = await store.warnings();
  await redis.ask('CONFIG SET appendfsync no', 'CONFIG SET maxmemory-policy noeviction');
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain('appendfsync is everysec');
});

test('writes are refused while Redis has no memory for them', async () => {
  const store = await open('node');
  await redis.ask('CONFIG SET maxmemory 1');
  await expect(write(store)).rejects.toMatchObject({ reason: 'full' });
  await redis.ask('CONFIG SET maxmemory 0');
  expect(await store.get(car.key)).toBeUndefined();
  expect(await write(store)).toBe(true);
});

test('[O8] the documented rights of an account are enough', async () => {
  await redis.ask(
    'ACL SETUSER twin on >secret ~dt:* resetchannels -@all +@read +@write +@scripting +@connection +info +time',
  );
  const store = await open('node', { url: redis.url.replace('//', '//twin:secret@') });
  expect(await write(store)).toBe(true);
  expect(await store.list(['p', 5], { limit: 1 })).toHaveLength(1);
  expect(await store.warnings()).toEqual([]);
});
