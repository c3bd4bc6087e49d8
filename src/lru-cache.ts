import { LRUCache } from 'lru-cache';

/**
 * A cache that evicts the entry that was used least recently when it has more than `entriesMax`. Its
 * memory grows with its entries: with the option `max`, LRUCache would take the memory of all of them
 * at once, which costs milliseconds of a start for each cache.
 */
export function lruCache<Key extends {}, Value extends {}>(
  entriesMax: number,
): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1 });
}
