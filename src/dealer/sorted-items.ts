/** What a list is sorted by. */
export interface Ordered {
  /** Unique in its list; compared by UTF-16 code unit. */
  readonly order: string;
}

/** Items in their order. A snapshot of them does not change later. */
export class SortedItems<T extends Ordered> {
  #items: T[];
  /** A snapshot shares the array. */
  #isShared = false;

  constructor(items: T[] = []) {
    this.#items = items.sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  get length(): number {
    return this.#items.length;
  }

  get snapshot(): readonly T[] {
    this.#isShared = true;
    return this.#items;
  }

  /** Adds an item, or replaces the one with its order. */
  put(item: T): void {
    const items = this.#own();
    const i = firstFrom(items, item.order);
    items.splice(i, items[i]?.order === item.order ? 1 : 0, item);
  }

  remove(order: string): void {
    const items = this.#own();
    const i = firstFrom(items, order);
    if (items[i]?.order === order) items.splice(i, 1);
  }

  #own(): T[] {
    if (this.#isShared) this.#items = this.#items.slice();
    this.#isShared = false;
    return this.#items;
  }
}

/** Index of the first item whose order is not before the given one. */
export function firstFrom(items: readonly Ordered[], order: string): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as Ordered).order < order) low = middle + 1;
    else high = middle;
  }
  return low;
}
