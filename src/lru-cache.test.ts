import { expect, test } from 'vitest';
import { lruCache } from './lru-cache.ts';

test('a cache evicts the entry that was used least recently', () => {
  const cache = lruCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([...cache.keys()]).toEqual(['c', 'a']);
  cache.set('c', 4);
  expect([...cache.entries()]).toEqual([
    ['c', 4],
    ['a', 1],
  ]);
});

test('a cache takes no memory for entries that it does not have', () => {
  const moreThanAnArrayHolds = 2 ** 40;
  const cache = lruCache<string, number>(moreThanAnArrayHolds);
  cache.set('a', 1);
  expect(cache.get('a')).toBe(1);
});
