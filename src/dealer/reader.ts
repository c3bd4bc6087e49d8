import type { Entry, Key, Store } from '../store/contract.ts';

/** Records per request to the store. */
export const PAGE = 1000;

/** A state of the store. */
export interface Edition {
  generation: number;
  /** Differs after every change. */
  revision: number;
}

/** Reads the records of one generation. */
export class Reader {
  readonly generation: number;
  readonly revision: number;
  protected readonly store: Store;

  constructor(store: Store, { generation, revision }: Edition) {
    this.store = store;
    this.generation = generation;
    this.revision = revision;
  }

  async get<T>(key: Key): Promise<T | undefined> {
    return (await this.store.get<T>(key))?.value;
  }

  /** All values below a prefix, ordered by key. */
  async all<T>(prefix: Key): Promise<T[]> {
    const values: T[] = [];
    for await (const page of this.pages<T>(prefix))
      for (const { value } of page) values.push(value);
    return values;
  }

  async keysBelow(prefix: Key): Promise<Key[]> {
    const found: Key[] = [];
    for await (const page of this.pages(prefix)) for (const { key } of page) found.push(key);
    return found;
  }

  /** The values below a prefix whose keys end with the numbers from `first` on, in their order; `count` numbers. */
  async numbered<T>(prefix: Key, first: number, count: number): Promise<T[]> {
    const page = { after: [...prefix, first - 1], before: [...prefix, first + count] };
    const entries = await this.store.list<T>(prefix, { limit: count, ...page });
    return entries.map(({ value }) => value);
  }

  /** All entries below a prefix, ordered by key, some at a time. */
  async *pages<T>(prefix: Key): AsyncGenerator<readonly Entry<T>[]> {
    for (let after: Key | undefined; ; ) {
      const page = await this.store.list<T>(prefix, { limit: PAGE, ...(after && { after }) });
      yield page;
      if (page.length < PAGE) return;
      after = page.at(-1)?.key;
    }
  }
}
