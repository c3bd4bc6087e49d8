import { expect, test } from 'vitest';
import { itemsOf, resultOf } from '../testing/doubles/long-list.ts';
import { worldRecord } from '../testing/doubles/world-record.ts';
import { packChanges } from '../twin/journal.ts';
import { changeList } from './change-list.ts';

const LIVED_COUNT = 300;
const changeAt = (tick: number) => ({ tick, car: tick % 20, touched: 1, values: tick % 2 });
const all = Array.from({ length: 1000 }, (_, i) => changeAt(i));

/** A world that was created with 300 changes. */
function listOf(count: number, range = {}) {
  const seen = { firstReads: 0 };
  const records = {
    firstChanges: async () => {
      seen.firstReads++;
      return packChanges(all.slice(0, LIVED_COUNT));
    },
    laterChanges: async (_: number, afterSeq: number, toSeq = 0) =>
      all.slice(afterSeq, toSeq).map((change, i) => ({ seq: afterSeq + i + 1, ...change })),
  };
  const record = worldRecord({ livedCount: LIVED_COUNT });
  return { list: changeList({ world: 1, record, records, name: 'w' }, count, range), seen };
}

const ticks = (changes: readonly { tick: number }[]) => changes.map(({ tick }) => tick);

test('[T16] pages together are the whole journal', async () => {
  const { list, seen } = listOf(1000);
  expect(ticks(await itemsOf(list))).toEqual(ticks(all));
  expect(seen.firstReads).toBe(1);
  const { list: part } = listOf(1000, { after: 250, limit: 300 });
  expect(ticks(await itemsOf(part))).toEqual(ticks(all.slice(250, 550)));
  const { list: nothing } = listOf(1000, { after: 1000 });
  expect(await itemsOf(nothing)).toEqual([]);
});

test('[I34] a change alters the tag and the last page only', async () => {
  const [before, after] = [listOf(999), listOf(1000)];
  expect(after.list.tag).not.toBe(before.list.tag);
  const names = async ({ list }: typeof before) =>
    (await resultOf(list.pages())).map(({ name }) => name);
  const [old, now] = [await names(before), await names(after)];
  expect(now.slice(0, 3)).toEqual(old.slice(0, 3));
  expect(now[3]).not.toBe(old[3]);
  expect(new Set([...old, ...now]).size).toBe(5);
  expect(await names(listOf(1000, { after: 1 }))).toEqual([undefined, ...now.slice(1)]);
});
