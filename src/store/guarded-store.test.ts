import { pino } from 'pino';
import { expect, it } from 'vitest';
import { DISK_WAIT_MS, STORE_WAIT_MS } from '../limits.ts';
import { nextTurn, TestTime } from '../testing/doubles/test-time.ts';
import { type Store, StoreUnavailable } from './contract.ts';
import { endlessClaims } from './endless-claims.ts';
import { GuardedStore } from './guarded-store.ts';

/** The guarded store of a node that serves; its engine answers commits when the test says so. */
function setUp(engine: Store['engine'] = 'redis') {
  const { store, ...parts } = setUpStarting(engine);
  store.serve();
  return { store, ...parts };
}

/** The same of a node that starts. */
function setUpStarting(engine: Store['engine'] = 'redis') {
  const asked: PromiseWithResolvers<boolean>[] = [];
  const logged: string[] = [];
  const outcomes: string[] = [];
  const inner: Store = {
    engine,
    claims: endlessClaims,
    heartbeats: undefined,
    get: async () => undefined,
    list: async () => [],
    count: async () => 0,
    commit: () => {
      const answer = Promise.withResolvers<boolean>();
      asked.push(answer);
      return answer.promise;
    },
    close: async () => {},
  };
  const time = TestTime.standing();
  const log = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line).msg) });
  const store = new GuardedStore(inner, { log, time });
  const commit = async (writeCount = 0) => {
    const i = outcomes.push('waits') - 1;
    const writes = Array.from({ length: writeCount }, (_, n) => ({ key: [n], value: n }));
    try {
      outcomes[i] = String(await store.commit([], writes));
    } catch (error) {
      outcomes[i] = (error as StoreUnavailable).reason;
      return error as StoreUnavailable;
    }
    return undefined;
  };
  return { store, time, asked, logged, outcomes, commit };
}

it('passes on what the engine answers in time', async () => {
  const { time, asked, outcomes, commit, logged } = setUp();
  void commit();
  await time.advance(STORE_WAIT_MS / 2);
  // As long as the process is paused nothing can be answered.
  await time.jump(10 * STORE_WAIT_MS);
  void commit();
  asked[0]?.resolve(true);
  asked[1]?.resolve(false);
  await nextTurn();
  await time.advance(10 * STORE_WAIT_MS);
  expect(outcomes).toEqual(['true', 'false']);
  expect(logged).toEqual([]);
});

it('measures its answers, and counts what was not carried out by why', async () => {
  const { store, time, asked, commit } = setUp();
  await store.get(['a']);
  await store.list(['a'], { limit: 1 });
  void commit();
  expect(store.pendingCount).toBe(1);
  await time.advance(40);
  asked[0]?.resolve(true);
  await nextTurn();
  const { get, list, commit: commits } = store.durations;
  expect([get.count, list.count, commits.count]).toEqual([1, 1, 1]);
  expect(commits.sumS).toBe(0.04);
  void commit();
  asked[1]?.reject(new StoreUnavailable('full'));
  await nextTurn();
  expect(store.failures).toEqual({ full: 1, failed: 0, unknown: 0, closed: 0 });
  expect(store.pendingCount).toBe(0);
});

it('counts a commit whose outcome is unknown once, and those that are refused meanwhile', async () => {
  const { store, time, asked, commit } = setUp();
  void commit();
  await time.advance(2 * STORE_WAIT_MS);
  void commit();
  asked[0]?.reject(new StoreUnavailable('failed'));
  await nextTurn();
  expect(store.failures).toEqual({ full: 0, failed: 1, unknown: 1, closed: 0 });
});

it('[O12] gives a commit of a node that starts twenty seconds', async () => {
  const { store, time, outcomes, commit } = setUpStarting();
  void commit();
  await time.advance(19_000);
  expect(outcomes).toEqual(['waits']);
  await time.advance(1000);
  expect(outcomes).toEqual(['unknown']);
  store.serve();
});

it('gives a long commit, and what waits behind it, longer', async () => {
  const { time, asked, outcomes, commit } = setUp();
  void commit(65_536);
  await time.advance(STORE_WAIT_MS / 2);
  void commit();
  await time.advance(3 * STORE_WAIT_MS);
  expect(outcomes).toEqual(['waits', 'waits']);
  for (const each of asked) each.resolve(true);
  await nextTurn();
  void commit();
  await time.advance(2 * STORE_WAIT_MS);
  expect(outcomes).toEqual(['true', 'true', 'unknown']);
});

it('waits longer for a disk than for Redis', async () => {
  const { time, outcomes, commit } = setUp('embedded');
  void commit();
  await time.advance(DISK_WAIT_MS - 250);
  expect(outcomes).toEqual(['waits']);
  await time.advance(250);
  expect(outcomes).toEqual(['unknown']);
});

it('waits for an engine that is slow but answers, however long a commit waits', async () => {
  const { time, asked, outcomes, commit, logged } = setUp();
  void commit();
  for (let i = 1; i <= 10; i++) {
    void commit();
    await time.advance(STORE_WAIT_MS - 250);
    asked[i]?.resolve(true);
    await nextTurn();
  }
  expect(outcomes[0]).toBe('waits');
  expect(logged).toEqual([]);
  void commit();
  await time.advance(STORE_WAIT_MS - 250);
  asked[11]?.reject(new StoreUnavailable('failed'));
  await time.advance(250);
  expect(outcomes[0]).toBe('unknown');
});

it('[R32] ends each commit in time where the engine hangs, and asks it no more until it answers', async () => {
  const { store, time, asked, outcomes, commit } = setUp();
  const first = commit();
  await time.advance(500);
  void commit();
  await time.advance(STORE_WAIT_MS - 500);
  void commit();
  await nextTurn();
  expect(outcomes).toEqual(['unknown', 'unknown', 'failed']);
  expect(asked).toHaveLength(2);
  expect(await store.get(['a'])).toBeUndefined();

  let isSettled = false;
  void (await first)?.settled?.then(() => {
    isSettled = true;
  });
  await nextTurn();
  expect(isSettled).toBe(false);
  asked[0]?.resolve(true);
  await nextTurn();
  expect(isSettled).toBe(true);
  void commit();
  expect(asked).toHaveLength(2);
  asked[1]?.reject(new StoreUnavailable('failed'));
  await nextTurn();
  void commit();
  asked[2]?.resolve(true);
  await nextTurn();
  expect(outcomes.slice(3)).toEqual(['failed', 'true']);
});

it('[R32] gives a commit its whole time again after a hang that ended with failures', async () => {
  const { time, asked, outcomes, commit } = setUp();
  void commit();
  await time.advance(STORE_WAIT_MS);
  asked[0]?.reject(new StoreUnavailable('failed'));
  await nextTurn();
  void commit();
  await time.advance(STORE_WAIT_MS - 250);
  expect(outcomes).toEqual(['unknown', 'waits']);
  asked[1]?.resolve(true);
  await nextTurn();
  expect(outcomes).toEqual(['unknown', 'true']);
});

it.each([
  ['full', 'the store is full: writes are refused'],
  ['failed', 'the store fails: writes are refused'],
  ['unknown', 'the store does not answer: writes are refused'],
] as const)(
  '[R33] logs once that the store is %s, and once that it works',
  async (reason, message) => {
    const { asked, logged, commit } = setUp();
    for (let i = 0; i < 3; i++) {
      const refused = commit();
      asked.at(-1)?.reject(new StoreUnavailable(reason));
      await refused;
    }
    expect(logged).toEqual([message]);
    for (let i = 0; i < 2; i++) {
      const made = commit(1);
      asked.at(-1)?.resolve(true);
      await made;
    }
    expect(logged).toEqual([message, 'the store accepts writes again']);
  },
);

it('[R33] does not take what a full store still accepts for the end of that', async () => {
  const { asked, logged, commit, store } = setUp();
  const full = commit();
  asked.at(-1)?.reject(new StoreUnavailable('full'));
  await full;
  const removed = store.commit([], [{ key: ['a'], remove: true }]);
  asked.at(-1)?.resolve(true);
  expect(await removed).toBe(true);
  const refused = commit();
  asked.at(-1)?.resolve(false);
  await refused;
  expect(logged).toHaveLength(1);
});
