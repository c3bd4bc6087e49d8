/**
 * What the product expects of a store. Every engine passes the same suite
 * (`testing/suites/store/contract.suite.ts`).
 *
 * Keys are tuples, ordered element by element: numbers before strings, numbers by value, strings
 * by UTF-16 code unit. A key whose first element is `'p'` belongs to the partition in its second
 * (0 to 63); all keys of one commit belong to one partition, or to none. Values are what
 * MessagePack can carry (plain objects, arrays, strings, numbers, booleans, null, Uint8Array).
 */
export type KeyPart = string | number;
export type Key = readonly KeyPart[];

/** Unanswered bytes beyond which every engine refuses further commits. */
export const PENDING_BYTES_MAX = 64 * 2 ** 20;
/** Memory that an unanswered commit takes beside its keys and values. */
export const COMMIT_OVERHEAD_BYTES = 500;

export interface Entry<T = unknown> {
  key: Key;
  value: T;
  /** Changes with every write of this key; never 0. */
  version: number;
}

/** A condition of a commit: the key has this version; `null`: the key is absent. */
export interface Check {
  key: Key;
  version: number | null;
}

export type Write = { key: Key; value: unknown } | { key: Key; remove: true };

export interface Page {
  /** The most entries, 1 to 10,000. */
  limit: number;
  /** Begins behind this key. */
  after?: Key;
  /** Ends before this key. */
  before?: Key;
}

export interface Store {
  /** As the platform state shows it. */
  readonly engine: 'embedded' | 'redis';

  /** The entry at a key, or undefined. Rejects with StoreUnavailable. */
  get<T = unknown>(key: Key): Promise<Entry<T> | undefined>;

  /**
   * Entries whose key begins with `prefix` and is longer, in key order. Rejects with
   * StoreUnavailable.
   */
  list<T = unknown>(prefix: Key, page: Page): Promise<Entry<T>[]>;

  /**
   * Makes all writes or none. True once they are durable: embedded, on the disk; in Redis, as its
   * settings have it. False, with nothing written, if a check failed. Commits take effect in the
   * order of the calls; each is checked against the writes of the earlier ones.
   *
   * Rejects with StoreUnavailable, with nothing written, unless its reason is 'unknown': then all
   * writes or none have been made, and the next read that succeeds shows which, for good.
   */
  commit(checks: readonly Check[], writes: readonly Write[]): Promise<boolean>;

  /** Waits for commits under way, then closes. Idempotent. */
  close(): Promise<void>;
}

/** Hears what happens to a process's right to write. */
export interface LeaseListener {
  /** The store may be relied on again. */
  held(): void;
  /** The lease could not be renewed in time, so another process may write: show nothing more. */
  expired(): void;
  /** Another process may have written, or writes are gone: read everything anew. */
  lost(reason: string): void;
}

export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** 'full': the device has no space left. 'unknown': the commit may have been made. */
  readonly reason: 'full' | 'failed' | 'closed' | 'unknown';

  constructor(reason: StoreUnavailable['reason'], cause?: unknown) {
    super(`store ${reason}`, { cause });
    this.reason = reason;
  }
}
