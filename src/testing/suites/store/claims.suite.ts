import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Grant, Held, Store } from '../../../store/contract.ts';
import type { RedisStore } from '../../../store/redis/redis-store.ts';
import type { TestTime } from '../../doubles/test-time.ts';
import { takenGrant } from '../../rigs/taken-grant.ts';
import { until } from '../../rigs/until.ts';
import { describeClock } from './cluster-clock.suite.ts';
import { describeForgottenTakes } from './forgotten-takes.suite.ts';
import { describeHandovers } from './handovers.suite.ts';
import { describeHolders } from './holders.suite.ts';
import type { Shared, SharedStore } from './shared-store.ts';

/** What the contract says of processes that share a store, as tests for its engine and its doubles. */
export function claimsSuite(name: string, share: () => Promise<SharedStore>): void {
  describe(name, () => {
    let shared: SharedStore;
    beforeEach(async () => {
      shared = await share();
    });
    afterEach(() => shared.destroy());

    const current = () => shared;
    describe('partitions', () => describeTaking(current));
    describe('partitions of many processes', () => describeHolders(current));
    describe('handovers', () => describeHandovers(current));
    describe('marks', () => describeMarks(current));
    describe('lost writes', () => describeLostTail(current));
    describe('takes that the server has lost', () => describeForgottenTakes(current));
    describe('common entries', () => describeWriters(current));
    describe('heartbeats', () => describeHeartbeats(current));
    describe('the clock of the cluster', () => describeClock(current));
  });
}

const world = { key: ['p', 5, 'world', 1], value: 1 };
const account = { key: ['account'], value: 1 };
const FAILED = { name: 'StoreUnavailable', reason: 'failed' };

const write = (store: Store, grant: Grant, value = 1) =>
  store.commit([], [{ ...world, value }], grant);

async function refused(store: Store, what: 'free' | 'expired'): Promise<Held> {
  const taken = await store.claims.take(5, what);
  expect(taken).toHaveProperty('holder');
  return taken as Held;
}

function describeTaking(shared: Shared): void {
  it('are never taken from a process that renews them', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const grant = await takenGrant(first, 5);
    for (const what of ['free', 'expired'] as const) {
      const { holder, leftMs } = await refused(second, what);
      expect(holder).toBe(first.heartbeats.process);
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThanOrEqual(shared().leaseMs);
    }
    expect(await write(first, grant)).toBe(true);
    expect((await second.get(world.key))?.value).toBe(1);
  });

  it('are free once their holder has released them', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const former = await takenGrant(first, 5);
    await first.claims.release([former]);
    expect(former.untilMs()).toBe(Number.NEGATIVE_INFINITY);
    const grant = await takenGrant(second, 5, 'free');
    expect(grant.epoch).toBeGreaterThan(former.epoch);
    expect(await write(second, grant)).toBe(true);
    await expect(write(first, former)).rejects.toMatchObject(FAILED);
  });

  it('are free even if they had expired before they were released', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const former = await takenGrant(first, 5);
    await shared().pass(shared().leaseMs + 1);
    await until('both processes', () => first.isReady && second.isReady);
    await refused(second, 'free');
    await first.claims.release([former]);
    expect(await write(second, await takenGrant(second, 5, 'free'))).toBe(true);
  });

  it('are not free because their lease has expired, but can be taken', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const former = await takenGrant(first, 5);
    await shared().pass(shared().leaseMs + 1);
    await until('both processes', () => first.isReady && second.isReady);
    const held = { holder: first.heartbeats.process, leftMs: 0 };
    expect(await refused(second, 'free')).toEqual(held);
    const grant = await takenGrant(second, 5, 'expired');
    expect(grant.epoch).toBeGreaterThan(former.epoch);
    expect(await first.claims.renew([former])).toEqual([
      { grant: former, reason: 'node "second" has taken it' },
    ]);
    expect(former.untilMs()).toBe(Number.NEGATIVE_INFINITY);
    await expect(write(first, former)).rejects.toMatchObject(FAILED);
    expect(await write(second, grant)).toBe(true);
  });

  it('stay with the former holder if it comes back first', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const grant = await takenGrant(first, 5);
    await shared().pass(shared().leaseMs + 1);
    await until('both processes', () => first.isReady && second.isReady);
    await expect(write(first, grant)).rejects.toMatchObject(FAILED);
    expect(await first.claims.renew([grant])).toEqual([]);
    expect(await write(first, grant)).toBe(true);
    await refused(second, 'expired');
  });

  it('can be taken by the former holder at once, and its former grant is over', async () => {
    const first = await shared().open('first');
    const former = await takenGrant(first, 5);
    await shared().pass(shared().leaseMs + 1);
    await until('the process', () => first.isReady);
    const grant = await takenGrant(first, 5, 'free');
    expect(grant.epoch).toBeGreaterThan(former.epoch);
    expect(await write(first, grant)).toBe(true);
    await expect(write(first, former)).rejects.toMatchObject(FAILED);
    // Late: it must not end the grant that the process has now.
    await first.claims.release([former]);
    expect(await write(first, grant)).toBe(true);
  });

  it('of a process that has died while the clock was set back are not lost for long', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    await takenGrant(first, 5);
    await shared().jump(-3_600_000);
    await refused(second, 'expired');
    await shared().pass(shared().leaseMs + 1);
    await until('the process', () => second.isReady);
    expect(await write(second, await takenGrant(second, 5, 'expired'))).toBe(true);
  });

  it('go on while the clock of the server jumps', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const grant = await takenGrant(first, 5);
    for (const ms of [3_600_000, -7_200_000]) {
      await shared().jump(ms);
      await refused(second, 'free');
      expect(await first.claims.renew([grant])).toEqual([]);
      expect(await write(first, grant)).toBe(true);
      await refused(second, 'expired');
    }
  });
}

/** Later than any clock of a server. */
const LATE_MS = 4e12;

/** The process reads this clock. */
function follow(store: RedisStore, time: TestTime, aheadMs = 0): (atMs: number) => number {
  const startMs = time.now();
  const read = (atMs: number) => LATE_MS + aheadMs + atMs - startMs;
  store.claims.readClock(read);
  return read;
}

function describeMarks(shared: Shared): void {
  it('are what the holder may publish before its deadline, and a tick', async () => {
    const { time, leaseMs } = shared();
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const read = follow(first, time);
    const grant = await takenGrant(first, 5);
    expect(grant.floorMs).toBe(0);
    const atFirst = grant.latestReadingMs();
    expect(atFirst).toBe(read(grant.untilMs()));
    await time.jump(1000);
    await first.claims.renew([grant]);
    expect(grant.latestReadingMs()).toBeGreaterThanOrEqual(atFirst + 1000);
    expect(grant.latestReadingMs()).toBe(read(grant.untilMs()));
    await shared().pass(leaseMs + 1);
    await until('the process', () => second.isReady);
    const { floorMs } = await takenGrant(second, 5, 'expired');
    expect(floorMs).toBe(Math.ceil(grant.latestReadingMs()) + 20);
  });

  it('of a partition that was released are what was published', async () => {
    const { time } = shared();
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const read = follow(first, time);
    const grant = await takenGrant(first, 5);
    const before = read(time.now());
    await first.claims.release([grant]);
    const after = read(time.now());
    const { floorMs } = await takenGrant(second, 5);
    expect(floorMs).toBeGreaterThanOrEqual(before + 20);
    expect(floorMs).toBeLessThanOrEqual(after + 21);
  });

  it('do not exceed what was granted', async () => {
    const { time, leaseMs } = shared();
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    follow(first, time);
    const grant = await takenGrant(first, 5);
    await shared().pass(10 * leaseMs);
    await until('both processes', () => first.isReady && second.isReady);
    await first.claims.release([grant]);
    const { floorMs } = await takenGrant(second, 5);
    expect(floorMs).toBe(Math.ceil(grant.latestReadingMs()) + 20);
  });

  it('never go back, though a holder reads an earlier clock', async () => {
    const { time } = shared();
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    follow(first, time);
    follow(second, time, -1e9);
    await first.claims.release([await takenGrant(first, 5)]);
    const grant = await takenGrant(second, 5);
    expect(await second.claims.renew([grant])).toEqual([]);
    await second.claims.release([grant]);
    expect((await takenGrant(first, 5)).floorMs).toBe(grant.floorMs);
  });

  it('are no floor for the process that has made them', async () => {
    const first = await shared().open('first');
    follow(first, shared().time);
    const former = await takenGrant(first, 5);
    await shared().pass(shared().leaseMs + 1);
    await until('the process', () => first.isReady);
    expect((await takenGrant(first, 5)).floorMs).toBe(former.floorMs);
  });
}

function describeLostTail(shared: Shared): void {
  it('end grants of which the server knows nothing, and epochs rise nevertheless', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    await first.claims.release([await takenGrant(first, 5)]);
    await shared().keepData();
    const lost = await takenGrant(second, 5);
    expect(await write(second, lost)).toBe(true);
    await shared().loseTail();
    await shared().jump(-3_600_000);
    await expect(write(second, lost, 2)).rejects.toMatchObject(FAILED);
    expect(await second.claims.renew([lost])).toEqual([
      { grant: lost, reason: 'the store lost its last writes' },
    ]);
    const grant = await takenGrant(second, 5);
    expect(grant.epoch).toBeGreaterThan(lost.epoch);
    expect(await second.get(world.key)).toBeUndefined();
    expect(await write(second, grant)).toBe(true);
  });

  it('end a grant whose own writes are gone', async () => {
    const store = await shared().open('first');
    const lost = await takenGrant(store, 5);
    await write(store, lost);
    await shared().keepData();
    await write(store, lost, 2);
    const { version = 0 } = (await store.get(world.key)) ?? {};
    await shared().loseTail();
    expect(await store.claims.renew([lost])).toHaveLength(1);
    await until('the process', () => store.isReady);
    const grant = await takenGrant(store, 5);
    expect(grant.epoch).toBeGreaterThan(lost.epoch);
    expect((await store.get(world.key))?.value).toBe(1);
    await write(store, grant, 3);
    expect((await store.get(world.key))?.version).toBeGreaterThan(version);
  });
}

function describeWriters(shared: Shared): void {
  it('are changed by many processes, whose checks see the writes of the others', async () => {
    const names = ['first', 'second', 'third'];
    const stores = await Promise.all(names.map((name) => shared().open(name)));
    const add = async (store: Store) => {
      for (let done = 0; done < 10; ) {
        const entry = await store.get<number>(['sum']);
        const check = { key: ['sum'], version: entry?.version ?? null };
        const sum = { key: ['sum'], value: (entry?.value ?? 0) + 1 };
        if (await store.commit([check], [sum])) done++;
      }
    };
    await Promise.all(stores.map(add));
    for (const store of stores) expect((await store.get(['sum']))?.value).toBe(30);
  });

  it('are not written by a process whose right has expired, before it has entered again', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    await second.commit([], [account]);
    // The process does not know it.
    await shared().jump(shared().leaseMs + 1);
    await expect(first.commit([], [{ ...account, value: 2 }])).rejects.toMatchObject(FAILED);
    expect((await second.get(account.key))?.value).toBe(1);
    await first.heartbeats.send(1, undefined);
    expect(await first.commit([], [{ ...account, value: 3 }])).toBe(true);
    expect((await first.get(account.key))?.value).toBe(3);
  });

  it('are neither read nor written by a process past its own deadline', async () => {
    const store = await shared().open('first');
    await store.commit([], [account]);
    shared().pause();
    await shared().time.jump(0.75 * shared().leaseMs);
    // At once, and not because the server does not answer.
    const cause = { message: 'this node may not use common entries now' };
    const late = { ...FAILED, cause };
    await expect(store.get(account.key)).rejects.toMatchObject(late);
    await expect(store.list(['account'], { limit: 1 })).rejects.toMatchObject(late);
    await expect(store.commit([], [account])).rejects.toMatchObject(late);
    shared().resume();
    await until('the process', () => store.isReady);
    expect((await store.get(account.key))?.value).toBe(1);
  });

  it('are not written by a process that has left', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    await first.heartbeats.leave();
    await expect(first.commit([], [account])).rejects.toMatchObject(FAILED);
    await expect(first.heartbeats.send(1, undefined)).rejects.toMatchObject(FAILED);
    expect(await second.get(account.key)).toBeUndefined();
  });
}

function describeHeartbeats(shared: Shared): void {
  it('tell each process of the others, in the order in which they have joined', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    await first.heartbeats.send({ at: 1 }, undefined);
    await second.heartbeats.send({ at: 2, image: Uint8Array.of(0, 255) }, undefined);
    const view = await first.heartbeats.send({ at: 3 }, undefined);
    expect(Object.fromEntries(view.nodes)).toEqual({
      [first.heartbeats.process]: { value: { at: 3 }, count: 2, joined: 1 },
      [second.heartbeats.process]: {
        value: { at: 2, image: Uint8Array.of(0, 255) },
        ...{ count: 1, joined: 2 },
      },
    });
    expect(view.answeredMs).toBeGreaterThanOrEqual(view.sentMs);
  });

  it('end when a process leaves', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    await first.heartbeats.send(1, undefined);
    expect((await second.heartbeats.send(2, undefined)).nodes.size).toBe(2);
    await first.close();
    const { nodes } = await second.heartbeats.send(2, undefined);
    expect([...nodes.keys()]).toEqual([second.heartbeats.process]);
  });

  it('are forgotten after a lease, and who comes back has joined last', async () => {
    const { leaseMs } = shared();
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const processes = [first, second].map(({ heartbeats }) => heartbeats.process);
    await first.heartbeats.send(1, undefined);
    const sizes: number[] = [];
    for (let i = 0; i < 6; i++) {
      sizes.push((await second.heartbeats.send(2, undefined)).nodes.size);
      await shared().pass(leaseMs / 4);
    }
    expect(sizes.slice(0, 4)).toEqual([2, 2, 2, 2]);
    expect(sizes.at(-1)).toBe(1);
    const { nodes } = await first.heartbeats.send(1, undefined);
    expect(processes.map((process) => nodes.get(process)?.joined)).toEqual([3, 2]);
  });

  it('count a loss where the process has connected anew, whatever the versions say', async () => {
    const store = await shared().open('first');
    const before = store.heartbeats.lossCount;
    await store.commit([], [account]);
    await store.heartbeats.send(1, undefined);
    expect(store.heartbeats.lossCount).toBe(before);
    await shared().endConnections();
    const read = () => store.get(account.key).catch(() => undefined);
    await until('the next connection', async () => (await read()) !== undefined);
    expect(store.heartbeats.lossCount).toBeGreaterThan(before);
  });

  it.each([3_600_000, -3_600_000])('go on when the clock of the server jumps by %i', async (ms) => {
    const stores = [await shared().open('first'), await shared().open('second')];
    for (const { heartbeats } of stores) await heartbeats.send(1, undefined);
    await shared().jump(ms);
    for (const { heartbeats } of stores.toReversed()) {
      const { nodes } = await heartbeats.send(2, undefined);
      const joined = stores.map((store) => nodes.get(store.heartbeats.process)?.joined);
      expect(joined).toEqual([1, 2]);
    }
  });

  it('of a process that has died while the server was silent end a lease later', async () => {
    const { leaseMs } = shared();
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    for (const { heartbeats } of [first, second]) await heartbeats.send(1, undefined);
    await shared().pass(10 * leaseMs);
    const sizes: number[] = [];
    for (let i = 0; i < 6; i++) {
      sizes.push((await second.heartbeats.send(2, undefined)).nodes.size);
      await shared().pass(leaseMs / 4);
    }
    expect([sizes[0], sizes.at(-1)]).toEqual([2, 1]);
  });
}
