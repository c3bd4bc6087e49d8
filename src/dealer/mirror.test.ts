import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemRandom } from '../random.ts';
import { SLICE_ITEMS } from '../slices.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { faultyStore } from '../testing/doubles/faulty-store.ts';
import { nextTurn } from '../testing/doubles/test-time.ts';
import { TurnCount } from '../testing/doubles/turn-count.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { Mirror } from './mirror.ts';
import { keys } from './records.ts';
import { Registry } from './registry.ts';

interface Item {
  order: string;
  value: number;
}

let temp: TempStore<EmbeddedStore>;
beforeEach(async () => {
  temp = await tempStore(openIn);
});
afterEach(() => temp.destroy());

function open(store = faultyStore(temp.store, systemTime)) {
  const registry = new Registry(store, systemRandom, systemTime);
  const counts = { sum: 0 };
  const tally = {
    count: ({ value }: Item, by: 1 | -1) => {
      counts.sum += by * value;
    },
    clear: () => {
      counts.sum = 0;
    },
  };
  const made = new TurnCount();
  const itemOf = (record: Item) => {
    made.add();
    return record;
  };
  const kind = { prefix: keys.cars, itemOf };
  const mirror = new Mirror<Item, Item>(registry, kind, tally);
  const put = (order: string, value: number) =>
    registry.change(async (transaction) => {
      transaction.put(keys.car(transaction.generation, order), { order, value });
    });
  const remove = (order: string) =>
    registry.change(async (transaction) => {
      transaction.remove(keys.car(transaction.generation, order));
    });
  const read = async () => mirror.read((await registry.edition()).revision);
  const text = async () => (await read()).items.map(({ order, value }) => order + value).join(' ');
  return { store, registry, mirror, counts, made, put, remove, read, text };
}

test('it follows the changes of its process without reading a list', async () => {
  const { store, counts, put, remove, read, text } = open();
  await put('b', 1);
  expect(await text()).toBe('b1');
  const lists = vi.spyOn(store, 'list');
  const before = await read();
  await put('c', 2);
  await put('a', 3);
  await put('b', 4);
  expect([await text(), counts.sum]).toEqual(['a3 b4 c2', 9]);
  await remove('a');
  await remove('nobody');
  expect([await text(), counts.sum]).toEqual(['b4 c2', 6]);
  expect(before.items).toEqual([{ order: 'b', value: 1 }]);
  expect((await read()).stamp).not.toBe(before.stamp);
  expect(lists).not.toHaveBeenCalled();
});

test('[R37] it follows a long commit in slices, and shows all of it or nothing', async () => {
  const { registry, counts, made, put, read } = open();
  await put('z', 1);
  await read();
  const names = Array.from({ length: 4 * SLICE_ITEMS }, (_, i) => `a${i}`);
  await registry.change(async (transaction) => {
    for (const order of names) {
      transaction.put(keys.car(transaction.generation, order), { order, value: 1 });
    }
  });
  const [during] = await Promise.all([read(), put('z', 2)]);
  expect(during.items).toHaveLength(names.length + 1);
  expect((await read()).items.at(-1)).toEqual({ order: 'z', value: 2 });
  expect(counts.sum).toBe(names.length + 2);
  expect(made.most).toBe(SLICE_ITEMS);
});

test('it shows what another process has changed, also if it changed something itself meanwhile', async () => {
  const [one, other] = [open(), open()];
  await one.put('a', 1);
  expect([await one.text(), await other.text()]).toEqual(['a1', 'a1']);
  await other.put('b', 2);
  expect([await one.text(), await other.text()]).toEqual(['a1 b2', 'a1 b2']);
  await other.put('c', 3);
  await one.put('d', 4);
  expect([await one.text(), one.counts.sum]).toEqual(['a1 b2 c3 d4', 10]);
  await Promise.all([one.put('e', 5), other.put('f', 6)]);
  expect([await one.text(), await other.text()]).toEqual(Array(2).fill('a1 b2 c3 d4 e5 f6'));
});

test('a snapshot and its stamp are of the same moment', async () => {
  const { put, read } = open();
  await put('a', 1);
  const seen: [stamp: string, text: string][] = [];
  const writing = Promise.all(Array.from({ length: 20 }, (_, i) => put('a', i)));
  for (let i = 0; i < 200; i++) {
    const { items, stamp } = await read();
    seen.push([stamp, JSON.stringify(items)]);
  }
  await writing;
  const texts = Map.groupBy(seen, ([stamp]) => stamp);
  for (const [, each] of texts) expect(new Set(each.map(([, text]) => text)).size).toBe(1);
});

test('it reads everything again after a commit whose outcome is not known', async () => {
  const { store, put, text } = open();
  await put('a', 1);
  await text();
  store.setFault({ kind: 'unknown' });
  await expect(put('b', 2)).rejects.toMatchObject({ reason: 'unknown' });
  store.setFault({ kind: 'none' });
  expect(await text()).toBe('a1 b2');
});

test('it misses no commit that ends while it reads', async () => {
  const { store, put, text } = open();
  await put('a', 1);
  const list = store.list.bind(store);
  vi.spyOn(store, 'list').mockImplementationOnce(async (prefix, page) => {
    const found = await list(prefix, page);
    await put('b', 2);
    return found as never;
  });
  expect(await text()).toBe('a1 b2');
});

test('it shows what there is while another process changes records all the time', async () => {
  const [one, other] = [open(), open()];
  await other.put('a', 1);
  const list = one.store.list.bind(one.store);
  let value = 1;
  vi.spyOn(one.store, 'list').mockImplementation(async (prefix, page) => {
    const found = await list(prefix, page);
    await other.put('a', ++value);
    // Somebody else at this node sees that.
    await one.registry.epoch((await one.registry.edition()).revision);
    return found as never;
  });
  const { items } = await one.read();
  expect(items).toMatchObject([{ order: 'a', value: expect.any(Number) }]);
  // As of one moment, had there been one: it has tried more than once.
  expect(value).toBeGreaterThan(2);
});

test('it shows nothing of a store that has lost its records', async () => {
  const { store, put, text } = open();
  await put('a', 1);
  await text();
  const entries = await store.list([], { limit: 100 });
  await store.commit(
    [],
    entries.map(({ key }) => ({ key, remove: true as const })),
  );
  await expect(text()).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'failed' });
  await expect(put('b', 2)).rejects.toMatchObject({ reason: 'failed' });
});

test('it shows what a store that was restored from a backup has', async () => {
  const { store, put, text, registry } = open();
  await put('a', 1);
  const backup = new Map<string, unknown>();
  // An earlier version of the revision comes back with an earlier list.
  const get = store.get.bind(store);
  backup.set('revision', await get(keys.revision));
  await put('b', 2);
  expect(await text()).toBe('a1 b2');
  await temp.store.commit([], [{ key: keys.car(0, 'b'), remove: true }]);
  vi.spyOn(store, 'get').mockImplementation(async (key) =>
    key === keys.revision ? (backup.get('revision') as never) : get(key),
  );
  expect((await registry.edition()).revision).toBeGreaterThan(0);
  expect(await text()).toBe('a1');
});

test('a read for which the store does not answer fails, once', async () => {
  const { store, registry, mirror, put } = open();
  await put('a', 1);
  const { revision } = await registry.edition();
  store.setFault({ kind: 'gone' });
  await expect(mirror.read(revision)).rejects.toThrow('store failed');
  // A second failure would be nobody's: the test run ends with an error then.
  await nextTurn();
});
