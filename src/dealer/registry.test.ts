import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemRandom } from '../random.ts';
import type { Heartbeats } from '../store/contract.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { sharedStore } from '../testing/doubles/shared-store.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { keys } from './records.ts';
import { Registry } from './registry.ts';
import type { Transaction } from './transaction.ts';

let temp: TempStore<EmbeddedStore>;
let registry: Registry;
beforeEach(async () => {
  temp = await tempStore(openIn);
  registry = new Registry(temp.store, systemRandom, systemTime);
});
afterEach(() => temp.destroy());

const COUNTERS = ['a', 'b', 'c', 'd'];
const EACH = 60;

const keyOf = (name: string) => ['test', name];
const increment = (name: string) =>
  registry.change(async (transaction) => {
    const value = ((await transaction.get<number>(keyOf(name))) ?? 0) + 1;
    transaction.put(keyOf(name), value);
    return value;
  });

test('of changes of a record that meet, each is made once', async () => {
  const names = Array.from({ length: EACH }, () => COUNTERS).flat();
  const made = await Promise.all(names.map((name) => increment(name)));
  const counted = Array.from({ length: EACH }, (_, i) => i + 1);
  for (const [i, name] of COUNTERS.entries()) {
    const values = made.filter((_, at) => at % COUNTERS.length === i);
    expect([name, values.toSorted((x, y) => x - y)]).toEqual([name, counted]);
  }
});

test('a change that is repeated does not wait for those of other records', async () => {
  const held = Promise.withResolvers<void>();
  const { commit } = temp.store;
  let commitsOfA = 0;
  vi.spyOn(temp.store, 'commit').mockImplementation(async (checks, writes) => {
    const isOfA = writes.some(({ key }) => key.at(-1) === 'a');
    // Of three at once, the first one makes the others fail: these are repeated.
    if (isOfA && ++commitsOfA > 3) await held.promise;
    return commit.call(temp.store, checks, writes);
  });
  const ofA = [increment('a'), increment('a'), increment('a')];
  const ofB = [increment('b'), increment('b'), increment('b')];
  expect((await Promise.all(ofB)).toSorted()).toEqual([1, 2, 3]);
  held.resolve();
  expect((await Promise.all(ofA)).toSorted()).toEqual([1, 2, 3]);
});

test('changes of one subject do not meet each other, so that each is tried once', async () => {
  const commit = vi.spyOn(temp.store, 'commit');
  await increment('a');
  commit.mockClear();
  const add = () =>
    registry.change(async (transaction) => {
      const value = (await transaction.get<number>(keyOf('a'))) ?? 0;
      transaction.put(keyOf('a'), value + 1);
      return value;
    }, 'a');
  expect(await Promise.all([add(), add(), add()])).toEqual([1, 2, 3]);
  expect(commit).toHaveBeenCalledTimes(3);
});

test('changes that fail because another process took the records over are repeated together', async () => {
  await increment('a');
  const taken = Promise.withResolvers<void>();
  const { commit } = temp.store;
  const commits = vi.spyOn(temp.store, 'commit');
  commits.mockImplementation(async (checks, writes) => {
    if (writes.some(({ key }) => key === keys.revision)) await taken.promise;
    return commit.call(temp.store, checks, writes);
  });
  // More than may wait for a turn.
  const names = Array.from({ length: 600 }, (_, i) => `record ${i}`);
  const changes = Promise.all(names.map((name) => increment(name)));
  await new Registry(temp.store, systemRandom, systemTime).takeOver();
  taken.resolve();
  expect(new Set(await changes)).toEqual(new Set([1]));
  const made = commits.mock.calls.filter(([, [write]]) =>
    String(write?.key[1]).startsWith('record'),
  );
  expect(made).toHaveLength(2 * names.length);
});

test('a long change that runs alone is tried once, and the others are made after it', async () => {
  const work = vi.fn(async (transaction: Transaction) => {
    const seen = await transaction.all<number>(['test']);
    for (let i = 0; i < 100; i++) await registry.slices.next();
    transaction.put(keyOf('sum'), seen.length);
  });
  const before = increment('a');
  const alone = registry.changeAlone(work);
  const after = [increment('b'), registry.changeAlone(work), increment('c')];
  await Promise.all([before, alone, ...after]);
  expect(work).toHaveBeenCalledTimes(2);
  const values = (await temp.store.list(['test'], { limit: 10 })).map(({ value }) => value);
  // The first has seen `a` alone, the second `a` and its sum, and the others where they came first.
  expect(values.slice(0, 3)).toEqual([1, 1, 1]);
  expect(values[3]).toBeOneOf([2, 3, 4]);
});

test('a change that runs alone is repeated if another process changes a record', async () => {
  await increment('a');
  const other = new Registry(temp.store, systemRandom, systemTime);
  let attempts = 0;
  await registry.changeAlone(async (transaction) => {
    const value = await transaction.peek<number>(keyOf('a'));
    if (++attempts === 1) {
      await other.change(async (theirs) => theirs.put(keyOf('a'), 5));
    }
    transaction.put(keyOf('b'), value);
  });
  expect(attempts).toBe(2);
  expect((await temp.store.get(keyOf('b')))?.value).toBe(5);
});

test('others go on after a change that ran alone and failed', async () => {
  const failing = registry.changeAlone(async () => {
    throw new Error('refused');
  });
  const after = increment('a');
  await expect(failing).rejects.toThrow('refused');
  expect(await after).toBe(1);
});

describe('after the store may have lost its last writes', () => {
  let heartbeats: Heartbeats & { lossCount: number };
  beforeEach(() => {
    const store = sharedStore(temp.store, 'own', systemTime);
    heartbeats = { ...(store.heartbeats as Heartbeats), lossCount: 1 };
    registry = new Registry({ ...store, heartbeats }, systemRandom, systemTime);
  });

  test('a change is repeated that was under way', async () => {
    let attempts = 0;
    const commit = vi.spyOn(temp.store, 'commit');
    await registry.change(async (transaction) => {
      await transaction.get(keyOf('a'));
      if (++attempts === 1) heartbeats.lossCount++;
      transaction.put(keyOf('a'), attempts);
    });
    const writes = commit.mock.calls.flatMap(([, each]) => each);
    const ofA = writes.filter(({ key }) => key.at(-1) === 'a');
    expect(ofA).toEqual([{ key: keyOf('a'), value: 2 }]);
  });

  test('who owns the records is read again', async () => {
    await increment('a');
    const get = vi.spyOn(temp.store, 'get');
    const ownerReads = () => get.mock.calls.filter(([key]) => key === keys.owner).length;
    await increment('a');
    expect(ownerReads()).toBe(0);
    heartbeats.lossCount++;
    await increment('a');
    expect(ownerReads()).toBe(1);
  });
});
