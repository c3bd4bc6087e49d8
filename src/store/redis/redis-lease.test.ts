import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startRedis, type TestRedis } from '../../testing/rigs/redis.ts';
import { openRedis, type RedisStore, type Standing } from './redis-store.ts';

/** As short as it may be set. */
const LEASE_MS = 1000;
/** A lease that nobody renews, of a process that is gone. */
const OTHER = 'other:0123456789abcdef#1';

let redis: TestRedis;
const stores: RedisStore[] = [];
let heard: string[] = [];
beforeAll(async () => {
  // The machine never loses power here: no test needs to wait for a disk.
  redis = await startRedis('--appendfsync', 'no');
});
beforeEach(() => {
  heard = [];
});
afterEach(async () => {
  redis.resume();
  await redis.start();
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await redis.ask('FLUSHALL');
});
afterAll(() => redis.discard());

const standing: Standing = {
  held: () => heard.push('held'),
  expired: () => heard.push('expired'),
  lost: (reason) => heard.push(`lost: ${reason}`),
};

async function open(nodeName: string, leaseMs = LEASE_MS): Promise<RedisStore> {
  const store = await openRedis({ url: redis.url, nodeName, leaseMs }, standing);
  stores.push(store);
  return store;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10);
}

const car = { key: ['p', 5, 'car'], value: 1 };
const write = (store: RedisStore, value = 1) => store.commit([], [{ ...car, value }]);

test('a store that somebody renews is refused to others, with the name of who has it', async () => {
  await open('first');
  await expect(open('second')).rejects.toThrow(
    /^the store at redis:\/\/127\.0\.0\.1:\d+: it is in use: node "first" holds the lease/,
  );
});

test('of two that wait for the same lease one gets it', async () => {
  await redis.ask(`SET dt:{dp}:lease ${OTHER} PX 500`);
  const results = await Promise.allSettled([open('first'), open('second')]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('a lease that nobody renews is waited for, in every slot', async () => {
  await redis.ask(`SET dt:{dp}:lease ${OTHER} PX 300`, `SET dt:{p05}:lease ${OTHER} PX 600`);
  const store = await open('next');
  expect(await redis.ask('GET dt:{p05}:lease')).toContain('next:');
  expect(await write(store)).toBe(true);
});

test('what is closed is free at once', async () => {
  await (await open('first')).close();
  expect(await redis.ask('EXISTS dt:{dp}:lease dt:{p00}:lease dt:{p63}:lease')).toContain(':0');
  expect(await write(await open('second'))).toBe(true);
});

test('who does not answer is named, without the password', async () => {
  const url = 'redis://user:secret@127.0.0.1:1';
  const opening = openRedis({ url, nodeName: 'node', leaseMs: LEASE_MS });
  await expect(opening).rejects.toThrow(/^the store at redis:\/\/127\.0\.0\.1:1: no answer: /);
});

test('a lease that others have taken writes nothing any more, even before it is noticed', async () => {
  const store = await open('paused', 60_000);
  await write(store);
  // In the slot of this key alone: nobody else fences it.
  await redis.ask(`SET dt:{p05}:lease ${OTHER} PX 100000`);
  const lost = { name: 'StoreUnavailable', reason: 'failed' };
  await expect(write(store, 2)).rejects.toMatchObject(lost);
  await expect(store.commit([], [{ key: car.key, remove: true }])).rejects.toMatchObject(lost);
  expect((await store.get(car.key))?.value).toBe(1);
});

test('a lease that was lost is told of, and taken again once it is free', async () => {
  const store = await open('node');
  await redis.ask(`SET dt:{p05}:lease ${OTHER} PX 700`);
  await until(() => heard.includes('lost: node "other" has the store'));
  expect(store.isReady).toBe(false);
  await expect(write(store)).rejects.toMatchObject({ reason: 'failed' });
  await until(() => heard.at(-1) === 'held' && store.isReady);
  expect(await write(store)).toBe(true);
});

test('a lease that ran out is held again where nobody else had it', async () => {
  const store = await open('node');
  await write(store);
  await redis.kill();
  await until(() => heard.includes('expired'));
  expect(store.untilMs).toBeGreaterThan(0);
  await expect(write(store, 2)).rejects.toMatchObject({ reason: 'failed' });
  await redis.start();
  await until(() => store.isReady);
  expect(heard.filter((each) => each.startsWith('lost'))).toEqual([]);
  expect((await store.get(car.key))?.value).toBe(1);
  expect(await write(store, 2)).toBe(true);
});

test('a server that has lost its last writes is not taken for what it was', async () => {
  const store = await open('node');
  await write(store);
  await redis.ask('SET dt:{p05}:version 1');
  await until(() => heard.includes('lost: the store lost its last writes'));
  await until(() => heard.at(-1) === 'held' && store.isReady);
  const before = (await store.get(car.key))?.version;
  expect(await write(store)).toBe(true);
  expect((await store.get(car.key))?.version).toBeGreaterThan(before ?? 0);
});

test('after a commit of unknown outcome a read tells what is so for ever', async () => {
  const store = await open('node', 60_000);
  for (let round = 0; round < 3; round++) {
    redis.pause();
    const asked = [1, 2, 3].map((part) =>
      store.commit([], [{ key: ['n', round, part], value: 0 }]),
    );
    for (const one of asked) await expect(one).rejects.toMatchObject({ reason: 'unknown' });
    await expect(store.commit([], [])).rejects.toMatchObject({ reason: 'failed' });
    redis.resume();
    await until(() => store.isReady);
    const found = await store.list(['n', round], { limit: 10 });
    expect(await store.commit([], [{ key: ['m', round], value: 0 }])).toBe(true);
    await sleep(50);
    expect(await store.list(['n', round], { limit: 10 })).toEqual(found);
  }
});

test('what an old connection still carries changes nothing after a new one has entered', async () => {
  const store = await open('node', 60_000);
  await write(store);
  const holder = /node:[0-9a-f]+#\d+/;
  const before = holder.exec(await redis.ask('GET dt:{p05}:lease'))?.[0];
  await redis.ask('CLIENT KILL TYPE normal SKIPME yes');
  await until(() => !store.isReady);
  await until(() => store.isReady);
  const after = holder.exec(await redis.ask('GET dt:{p05}:lease'))?.[0];
  const session = (token = '') => Number(token.split('#')[1]);
  expect(session(after)).toBeGreaterThan(session(before));
  expect(await write(store, 2)).toBe(true);
});

test('settings of Redis under which answered writes may be lost are told', async () => {
  const store = await open('node');
  await redis.ask('CONFIG SET appendfsync always');
  expect(await store.warnings()).toEqual([]);
  await redis.ask('CONFIG SET appendfsync everysec', 'CONFIG SET maxmemory-policy allkeys-lru');
  const warnings = await store.warnings();
  await redis.ask('CONFIG SET appendfsync no', 'CONFIG SET maxmemory-policy noeviction');
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain('appendfsync is everysec');
});

test('writes that Redis has no memory for are refused, and taken again afterwards', async () => {
  const store = await open('node', 60_000);
  await redis.ask('CONFIG SET maxmemory 1');
  await expect(write(store)).rejects.toMatchObject({ reason: 'full' });
  await redis.ask('CONFIG SET maxmemory 0');
  expect(await store.get(car.key)).toBeUndefined();
  expect(await write(store)).toBe(true);
});

test('an account needs no more rights than are documented', async () => {
  await redis.ask(
    'ACL SETUSER twin on >secret ~dt:* resetchannels -@all +@read +@write +@scripting +@connection +info +time',
  );
  const url = redis.url.replace('//', '//twin:secret@');
  const store = await openRedis({ url, nodeName: 'node', leaseMs: 60_000 });
  stores.push(store);
  expect(await write(store)).toBe(true);
  expect(await store.list(['p', 5], { limit: 1 })).toHaveLength(1);
  expect(await store.warnings()).toEqual([]);
});
