import { firstFrom, type Ordered } from './sorted-items.ts';

/** A part of a list; the whole list if nothing is given. */
export interface Page {
  /** Only items after this one. */
  after?: string | null | undefined;
  limit?: number | null | undefined;
}

/** A list as its caller sees it. */
export interface Listing {
  /** Changes with everything that the caller sees in the list. */
  readonly tag: string;
  /** Number of entries. */
  readonly count: number;
  /** The JSON of the entries in their order, some at a time. */
  readonly batches: Iterable<readonly string[]> | AsyncIterable<readonly string[]>;
}

export function pageOf<T extends Ordered>(
  items: readonly T[],
  { after, limit }: Page,
): readonly T[] {
  if (after == null && limit == null) return items;
  const from = after == null ? 0 : firstFrom(items, after);
  const first = items[from]?.order === after ? from + 1 : from;
  return items.slice(first, limit == null ? undefined : first + limit);
}

/** What `make` makes of slices of a list, one at a time. */
export function* batchesOf<T, R>(
  items: readonly T[],
  size: number,
  make: (batch: readonly T[]) => R,
): Generator<R> {
  for (let i = 0; i < items.length; i += size) yield make(items.slice(i, i + size));
}
