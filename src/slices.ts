import type { Time } from './time.ts';

/** Items of a slice: some hundred µs of work. */
export const SLICE_ITEMS = 256;

/**
 * Lets long work on the main thread return to the event loop after each slice. Of all work that waits
 * here one slice is done in a turn of the event loop, in rotation.
 */
export class Slices {
  readonly #time: Pick<Time, 'immediate'>;
  #last: Promise<void> = Promise.resolve();

  constructor(time: Pick<Time, 'immediate'>) {
    this.#time = time;
  }

  /** Resolves in a turn of the event loop in which nobody else gets one. */
  next(): Promise<void> {
    this.#last = this.#last.then(
      () => new Promise<void>((resolve) => void this.#time.immediate(resolve)),
    );
    return this.#last;
  }

  /** Does work for each item in order. The first slice is done at once. */
  async each<Item>(items: readonly Item[], work: (item: Item) => void): Promise<void> {
    for (const [i, item] of items.entries()) {
      if (i > 0 && i % SLICE_ITEMS === 0) await this.next();
      work(item);
    }
  }

  async map<Item, Result>(items: readonly Item[], make: (item: Item) => Result): Promise<Result[]> {
    const results: Result[] = [];
    await this.each(items, (item) => results.push(make(item)));
    return results;
  }
}
