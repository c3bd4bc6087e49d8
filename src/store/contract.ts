/**
 * What the product asks of a store. Every engine passes the same suite (`contract.suite.ts`).
 *
 * Keys are tuples, ordered element by element: numbers before strings, numbers by value, strings
 * by UTF-16 code unit. A key whose first element is `'p'` belongs to the partition in its second
 * (0 to 63); all keys of one commit belong to one partition, or to none. Values are what
 * MessagePack can carry (plain objects, arrays, strings, numbers, booleans, null, Uint8Array).
 */
export type KeyPart = string | number;
export type Key = readonly KeyPart[];

export interface Entry<T = unknown> {
  key: Key;
  value: T;
  /** Changes with every write of this key; never 0. */
  version: number;
}

/** The commit goes through only while the key has this version; `null`: only while it is absent. */
export interface Check {
  key: Key;
  version: number | null;
}

export type Write = { key: Key; value: unknown } | { key: Key; remove: true };

export interface Page {
  /** At most so many entries; 1 to 10,000. */
  limit: number;
  /** Begins behind this key. */
  after?: Key;
  /** Ends before this key. */
  before?: Key;
}

export interface Store {
  /** 'embedded' or 'redis', as the platform state shows it. */
  readonly engine: 'embedded' | 'redis';

  /** The entry at a key, or undefined. Throws StoreUnavailable. */
  get<T = unknown>(key: Key): Promise<Entry<T> | undefined>;

  /** Entries whose key begins with `prefix` (and is longer), in key order. Throws StoreUnavailable. */
  list<T = unknown>(prefix: Key, page: Page): Promise<Entry<T>[]>;

  /**
   * All writes or none. True once they are durable: embedded, on the disk; in Redis, as its
   * settings have it. False, and nothing written, where a check failed. Commits take effect in the
   * order of the calls, and a later one is checked against the writes of the earlier ones. Throws
   * StoreUnavailable, with nothing written as far as the engine can tell; where its reason is
   * 'unknown', all writes may have been made. Once a read goes through again it tells which: what
   * was not made by then never will be.
   */
  commit(checks: readonly Check[], writes: readonly Write[]): Promise<boolean>;

  /** Waits for what is under way, then closes. Idempotent. */
  close(): Promise<void>;
}

export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /**
   * 'full' where the device has no space left; 'unknown' where a commit may have been made all
   * the same.
   */
  readonly reason: 'full' | 'failed' | 'closed' | 'unknown';

  constructor(reason: StoreUnavailable['reason'], cause?: unknown) {
    super(`store ${reason}`, { cause });
    this.reason = reason;
  }
}
