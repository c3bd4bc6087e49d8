import type { Key, Store } from '../store/contract.ts';
import { orUnavailable } from './write-errors.ts';

/** An entry of the idle index. */
export interface DueWorld {
  key: Key;
  world: number;
}

/**
 * At most `limit` entries of a partition's idle index, after `after`, with slots before `before`.
 * Throws TwinError `store_unavailable`.
 */
export async function listDue(
  store: Store,
  partition: number,
  { before, limit, after }: { before: number; limit: number; after?: Key },
): Promise<DueWorld[]> {
  const prefix = ['p', partition, 'due'];
  const page = { limit, before: [...prefix, before], ...(after && { after }) };
  const entries = await orUnavailable(store.list(prefix, page));
  return entries.map(({ key }) => ({ key, world: Number(key.at(-1)) }));
}

/**
 * How many entries a partition's idle index has in the slot `from` and later. Throws TwinError
 * `store_unavailable`.
 */
export function countDue(store: Store, partition: number, from: number): Promise<number> {
  const prefix = ['p', partition, 'due'];
  // Sorts before every key of the slot.
  return orUnavailable(store.count(prefix, { after: [...prefix, from - 0.5] }));
}
