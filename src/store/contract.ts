/**
 * The interface of a store. Every engine passes the same suite of tests
 * (`testing/suites/store/contract.suite.ts`).
 *
 * Keys are tuples, ordered element by element: numbers before strings, numbers by value, strings
 * by UTF-16 code unit. A key whose first element is `'p'` belongs to the partition in its second
 * (0 to 63); all keys of one commit belong to one partition, or to none, and a commit to a partition
 * needs its grant. Values are what MessagePack can carry (plain objects, arrays, strings, numbers, booleans, null, Uint8Array).
 */
export type KeyPart = string | number;
export type Key = readonly KeyPart[];

/** Every engine refuses commits while more bytes than this are unanswered. */
export const PENDING_BYTES_MAX = 64 * 2 ** 20;
/** Memory that an unanswered commit takes in addition to its keys and values. */
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

/** The right of a process to write a partition, from when it takes it until it loses it. */
export interface Grant {
  readonly partition: number;
  /** Higher than that of any earlier grant of the partition, to whatever process. */
  readonly epoch: number;
  /** No answer of an earlier holder shows a later reading of the clock: answers must lie above it. */
  readonly floorMs: number;
  /** Until when the process may rely on it, by `Time.now`. -Infinity once it is lost. */
  untilMs(): number;
  /** When the process asked for what it may rely on, by `Time.now`. */
  askedMs(): number;
  /** The latest reading of the clock that may be published under it: later holders start above it. */
  latestReadingMs(): number;
  /** The store has renewed it, but the process may not rely on that yet: see `Claims.renew`. */
  readonly isPutOff?: boolean;
}

/** A partition that is not to be had now. */
export interface Held {
  /** The process that holds it or, where nobody does, the one that held it last; '': that is not known. */
  holder: string;
  /** The lease of the holder lives so long without renewal, at most; 0: it has ended. */
  leftMs: number;
}

/** A grant that is lost for good: another process may have written, or writes were lost. */
export interface Lost {
  grant: Grant;
  reason: string;
}

/**
 * What may be taken. `free`: what its last holder has released, what nobody ever had, and what this
 * process had last. `expired`: also what another process has neither renewed nor released. Its lease ends
 * by the clock of the store, which may jump: whoever takes such a partition must know otherwise
 * that the holder is gone.
 */
export type Taking = 'free' | 'expired';

/** A process relies on a renewal for this share of the lifetime of a lease. */
export const RELIED_ON = 0.75;

/** Grants partitions to processes. */
export interface Claims {
  /** Grants are to be renewed at least this often; undefined: they last for ever. */
  readonly renewalMs: number | undefined;
  /** How long a lease lives in the store without renewal; undefined: for ever. */
  readonly leaseMs: number | undefined;
  /** Undefined for a store that one process has for itself. */
  readonly handovers: Handovers | undefined;

  /**
   * Sets what tells the latest reading of the clock that this process may have published at a time of
   * `Time.now`. Call it before the first `take`.
   */
  readClock(latestReadingMs: (atMs: number) => number): void;

  /**
   * Sets what tells whether all other processes have said what they hold, at a time of `Time.now` or later.
   * Without it there are no others.
   */
  readOthers(haveSaidSince: (sinceMs: number) => boolean): void;

  /**
   * Takes a partition that is to be had. The store may have forgotten who has it: for a lease after the
   * connection to it was made, that is only what this process relied on until then, or what no other process
   * has said to hold since, and all have spoken. Rejects with StoreUnavailable.
   */
  take(partition: number, what: Taking): Promise<Grant | Held>;

  /**
   * Prolongs grants. Those for which the store does not answer stay as they are, and so do those that ended
   * before the connection to it was made, while they could not be taken. Never rejects.
   */
  renew(grants: readonly Grant[]): Promise<readonly Lost[]>;

  /** Gives grants up: anybody may take the partitions. They must not be used again. Never rejects. */
  release(grants: readonly Grant[]): Promise<void>;

  /** Calls `listener` when grants should be renewed at once: one may be lost, or the store is back. */
  onTrouble(listener: () => void): void;
}

/** A grant that another process may make to this one. */
export interface Reservation {
  readonly partition: number;
  /** Names it for the giver. No other reservation and no other grant ever has this token. */
  readonly token: string;
}

/** How processes hand partitions to each other, without a moment in which nobody has the grant. */
export interface Handovers {
  /** Prepares for a partition that another process is about to give. */
  reserve(partition: number): Reservation;

  /**
   * Gives a partition to the process that has made the reservation. Commits under the grant that were
   * made before are carried out before. 'kept': it was not given, and can no longer be by this call. 'given':
   * this process does not have it any more, whoever has. If the store does not answer, this waits until
   * it does, or until the grant is lost otherwise, and then for a lease if it was not given: the store may
   * have lost that it was. Never rejects.
   */
  give(grant: Grant, token: string): Promise<'given' | 'kept'>;

  /** The grant, if it was given; undefined: not yet. Rejects with StoreUnavailable. */
  accept(reservation: Reservation): Promise<Grant | undefined>;

  /** Gives up what was reserved, also if it was given, or will be. It must not be used again. Never rejects. */
  cancel(reservation: Reservation): Promise<void>;
}

/** What the processes on one store know of each other, as of one heartbeat. */
export interface ClusterView {
  /** The clock of the cluster when the store answered: ms since 1970, with fractions. */
  clockMs: number;
  /** When the heartbeat was sent, and when its answer came, by `Time.now`. */
  sentMs: number;
  answeredMs: number;
  /** By process: those whose last heartbeat is at most a lease old by the store's clock, this one too. */
  nodes: ReadonlyMap<string, NodeEntry>;
}

export interface NodeEntry {
  /** What the process sent with its last heartbeat. */
  value: unknown;
  /** Grows with every heartbeat of the process. */
  count: number;
  /** Order in which the processes have joined. */
  joined: number;
}

/** How the processes on one store tell each other that they live. */
export interface Heartbeats {
  /** Names this process for as long as it lives: no other one ever has this name. */
  readonly process: string;
  /**
   * How often this process has lost its right to the common entries, or has connected to the store. What it read
   * before that may be wrong: the store may have lost its last writes, and give their versions again.
   */
  readonly lossCount: number;

  /**
   * Prolongs the right of this process to write common entries, and tells the others `value`. To be
   * sent at least as often as grants are to be renewed, or the others take it for gone. The clock
   * of the cluster is that of the store plus a correction, which keeps it from jumping with the store's.
   * @param readingMs this process's reading of that clock; undefined before it has adopted it
   * Rejects with StoreUnavailable.
   */
  send(value: unknown, readingMs: number | undefined): Promise<ClusterView>;

  /** Tells the others that this process is gone. Never rejects. */
  leave(): Promise<void>;
}

export type Write = { key: Key; value: unknown } | { key: Key; remove: true };

export interface KeyBounds {
  /** Only entries after this key. */
  after?: Key;
  /** Only entries before this key. */
  before?: Key;
}

export interface Page extends KeyBounds {
  /** Number of entries at most: 1 to 10,000. */
  limit: number;
}

export interface Store {
  /** The state of the dealer platform shows it. */
  readonly engine: 'embedded' | 'redis';
  readonly claims: Claims;
  /** Undefined for a store that one process has for itself. */
  readonly heartbeats: Heartbeats | undefined;
  /** Commits that were refused because the right to write was lost. Undefined where it never is. */
  readonly fencedCount?: number | undefined;

  /** The entry at a key, or undefined. Rejects with StoreUnavailable. */
  get<T = unknown>(key: Key): Promise<Entry<T> | undefined>;

  /**
   * Entries whose key begins with `prefix` and is longer, in key order. Rejects with
   * StoreUnavailable.
   */
  list<T = unknown>(prefix: Key, page: Page): Promise<Entry<T>[]>;

  /** How many entries `list` finds on all its pages. Rejects with StoreUnavailable. */
  count(prefix: Key, bounds?: KeyBounds): Promise<number>;

  /**
   * Makes all writes or none. `grant`: of the partition of the keys; an earlier one than the current
   * is refused. Resolves to true once they are durable: on the disk (embedded), or as
   * the settings of Redis define it. Resolves to false, with nothing written, if a check failed.
   * Commits take effect in the order of the calls; each is checked against the earlier ones'
   * writes. A commit of more than SLICE_ITEMS writes may be packed after the call: its values must
   * not change until it is answered.
   *
   * Rejects with StoreUnavailable. If its reason is 'unknown', all writes or none are made, and
   * after its `settled` the next successful read shows the final outcome. For other reasons nothing
   * was written.
   */
  commit(checks: readonly Check[], writes: readonly Write[], grant?: Grant): Promise<boolean>;

  /** From now on requests wait for answers. Until then an answer may take START_WAIT_MS. */
  serve?(): void;

  /** Waits for commits under way, then closes. Idempotent. */
  close(): Promise<void>;
}

export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** 'full': the device has no space left. 'unknown': the commit may have been made. */
  readonly reason: 'full' | 'failed' | 'closed' | 'unknown';
  /** Until it resolves, reads may show the time before a commit with an unknown outcome. */
  readonly settled: Promise<void> | undefined;

  constructor(reason: StoreUnavailable['reason'], cause?: unknown, settled?: Promise<void>) {
    super(`store ${reason}`, { cause });
    this.reason = reason;
    this.settled = settled;
  }
}
