import { expect, it } from 'vitest';
import type { Grant, Held, Taking } from '../../../store/contract.ts';
import type { RedisStore } from '../../../store/redis/redis-store.ts';
import { takenGrant } from '../../rigs/taken-grant.ts';
import { until } from '../../rigs/until.ts';
import type { Shared } from './shared-store.ts';

const PARTITION = 5;
const KEY = ['p', PARTITION, 'world', 1];

const write = (store: RedisStore, grant: Grant, value = 1) =>
  store.commit([], [{ key: KEY, value }], grant);

async function refused(store: RedisStore, what: Taking): Promise<Held> {
  const taken = await store.claims.take(PARTITION, what);
  expect(taken).toHaveProperty('holder');
  return taken as Held;
}

/** From now on other processes say nothing to this one, until the result is called. */
function silence({ claims }: RedisStore, nowMs: () => number): () => void {
  let saidMs = Number.NEGATIVE_INFINITY;
  claims.readOthers((sinceMs) => saidMs >= sinceMs);
  return () => {
    saidMs = nowMs();
  };
}

/** The server comes back as it was when `keepData` was called. */
async function failOver(shared: Shared, stores: readonly RedisStore[]): Promise<void> {
  await shared().loseTail();
  await shared().endConnections();
  for (const { heartbeats } of stores) {
    const heartbeat = () => heartbeats.send(1, undefined).catch(() => undefined);
    await until('the next connection', async () => (await heartbeat()) !== undefined);
  }
  for (const store of stores) {
    const read = () =>
      store
        .get(['account'])
        .then(() => true)
        .catch(() => false);
    await until('the next connection for data', read);
  }
}

/** What the contract says of takes that the server has lost. */
export function describeForgottenTakes(shared: Shared): void {
  const nowMs = () => shared().time.now();
  const silent = (store: RedisStore) => silence(store, nowMs);

  async function letLeasePass(store: RedisStore): Promise<void> {
    await shared().time.jump(shared().leaseMs);
    await until('the process', () => store.isReady);
  }

  it('leave who was given a partition a lease, whoever the server thinks has it', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const grant = await takenGrant(first, PARTITION);
    await shared().keepData();
    const reservation = second.claims.reserve(PARTITION);
    expect(await first.claims.give(grant, reservation.token)).toBe('given');
    const given = await second.claims.accept(reservation);
    silent(first);
    await failOver(shared, [first]);
    for (const what of ['free', 'expired'] as const) {
      const { holder, leftMs } = await refused(first, what);
      expect(holder).toBe('');
      expect(leftMs).toBeGreaterThan((given?.untilMs() ?? 0) - nowMs());
      expect(leftMs).toBeLessThanOrEqual(shared().leaseMs);
    }
    await letLeasePass(first);
    expect(await write(first, await takenGrant(first, PARTITION))).toBe(true);
  });

  it('leave who has taken a partition a lease, that the server thinks is free', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    await first.claims.release([await takenGrant(first, PARTITION)]);
    await shared().keepData();
    await takenGrant(second, PARTITION);
    const third = await shared().open('third');
    for (const store of [first, third]) silent(store);
    await failOver(shared, [first, third]);
    for (const store of [first, third]) expect((await refused(store, 'free')).holder).toBe('');
    await letLeasePass(third);
    expect(await write(third, await takenGrant(third, PARTITION))).toBe(true);
  });

  it('leave it a lease where a process has just started', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    await first.claims.release([await takenGrant(first, PARTITION)]);
    await shared().keepData();
    await takenGrant(second, PARTITION);
    await shared().loseTail();
    const third = await shared().open('third');
    silent(third);
    expect((await refused(third, 'free')).holder).toBe('');
    await letLeasePass(third);
    await takenGrant(third, PARTITION);
  });

  it('end nothing once all others have said what they hold', async () => {
    const store = await shared().open('first');
    const speak = silent(store);
    speak();
    await failOver(shared, [store]);
    expect((await refused(store, 'free')).holder).toBe('');
    speak();
    expect(await write(store, await takenGrant(store, PARTITION))).toBe(true);
  });

  it('let no process rely on a grant that had ended before, until a lease is over', async () => {
    const [first, second] = [await shared().open('first'), await shared().open('second')];
    const grant = await takenGrant(first, PARTITION);
    await shared().keepData();
    await shared().pass(shared().leaseMs);
    await until('the processes', () => first.isReady && second.isReady);
    const taken = await takenGrant(second, PARTITION, 'expired');
    silent(first);
    await failOver(shared, [first]);
    expect(await first.claims.renew([grant])).toEqual([]);
    expect(grant.untilMs()).toBeLessThan(nowMs());
    await letLeasePass(first);
    expect(taken.untilMs()).toBeLessThan(nowMs());
    expect(await first.claims.renew([grant])).toEqual([]);
    expect(grant.untilMs()).toBeGreaterThan(nowMs());
    expect(await write(first, grant)).toBe(true);
  });

  it('or until all others have said what they hold', async () => {
    const store = await shared().open('first');
    const grant = await takenGrant(store, PARTITION);
    const speak = silent(store);
    let troubles = 0;
    store.claims.onTrouble(() => troubles++);
    await shared().pass(shared().leaseMs);
    await shared().keepData();
    await failOver(shared, [store]);
    await store.claims.renew([grant]);
    expect(grant.untilMs()).toBeLessThan(nowMs());
    const before = troubles;
    await until('that it should be renewed again', () => troubles > before);
    speak();
    await store.claims.renew([grant]);
    expect(grant.untilMs()).toBeGreaterThan(nowMs());
  });

  it('let no process rely on a grant beyond a sleep of its machine', async () => {
    const store = await shared().open('first');
    const grant = await takenGrant(store, PARTITION);
    const speak = silent(store);
    await shared().keepData();
    const askedMs = grant.askedMs();
    shared().time.suspend(shared().leaseMs);
    await failOver(shared, [store]);
    await store.claims.renew([grant]);
    expect(grant.askedMs()).toBe(askedMs);
    speak();
    await store.claims.renew([grant]);
    expect(grant.askedMs()).toBeGreaterThan(askedMs);
  });

  it('keep no process from what it held until then, or has given up since', async () => {
    const store = await shared().open('first');
    const lost = await takenGrant(store, PARTITION);
    silent(store);
    await write(store, lost);
    await shared().keepData();
    await write(store, lost, 2);
    await failOver(shared, [store]);
    expect(lost.untilMs()).toBe(Number.NEGATIVE_INFINITY);
    const grant = await takenGrant(store, PARTITION);
    await store.claims.release([grant]);
    expect(await write(store, await takenGrant(store, PARTITION), 3)).toBe(true);
  });
}
