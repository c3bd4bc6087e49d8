import { expect, test, vi } from 'vitest';
import { createLog } from '../../log.ts';
import { systemRandom } from '../../random.ts';
import { RedisDouble } from '../../testing/doubles/redis-double.ts';
import { type RedisArgument, RedisData } from '../../testing/doubles/redis-scripts.ts';
import { nextTurn, TestTime } from '../../testing/doubles/test-time.ts';
import { takenGrant } from '../../testing/rigs/taken-grant.ts';
import { storeSuite } from '../../testing/suites/store/contract.suite.ts';
import { systemTime, type Time } from '../../time.ts';
import type { Grant } from '../contract.ts';
import { openRedis, type RedisStore } from './redis-store.ts';

const LEASE_MS = 6000;

function openOn(
  double: RedisDouble,
  time: Time,
  nodeName = 'test',
  settings: { commandTimeoutMs?: number; leaseMs?: number } = {},
) {
  return openRedis(
    { url: 'redis://a.double', nodeName, leaseMs: LEASE_MS, ...settings },
    { time, random: systemRandom, log: createLog('silent'), makeClient: double.makeClient },
  );
}

storeSuite('a double of Redis', async () => {
  const double = new RedisDouble({ time: systemTime });
  const open = () => openOn(double, systemTime);
  const under = {
    store: await open(),
    async reopen() {
      await under.store.close();
      under.store = await open();
    },
    destroy: () => under.store.close(),
  };
  return under;
});

test('what a client gave up may still arrive, and a later session shuts it out', async () => {
  const time = TestTime.running();
  let delayMs = 0;
  const double = new RedisDouble({ time, delayMs: () => delayMs });
  // However slow the machine is, the session is made anew before the write arrives, and the lease lasts.
  const store = await openOn(double, time, 'test', { leaseMs: 60_000 });
  const grant = await takenGrant(store, 5);
  store.serve();
  const write = { key: ['p', 5, 'car'], value: 1 };
  delayMs = 20_000;
  const given = expect(store.commit([], [write], grant)).rejects.toMatchObject({
    reason: 'unknown',
  });
  await time.advance(1500);
  await given;
  delayMs = 0;
  await time.advance(100);
  await expect.poll(() => store.isReady).toBe(true);
  expect(await store.get(write.key)).toBeUndefined();
  await time.advance(20_000);
  expect(await store.get(write.key)).toBeUndefined();
  expect(await store.commit([], [write], grant)).toBe(true);
  await store.close();
});

test('a commit that is answered together with a search in vain is no loss', async () => {
  const time = TestTime.running();
  const write = { key: ['p', 5, 'car'], value: 1 };
  let commit: (() => Promise<boolean>) | undefined;
  let made: Promise<boolean> | undefined;
  let waiting: (() => void)[] | undefined;
  class Double extends RedisDouble {
    override readonly makeClient = this.clientsAt({
      ...{ time, toServerMs: () => 0, fromServerMs: () => 0, canConnect: () => true },
      run: (task) => (waiting === undefined ? task() : void waiting.push(task)),
    });

    /** The process is busy from the read of the version on, and its commit is under way. */
    override execute(command: string, args: readonly RedisArgument[]) {
      if (command === 'GET' && made === undefined && commit !== undefined) {
        waiting = [];
        made = commit();
      }
      return super.execute(command, args);
    }
  }
  const store = await openOn(new Double({ time }), time);
  const grant = await takenGrant(store, 5);
  store.serve();
  await store.commit([], [write], grant);
  commit = () => store.commit([], [write], grant);
  const absent = store.get(['p', 5, 'absent']);
  await vi.waitUntil(async () => {
    await time.advance(1);
    return waiting?.length === 2;
  });
  const answers = waiting ?? [];
  waiting = undefined;
  for (const answer of answers) answer();
  expect(await Promise.allSettled([absent, made])).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: true },
  ]);
  await store.close();
});

test('a grant ends if what a client gave up was made and read, and is then lost', async () => {
  const time = TestTime.running();
  let delayMs = 0;
  const double = new RedisDouble({ time, delayMs: () => delayMs });
  const store = await openOn(double, time);
  const grant = await takenGrant(store, 5);
  store.serve();
  const kept = new RedisData(double.data.nowMs);
  double.data.copyTo(kept);
  const write = { key: ['p', 5, 'car'], value: 1 };
  delayMs = 600;
  const given = expect(store.commit([], [write], grant)).rejects.toMatchObject({
    reason: 'unknown',
  });
  // It arrives, and its answer is too late.
  await time.advance(1050);
  await given;
  delayMs = 0;
  await time.advance(100);
  await expect.poll(() => store.isReady).toBe(true);
  expect((await store.get(write.key))?.value).toBe(1);
  expect(await store.claims.renew([grant])).toEqual([]);
  kept.copyTo(double.data);
  const reason = 'the store lost its last writes';
  expect(await store.claims.renew([grant])).toEqual([{ grant, reason }]);
  await store.close();
});

/** With time for the answers to what timers send. */
async function passSlowly(time: TestTime, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 10) await time.advance(10);
}

async function answering({ heartbeats }: RedisStore): Promise<void> {
  const send = () => heartbeats.send('answering', undefined).catch(() => undefined);
  await expect.poll(send).toBeDefined();
}

test('a take whose answer is lost does not keep the process from the partition', async () => {
  const time = TestTime.running();
  let delayMs = 0;
  const double = new RedisDouble({ time, delayMs: () => delayMs });
  const store = await openOn(double, time);
  store.serve();
  for (const lateMs of [600, 3000]) {
    delayMs = lateMs;
    const given = expect(store.claims.take(5, 'free')).rejects.toMatchObject({ reason: 'failed' });
    await time.advance(550);
    await given;
    delayMs = 0;
    if (lateMs === 600) await time.advance(100);
    expect(double.data.get('dt:{p05}:lease') !== undefined).toBe(lateMs === 600);
    await answering(store);
    const grant = await takenGrant(store, 5);
    // What was given up arrives, and is too late to take the partition from the later grant.
    await passSlowly(time, 2500);
    expect(await store.claims.renew([grant])).toEqual([]);
    await store.claims.release([grant]);
  }
  await store.close();
});

/** What is sent meanwhile is on its way for this long; an answer to a slow lease would come too late. */
const SLOW_MS = 450;

/** A store whose connection for data is made again if a command has no answer in 100 ms. */
async function impatientStore() {
  const time = TestTime.running();
  const way = { delayMs: 0 };
  const double = new RedisDouble({ time, delayMs: () => way.delayMs });
  const store = await openOn(double, time, 'test', { commandTimeoutMs: 100 });
  store.serve();
  const endConnection = async () => {
    way.delayMs = 60_000;
    const asked = expect(store.get(['p', 5, 'car'])).rejects.toMatchObject({ reason: 'failed' });
    way.delayMs = 0;
    await passSlowly(time, SLOW_MS + 50);
    await asked;
    expect(store.isReady).toBe(true);
  };
  return { time, way, double, store, endConnection };
}

test('a partition that is taken while the connection is made again can be written', async () => {
  const { way, store, endConnection } = await impatientStore();
  way.delayMs = SLOW_MS;
  const taking = takenGrant(store, 5);
  await endConnection();
  expect(await store.commit([], [{ key: ['p', 5, 'car'], value: 1 }], await taking)).toBe(true);
  await store.close();
});

test('a process that enters again while the connection is made again can write', async () => {
  const { way, double, store, endConnection } = await impatientStore();
  double.data.delete(`dt:{dp}:writer:${store.heartbeats.process}.1`);
  const lost = Promise.withResolvers<void>();
  store.claims.onTrouble(() => {
    way.delayMs = SLOW_MS;
    lost.resolve();
  });
  const sending = store.heartbeats.send(1, undefined);
  await lost.promise;
  // It is on its way to enter.
  await nextTurn();
  store.claims.onTrouble(() => {});
  await endConnection();
  expect((await sending).nodes.size).toBe(1);
  expect(await store.commit([], [{ key: ['account'], value: 1 }])).toBe(true);
  await store.close();
});

test('leases are to be renewed over each new connection', async () => {
  const { store, endConnection } = await impatientStore();
  await takenGrant(store, 5);
  let count = 0;
  store.claims.onTrouble(() => {
    count++;
  });
  await endConnection();
  expect(count).toBe(1);
  await store.close();
});

test('a late heartbeat changes nothing', async () => {
  const time = TestTime.running();
  let delayMs = 0;
  const double = new RedisDouble({ time, delayMs: () => delayMs });
  const store = await openOn(double, time);
  delayMs = 3000;
  const given = expect(store.heartbeats.send('early', undefined)).rejects.toThrow('failed');
  await time.advance(550);
  await given;
  delayMs = 0;
  await time.advance(100);
  await answering(store);
  const told = () =>
    double.data.field('dt:{dp}:nodes', store.heartbeats.process)?.toString('latin1');
  const before = told();
  await passSlowly(time, 3000);
  expect(told()).toBe(before);
  expect(before).toContain('answering');
  await store.close();
});

test('three nodes at rest make fewer than 60 calls a second', async () => {
  const time = TestTime.standing(Date.parse('2026-01-01'));
  const double = new RedisDouble({ time });
  const execute = vi.spyOn(double, 'execute');
  const stores = await Promise.all(
    ['a', 'b', 'c'].map((name) => time.advanceUntil(openOn(double, time, name))),
  );
  for (const [i, { claims, heartbeats }] of stores.entries()) {
    const grants = Array.from({ length: 64 }, (_, p) => p).filter((p) => p % 3 === i);
    const held = await Promise.all(grants.map((partition) => claims.take(partition, 'free')));
    time.every(claims.renewalMs, async () => {
      expect(await claims.renew(held as Grant[])).toEqual([]);
    });
    time.every(1000, () => heartbeats.send({ node: i }, undefined));
  }
  execute.mockClear();
  const seconds = 12;
  await passSlowly(time, seconds * 1000);
  const calls = execute.mock.calls.length;
  expect(calls).toBeLessThan(60 * seconds);
  expect(calls).toBeGreaterThan(40 * seconds);
  await Promise.all(stores.map((store) => store.close()));
});

test('the clock of the cluster follows a reading that is more than 500 ms off', async () => {
  const time = TestTime.standing(Date.parse('2026-01-01'));
  const double = new RedisDouble({ time });
  const store = await time.advanceUntil(openOn(double, time));
  const clockAt = async (readingMs?: number) => (await store.heartbeats.send(1, readingMs)).clockMs;
  const startMs = await clockAt();
  expect(startMs).toBe(time.wallMs());
  expect(await clockAt(startMs + 500)).toBe(startMs);
  expect(await clockAt(startMs + 501)).toBe(startMs + 501);
  expect(await clockAt(startMs)).toBe(startMs + 501);
  await store.close();
});

test('a node that was paused finds that another has taken its partitions', async () => {
  const time = TestTime.running();
  const double = new RedisDouble({ time });
  const first = await openOn(double, time, 'first');
  const grant = await takenGrant(first, 5);
  double.data.endLeases();
  const second = await openOn(double, time, 'second');
  const taken = await takenGrant(second, 5);
  first.serve();
  second.serve();
  expect(taken.epoch).toBeGreaterThan(grant.epoch);
  const write = { key: ['p', 5, 'car'], value: 1 };
  await expect(first.commit([], [write], grant)).rejects.toMatchObject({ reason: 'failed' });
  expect(await second.commit([], [write], taken)).toBe(true);
  await Promise.all([first.close(), second.close()]);
});

test('a give that the server has lost again leaves the receiver its lease', async () => {
  const time = TestTime.running();
  let delayMs = 0;
  const double = new RedisDouble({ time, delayMs: () => delayMs });
  const [giver, receiver] = [await openOn(double, time, 'a'), await openOn(double, time, 'b')];
  const grant = await takenGrant(giver, 5);
  const { token } = receiver.claims.reserve(5);
  const saved = new RedisData(double.data.nowMs);
  double.data.copyTo(saved);
  let outcome: string | undefined;
  delayMs = 100;
  void giver.claims.give(grant, token).then((each) => {
    outcome = each;
  });
  // It has arrived, and its answer has not.
  await time.advance(150);
  expect(double.data.get('dt:{p05}:lease')).toBe(token);
  delayMs = 0;
  double.kill();
  saved.copyTo(double.data);
  double.start();
  await time.advance(LEASE_MS / 2);
  await giver.claims.renew([grant]);
  expect([grant.untilMs() > time.now(), outcome]).toEqual([true, undefined]);
  await time.advance(LEASE_MS);
  expect(outcome).toBe('kept');
  await Promise.all([giver.close(), receiver.close()]);
});
