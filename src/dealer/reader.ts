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
    return (await this.entriesBelow<T>(prefix)).map(({ value }) => value);
  }

  async keysBelow(prefix: Key): Promise<Key[]> {
    return (await this.entriesBelow(prefix)).map(({ key }) => key);
  }

  async entriesBelow<T>(prefix: Key): Promise<Entry<T>[]> {
    const entries: Entry<T>[] = [];
    for (;;) {
      const last = entries.at(-1);
      const page = last === undefined ? { limit: PAGE } : { limit: PAGE, after: last.key };
      const some = await this.store.list<T>(prefix, page);
      entries.push(...some);
      if (some.length < PAGE) return entries;
    }
  }
}
