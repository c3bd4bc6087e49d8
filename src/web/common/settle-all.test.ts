import { expect, test } from 'vitest';
import { settleAll } from './settle-all.ts';

test('works on so many items at a time and no more, and says how far it is', async () => {
  const begun: number[] = [];
  const counts: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const all = settleAll(
    [0, 1, 2, 3, 4],
    2,
    async (item) => {
      begun.push(item);
      await promise;
      return item * 10;
    },
    (count) => counts.push(count),
  );
  expect(begun).toEqual([0, 1]);
  resolve();
  const values = (await all).map((outcome) => outcome.status === 'fulfilled' && outcome.value);
  expect(values).toEqual([0, 10, 20, 30, 40]);
  expect(counts).toEqual([1, 2, 3, 4, 5]);
});

test('goes on where one fails, and tells it in its place', async () => {
  const outcomes = await settleAll(['a', 'b', 'c'], 1, async (item) => {
    if (item === 'b') throw new Error(item);
    return item;
  });
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await settleAll([], 3, async () => 1)).toEqual([]);
});
