import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemRandom } from '../../random.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { FaultyProxy } from '../../testing/rigs/faulty-proxy.ts';
import { startRedis, type TestRedis } from '../../testing/rigs/redis.ts';
import { until } from '../../testing/rigs/until.ts';
import { type Grant, StoreUnavailable } from '../contract.ts';
import { openRedis, type RedisSettings, type RedisStore } from './redis-store.ts';

/** Nothing expires in Redis while a test runs; the process's clock is moved instead. */
const LEASE_MS = 60_000;
const RENEWAL_MS = LEASE_MS / 4;
/** The lease of a process that is gone. */
const OTHER = 'other:0123456789abcdef-1#1';
/** That of a node of an earlier release. */
const EARLIER = 'earlier:0123456789abcdef#1';

let redis: TestRedis;
let time: TestTime;
const stores: RedisStore[] = [];
let heard: string[] = [];
beforeAll(async () => {
  // The machine never loses power here: no test needs to wait for a disk.
  redis = await startRedis('--appendfsync', 'no');
});
beforeEach(() => {
  time = TestTime.running();
  heard = [];
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
      const { msg, reason } = JSON.parse(line);
      heard.push(reason === undefined ? msg : `${msg}: ${reason}`);
    },
  },
);

/** The store of a node that serves. */
async function open(nodeName: string, settings: Partial<RedisSettings> = {}): Promise<RedisStore> {
  const store = await openStarting(nodeName, settings);
  store.serve();
  return store;
}

/** Has two partitions of a store, as far as it can. */
class Holder {
  readonly #store: RedisStore;
  readonly #grants = new Map<number, Grant>();
  readonly lostReasons: string[] = [];

  constructor(store: RedisStore) {
    this.#store = store;
    time.every(RENEWAL_MS, () => void this.renew());
    store.claims.onTrouble(() => void this.renew());
  }

  async renew(): Promise<void> {
    const { claims } = this.#store;
    for (const { grant, reason } of await claims.renew([...this.#grants.values()])) {
      this.#grants.delete(grant.partition);
      this.lostReasons.push(reason);
    }
    await Promise.all([5, 6].map((partition) => this.#take(partition)));
  }

  async #take(partition: number): Promise<void> {
    if (this.#grants.has(partition)) return;
    try {
      const taken = await this.#store.claims.take(partition, 'free');
      if ('epoch' in taken) this.#grants.set(partition, taken);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  grantOf(partition: number): Grant | undefined {
    return this.#grants.get(partition);
  }

  has(partition: number): boolean {
    return (this.grantOf(partition)?.untilMs() ?? 0) > time.now();
  }
}

const holders = new Map<RedisStore, Holder>();
const holderOf = (store: RedisStore) => holders.get(store) as Holder;

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
  const holder = new Holder(store);
  holders.set(store, holder);
  await holder.renew();
  return store;
}

async function holdsAgainOnceFree(store: RedisStore): Promise<void> {
  // The leases that it held under former names would keep it waiting as well.
  await redis.endLeases();
  await time.advance(RENEWAL_MS);
  await holdsAgain(store);
}

const holdsAgain = (store: RedisStore) =>
  until('the store is held again', () => store.isReady && holderOf(store).has(5));

/** Has each process connect anew. */
async function reconnect(store: RedisStore): Promise<void> {
  await redis.ask('CLIENT KILL TYPE normal SKIPME yes');
  await until('the end of the connection', () => !store.isReady);
  await until('the next connection', () => store.isReady);
}

const car = { key: ['p', 5, 'car'], value: 1 };
const write = (store: RedisStore, value = 1) =>
  store.commit([], [{ ...car, value }], holderOf(store).grantOf(5));
const account = { key: ['account'], value: 1 };

test('a second process is admitted, and both write common entries', async () => {
  const [first, second] = [await open('first'), await open('second')];
  expect(await first.commit([], [account])).toBe(true);
  const { version } = (await second.get(account.key)) ?? { version: 0 };
  const checks = [{ key: account.key, version }];
  expect(await second.commit(checks, [{ ...account, value: 2 }])).toBe(true);
  expect(await first.commit(checks, [{ ...account, value: 3 }])).toBe(false);
  expect((await first.get(account.key))?.value).toBe(2);
});

test('[O10] a start waits until a node of an earlier release is gone, and its leases with it', async () => {
  await redis.ask(`SET dt:{dp}:lease ${EARLIER} PX 60`, `SET dt:{p05}:lease ${EARLIER} PX 60`);
  const store = await open('next');
  await time.advance(RENEWAL_MS);
  await holdsAgain(store);
  expect(await redis.ask('GET dt:{p05}:lease')).toContain('next:');
  expect(await write(store)).toBe(true);
});

test('a node of an earlier release that goes on is named', async () => {
  await redis.ask(`SET dt:{dp}:lease ${EARLIER}`);
  const opening = expect(open('next')).rejects.toThrow(
    /^the store at redis:\/\/127\.0\.0\.1:\d+: it is in use: node "earlier" of an earlier release/,
  );
  const asked = /name=next-lease .*cmd=evalsha/;
  await until('an attempt', async () => asked.test(await redis.ask('CLIENT LIST')));
  await time.advance(30_000);
  await opening;
  expect(await redis.ask('KEYS dt:{dp}:writer:*')).toMatch(/^\*0/);
});

test('[O10] a closed store is free at once', async () => {
  await (await open('first')).close();
  expect(await redis.ask('EXISTS dt:{p05}:lease dt:{p06}:lease')).toContain(':0');
  expect(await redis.ask('KEYS dt:{dp}:writer:*')).toMatch(/^\*0/);
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
  expect(heard).toEqual(['the start waits for Redis: the store does not answer']);
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
  const asked = [store.get(['p', 5, 'other']), write(store)];
  expect(await Promise.all(asked)).toEqual([undefined, true]);
  await redis.ask('DEL dt:{p05}:lease');
  expect(await write(store, 2)).toBe(true);
});

test('[R24] a process whose lease was taken writes nothing, even before it notices', async () => {
  const store = await open('paused');
  await write(store);
  const grant = holderOf(store).grantOf(5) as Grant;
  // In the slot of this key alone, where nothing else fences it.
  await redis.ask(`SET dt:{p05}:lease ${OTHER} PX 100000`);
  const lost = { name: 'StoreUnavailable', reason: 'failed' };
  const changing = store.commit([], [{ ...car, value: 2 }], grant);
  await expect(changing).rejects.toMatchObject(lost);
  const removing = store.commit([], [{ key: car.key, remove: true }], grant);
  await expect(removing).rejects.toMatchObject(lost);
  expect(store.fencedCount).toBe(2);
  expect((await store.get(car.key))?.value).toBe(1);
});

test('a lost partition is reported, and taken again once it is free', async () => {
  const store = await open('node');
  const lost = holderOf(store).grantOf(5) as Grant;
  await redis.ask(`SET dt:{p05}:lease ${OTHER} PX 100000`);
  await time.advance(RENEWAL_MS);
  await until('the loss', () => holderOf(store).lostReasons.length > 0);
  expect(holderOf(store).lostReasons).toEqual(['node "other" has taken it']);
  expect([5, 6].map((partition) => holderOf(store).has(partition))).toEqual([false, true]);
  await redis.ask('DEL dt:{p05}:lease');
  await time.advance(RENEWAL_MS);
  await holdsAgain(store);
  expect(await write(store)).toBe(true);
  // What began under the lost grant has no effect any more.
  await expect(store.commit([], [car], lost)).rejects.toMatchObject({ reason: 'failed' });
  expect(holderOf(store).grantOf(5)?.epoch).toBeGreaterThan(lost.epoch);
});

test('[R24] a process whose writer key has run out writes nothing, and enters under a new name', async () => {
  const store = await open('node');
  await store.commit([], [account]);
  const before = await redis.ask('KEYS dt:{dp}:writer:*');
  await redis.ask(`DEL ${/dt:\S+/.exec(before)?.[0]}`);
  const asked = store.commit([], [{ ...account, value: 2 }]);
  await expect(asked).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'failed' });
  await store.heartbeats.send(1, undefined);
  expect((await store.get(account.key))?.value).toBe(1);
  expect(await store.commit([], [{ ...account, value: 3 }])).toBe(true);
  const after = await redis.ask('KEYS dt:{dp}:writer:*');
  expect(after).toMatch(/^\*1\r\n/);
  expect(after).not.toBe(before);
});

test('an expired lease that no other process took is held again', async () => {
  const store = await open('node');
  await write(store);
  const grant = holderOf(store).grantOf(5);
  heard = [];
  await redis.kill();
  await time.advance(LEASE_MS);
  expect(heard).toEqual(['the store does not answer and the writer key has expired']);
  expect(holderOf(store).has(5)).toBe(false);
  await expect(store.get(account.key)).rejects.toMatchObject({ reason: 'failed' });
  await expect(write(store, 2)).rejects.toMatchObject({ reason: 'failed' });
  await redis.start();
  await holdsAgain(store);
  expect(holderOf(store).grantOf(5)).toBe(grant);
  expect((await store.get(car.key))?.value).toBe(1);
  expect(await write(store, 2)).toBe(true);
});

test('a partition that lost its last writes is lost', async () => {
  const store = await open('node');
  await write(store);
  await redis.ask('SET dt:{p05}:version 1');
  await time.advance(RENEWAL_MS);
  await until('the loss', () => holderOf(store).lostReasons.length > 0);
  expect(holderOf(store).lostReasons).toEqual(['the store lost its last writes']);
  await holdsAgain(store);
  const before = (await store.get(car.key))?.version;
  expect(await write(store)).toBe(true);
  expect((await store.get(car.key))?.version).toBeGreaterThan(before ?? 0);
});

test('a partition that lost its last writes is not written over a new connection', async () => {
  const store = await open('node');
  await write(store);
  await redis.keepData();
  await write(store, 2);
  const grant = holderOf(store).grantOf(5);
  await redis.loseTail();
  await reconnect(store);
  const late = store.commit([], [{ ...car, value: 3 }], grant);
  await expect(late).rejects.toMatchObject({ reason: 'failed' });
  await until('the loss', () => holderOf(store).lostReasons.length > 0);
  await holdsAgain(store);
  expect((await store.get(car.key))?.value).toBe(1);
  expect(holderOf(store).lostReasons).toContain('the store lost its last writes');
});

test('a partition that lost a write which was read without an answer is lost', async () => {
  const way = await FaultyProxy.open(redis.url);
  onTestFinished(() => way.close());
  const store = await open('node', { url: `redis://${way.host}`, commandTimeoutMs: 100 });
  await write(store);
  await redis.keepData();
  way.cut('back');
  await expect(write(store, 2)).rejects.toMatchObject({ reason: 'unknown' });
  way.heal('back');
  way.break();
  await until('the next connection', () => store.isReady);
  expect((await store.get(car.key))?.value).toBe(2);
  // Leases are renewed over a connection of their own, which comes back by itself.
  const heartbeat = () => store.heartbeats.send(1, undefined).catch(() => undefined);
  await until('the other connection', async () => (await heartbeat()) !== undefined);
  await holderOf(store).renew();
  expect(holderOf(store).lostReasons).toEqual([]);
  await redis.loseTail();
  await until('the loss', async () => {
    await holderOf(store).renew();
    return holderOf(store).lostReasons.length > 0;
  });
  expect(holderOf(store).lostReasons).toContain('the store lost its last writes');
  await holdsAgain(store);
  expect((await store.get(car.key))?.value).toBe(1);
});

test('[R34] an emptied server is neither read nor written until its data is back', async () => {
  const store = await open('node');
  await store.commit([], [account]);
  await write(store);
  heard = [];
  await redis.ask('SWAPDB 0 1');
  // Before the next renewal: what is missing may have existed.
  await expect(store.get(['p', 5, 'other'])).rejects.toMatchObject({ reason: 'failed' });
  await expect(write(store, 2)).rejects.toMatchObject({ reason: 'failed' });
  const message = /^this node has to enter the store again: .*restore it from a backup, or restart/;
  await until('the loss', () => heard.some((line) => message.test(line)));
  await until('the loss of the partitions', () => !holderOf(store).has(5));
  await time.advance(3 * RENEWAL_MS);
  expect(heard).toHaveLength(1);
  await expect(store.heartbeats.send(1, undefined)).rejects.toMatchObject({ reason: 'failed' });
  expect(store.trouble).toContain('lost all its data');
  await expect(store.get(account.key)).rejects.toMatchObject({ reason: 'failed' });
  await expect(store.list([], { limit: 1 })).rejects.toMatchObject({ reason: 'failed' });
  expect(await redis.ask('DBSIZE')).toContain(':0');

  await redis.ask('SWAPDB 0 1');
  await holdsAgainOnceFree(store);
  expect([store.trouble, (await store.get(account.key))?.value]).toEqual([undefined, 1]);
  expect(await write(store, 2)).toBe(true);
});

test('a store that lost its last writes is entered again, and gives no version again', async () => {
  const store = await open('node');
  await store.commit([], [account]);
  await redis.keepData();
  await store.commit([], [{ ...account, value: 2 }]);
  const lost = (await store.get(account.key))?.version ?? Number.POSITIVE_INFINITY;
  await redis.loseTail();
  heard = [];
  await store.heartbeats.send(1, undefined);
  expect(heard).toEqual([
    'this node has to enter the store again: the store lost its last writes',
    'this node can use the store',
  ]);
  expect((await store.get(account.key))?.value).toBe(1);
  expect(await store.commit([], [{ ...account, value: 3 }])).toBe(true);
  expect((await store.get(account.key))?.version).toBeGreaterThan(lost);
  // What was on its way under the former name is refused.
  expect(await redis.ask('KEYS dt:{dp}:writer:*')).toMatch(/^\*1\r\n/);
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
  const holder = /node:[0-9a-f]+-\d+#\d+/;
  const before = holder.exec(await redis.ask('GET dt:{p05}:lease'))?.[0];
  await reconnect(store);
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

test('[R9] a Redis without memory refuses what it has no room for, and keeps all leases', async () => {
  const store = await open('node');
  await write(store);
  const grant = holderOf(store).grantOf(5);
  const untilMs = grant?.untilMs() ?? 0;
  await redis.ask('CONFIG SET maxmemory 1');
  await time.advance(RENEWAL_MS);
  await until('a renewal', () => (grant?.untilMs() ?? 0) > untilMs);
  await reconnect(store);
  expect(await store.get(car.key)).toMatchObject({ value: 1 });
  await expect(write(store, 2)).rejects.toMatchObject({ reason: 'full' });
  // As where a world is deleted, or moves in an index.
  const moved = [{ key: car.key, remove: true } as const, { key: ['p', 5, 'moved'], value: 0 }];
  expect(await store.commit([], moved, grant)).toBe(true);
  await store.claims.release([grant as Grant]);
  expect(await store.claims.take(5, 'free')).toMatchObject({ partition: 5 });
  await redis.ask('CONFIG SET maxmemory 0');
  expect([await store.get(car.key), holderOf(store).lostReasons]).toEqual([undefined, []]);
});

test('[O8] the documented rights of an account are enough', async () => {
  await redis.ask(
    'ACL SETUSER twin on >se:cret ~dt:* resetchannels -@all +@read +@write +@scripting +@connection +info +time',
  );
  const store = await open('node', { url: redis.url.replace('//', '//twin:se:cret@') });
  expect(await write(store)).toBe(true);
  expect(await store.list(['p', 5], { limit: 1 })).toHaveLength(1);
  expect(await store.warnings()).toEqual([]);
});
