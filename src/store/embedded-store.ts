import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { SLICE_ITEMS, Slices } from '../slices.ts';
import type { Time } from '../time.ts';
import {
  type Check,
  COMMIT_OVERHEAD_BYTES,
  type Entry,
  type Grant,
  type Key,
  type KeyBounds,
  type Page,
  PENDING_BYTES_MAX,
  type Store,
  StoreUnavailable,
  type Write,
} from './contract.ts';
import { DataFile } from './data-file.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import {
  checkOnePartition,
  decodeKey,
  encodeKey,
  packValue,
  pageBounds,
  rangeOf,
  unpackValue,
} from './encoding.ts';
import { endlessClaims } from './endless-claims.ts';
import { type Environment, LAST_VERSION, openEnvironment } from './lmdb.ts';
import { Preallocation } from './preallocation.ts';

/** Entries that are counted in one turn of the event loop. */
const COUNTED_AT_ONCE = 1000;
/** If a write fails with less free space than this, the device counts as full. */
const FREE_BYTES_MIN = 2 ** 20;
/** ENOSPC, EDQUOT on Linux and macOS, EFBIG, MDB_MAP_FULL; and Node's names for them. */
const FULL_CODES: ReadonlySet<unknown> = new Set([
  ...[28, 122, 69, 27, -30_792],
  ...['ENOSPC', 'EDQUOT', 'EFBIG'],
]);
/** Bytes that LMDB may copy for a write of one key, and for a transaction beside that. */
const WRITE_BYTES = 6 * 4096;
const BATCH_BYTES = 32 * 4096;
/** Reserved for small batches too, so that a nearly full device refuses all batches alike. */
const SPACE_BYTES_MIN = 2 ** 19;
const COMMIT_ERROR_WAIT_MS = 100;
/** About what an entry takes: a long commit is counted before it is packed. */
const ENTRY_BYTES = 300;

interface PackedCheck {
  key: Buffer;
  version: number | null;
}

interface PackedWrite {
  key: Buffer;
  /** Undefined: remove. */
  value: Buffer | undefined;
  /** Set when the commit is accepted. */
  version: number;
}

/** A commit in the bytes that will be compared and written. */
interface Packed {
  readonly checks: readonly PackedCheck[];
  readonly writes: readonly PackedWrite[];
}

interface Outcome {
  readonly resolve: (accepted: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A commit that waits for its batch. A long one is packed meanwhile. */
interface Waiting extends Outcome {
  readonly packed: Packed | Promise<Packed>;
}

/** A commit under way. */
interface Pending extends Packed, Outcome {
  /** Whether its checks passed; set by `#judge`. */
  accepted: boolean;
}

/** The keys that the batch has written so far, each with its new version; null: removed. */
type Overlay = Map<string, number | null>;

/**
 * Opens the store in a directory, and creates the directory if it is missing. Rejects if another
 * process has the store open, and with DamagedStore.
 */
export async function openEmbedded(dir: string, time: Time): Promise<EmbeddedStore> {
  const lock = lockDirectory(dir);
  try {
    const file = new DataFile(dir);
    await file.check();
    return new EmbeddedStore(dir, file, lock, time);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The store of a single node: one LMDB environment, whose root holds the version counter beside the
 * database of entries.
 *
 * Commits are written in batches, one batch at a time. Commits that are called meanwhile form the
 * next batch. The checks of a batch run after the batch before it was written or failed, so no
 * check relies on a write that was not made.
 */
export class EmbeddedStore implements Store {
  readonly engine = 'embedded';
  readonly claims = endlessClaims;
  readonly heartbeats = undefined;
  readonly #dir: string;
  readonly #file: DataFile;
  readonly #lock: DirectoryLock;
  readonly #root: Environment['root'];
  readonly #entries: Environment['entries'];
  readonly #preallocation: Preallocation;
  readonly #time: Time;
  readonly #slices: Slices;
  /** One counter for all keys: no version is used twice, even if a key is written again. */
  #lastVersion: number;
  #waiting: Waiting[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** Use `openEmbedded`. */
  constructor(dir: string, file: DataFile, lock: DirectoryLock, time: Time) {
    this.#dir = dir;
    this.#file = file;
    this.#lock = lock;
    this.#time = time;
    this.#slices = new Slices(time);
    const { root, entries } = openEnvironment(dir);
    this.#root = root;
    this.#entries = entries;
    file.protect();
    this.#lastVersion = this.#root.get(LAST_VERSION) ?? 0;
    this.#preallocation = new Preallocation(join(dir, 'data.mdb'), () => {
      const { lastPageNumber, pageSize } = this.#root.getStats() as Record<string, number>;
      return ((lastPageNumber ?? 0) + 1) * (pageSize ?? 0);
    });
  }

  async get<T>(key: Key): Promise<Entry<T> | undefined> {
    const bytes = encodeKey(key);
    const found = this.#read(() => this.#entries.getEntry(bytes));
    if (!found) return undefined;
    return { key, value: unpackValue(found.value) as T, version: found.version as number };
  }

  async list<T>(prefix: Key, page: Page): Promise<Entry<T>[]> {
    const range = { ...pageBounds(prefix, page), limit: page.limit, versions: true };
    if (range.start.compare(range.end) >= 0) return [];
    const found = this.#read(() => [...this.#entries.getRange(range)]);
    return this.#slices.map(found, ({ key, value, version }) => ({
      key: decodeKey(key),
      value: unpackValue(value) as T,
      version: version as number,
    }));
  }

  async count(prefix: Key, bounds: KeyBounds = {}): Promise<number> {
    let { start, end } = rangeOf(prefix, bounds);
    for (let count = 0; ; ) {
      if (start.compare(end) >= 0) return count;
      const range = { start, end, limit: COUNTED_AT_ONCE };
      const keys = this.#read(() => [...this.#entries.getKeys(range)]);
      count += keys.length;
      const last = keys.at(-1);
      if (last === undefined || keys.length < COUNTED_AT_ONCE) return count;
      start = Buffer.concat([last, Buffer.of(0)]);
      await this.#slices.next();
    }
  }

  async commit(
    checks: readonly Check[],
    writes: readonly Write[],
    grant?: Grant,
  ): Promise<boolean> {
    checkOnePartition(checks, writes, grant);
    const isLong = writes.length > SLICE_ITEMS;
    const packed = isLong ? undefined : pack(checks, writes);
    this.#refuseIfClosed();
    if (this.#pendingBytes > PENDING_BYTES_MAX) {
      throw new StoreUnavailable('failed', new Error('too many bytes are unanswered'));
    }
    this.#pendingBytes += packed?.bytes ?? writes.length * ENTRY_BYTES;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ packed: packed ?? this.#packInSlices(checks, writes), resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  #packInSlices(checks: readonly Check[], writes: readonly Write[]): Promise<Packed> {
    const packedWrites = this.#slices.map(writes, packWrite);
    const packed = packedWrites.then((done) => ({ checks: checks.map(packCheck), writes: done }));
    // Whoever writes the batch handles it, perhaps later.
    packed.catch(() => {});
    return packed;
  }

  /** What an operator should mend, for the log. */
  warnings(): string[] {
    return this.#file.warnings();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    await this.#writing;
    try {
      // After a failed batch lmdb waits for a flush that never happens; an empty batch ends this.
      await this.#entries.batch(() => undefined);
      await this.#root.close();
      await this.#preallocation.close();
      this.#file.closed();
    } finally {
      this.#lock.release();
    }
  }

  #refuseIfClosed(): void {
    if (this.#closing) throw new StoreUnavailable('closed');
  }

  #read<R>(query: () => R): R {
    this.#refuseIfClosed();
    try {
      return query();
    } catch (error) {
      throw new StoreUnavailable('failed', error);
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Callers whose commit has just ended call their next one first, and so stay in one batch.
      // Otherwise they would split into two groups that wait for each other.
      await new Promise<void>((resolve) => this.#time.immediate(resolve));
      const batch = this.#waiting;
      this.#waiting = [];
      this.#pendingBytes = 0;
      await this.#writeBatch(await this.#packedOf(batch));
    }
    this.#writing = undefined;
  }

  /** Waits until all are packed; rejects those that cannot be. */
  async #packedOf(batch: readonly Waiting[]): Promise<Pending[]> {
    const ready: Pending[] = [];
    for (const { packed, resolve, reject } of batch) {
      try {
        const done = packed instanceof Promise ? await packed : packed;
        ready.push({ ...done, accepted: false, resolve, reject });
      } catch (error) {
        reject(error);
      }
    }
    return ready;
  }

  async #writeBatch(batch: readonly Pending[]): Promise<void> {
    try {
      await this.#send(await this.#judge(batch));
      for (const commit of batch) commit.resolve(commit.accepted);
    } catch (error) {
      const unavailable = await this.#unavailable(error);
      for (const commit of batch) commit.reject(unavailable);
    }
  }

  /** Accepts or refuses each commit, in order; returns the writes of the accepted ones. */
  async #judge(batch: readonly Pending[]): Promise<PackedWrite[]> {
    const overlay: Overlay = new Map();
    const accepted: PackedWrite[] = [];
    for (const commit of batch) {
      commit.accepted = commit.checks.every((check) => this.#holds(check, overlay));
      if (!commit.accepted) continue;
      const accept = (write: PackedWrite) => {
        write.version = ++this.#lastVersion;
        overlay.set(idOf(write.key), write.value ? write.version : null);
        accepted.push(write);
      };
      if (commit.writes.length > SLICE_ITEMS) await this.#slices.each(commit.writes, accept);
      else commit.writes.forEach(accept);
    }
    return accepted;
  }

  #holds({ key, version }: PackedCheck, overlay: Overlay): boolean {
    const ahead = overlay.get(idOf(key));
    if (ahead !== undefined) return ahead === version;
    return (this.#entries.getEntry(key)?.version ?? null) === version;
  }

  /**
   * Writes one LMDB transaction, and waits until it is flushed. The library takes it in one piece: about
   * 1 µs a write.
   */
  async #send(writes: readonly PackedWrite[]): Promise<void> {
    if (writes.length === 0) return;
    await this.#preallocation.ensure(spaceFor(writes));
    const committed = this.#entries.batch(() => {
      for (const { key, value, version } of writes) {
        if (value) this.#entries.put(key, value, version);
        else this.#entries.remove(key);
      }
      this.#root.put(LAST_VERSION, this.#lastVersion);
    });
    // The commit is awaited first: after a failed commit the flush may never be reported.
    await committed;
    await this.#entries.flushed;
  }

  async #unavailable(error: unknown): Promise<StoreUnavailable> {
    const cause = await this.#commitCause(error);
    // A write that fills the device is incomplete, which LMDB reports as an I/O error: check the free
    // space, too.
    const full = FULL_CODES.has(codeOf(cause)) || (await freeBytes(this.#dir)) < FREE_BYTES_MIN;
    return new StoreUnavailable(full ? 'full' : 'failed', cause);
  }

  /**
   * The cause of a failed batch. lmdb rejects with an error that has the cause in a promise. That
   * promise rejects as well, and would end the process if nobody handled it. Some causes never
   * arrive.
   */
  async #commitCause(error: unknown): Promise<unknown> {
    const { commitError } = error as { commitError?: Promise<never> };
    if (!commitError) return error;
    const cause = commitError.catch((reason: unknown) => reason);
    return Promise.race([cause, this.#time.sleep(COMMIT_ERROR_WAIT_MS).then(() => error)]);
  }
}

function pack(checks: readonly Check[], writes: readonly Write[]) {
  const packedWrites = writes.map(packWrite);
  let bytes = COMMIT_OVERHEAD_BYTES;
  for (const { key, value } of packedWrites) bytes += key.length + (value?.length ?? 0);
  return { checks: checks.map(packCheck), writes: packedWrites, bytes };
}

function packWrite(write: Write): PackedWrite {
  const value = 'remove' in write ? undefined : packValue(write.value);
  return { key: encodeKey(write.key), value, version: 0 };
}

function packCheck({ key, version }: Check): PackedCheck {
  return { key: encodeKey(key), version };
}

/** Bytes by which LMDB's file grows at most. */
function spaceFor(writes: readonly PackedWrite[]): number {
  let bytes = BATCH_BYTES;
  for (const { key, value } of writes) bytes += WRITE_BYTES + key.length + (value?.length ?? 0);
  return Math.max(bytes, SPACE_BYTES_MIN);
}

function idOf(key: Buffer): string {
  return key.toString('latin1');
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

/** Free space in bytes; Infinity if it is unknown. */
async function freeBytes(dir: string): Promise<number> {
  const device = await statfs(dir).catch(() => undefined);
  return device ? device.bavail * device.bsize : Infinity;
}
