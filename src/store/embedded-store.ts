import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Database, open, type RootDatabase } from 'lmdb';
import {
  type Check,
  type Entry,
  type Key,
  type Page,
  type Store,
  StoreUnavailable,
  type Write,
} from './contract.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import {
  checkOnePartition,
  decodeKey,
  encodeKey,
  packValue,
  pageBounds,
  unpackValue,
} from './encoding.ts';
import { Room } from './preallocation.ts';

/** What waits to be written; a commit that finds more than this ahead of it is refused. */
const PENDING_BYTES_MAX = 64 * 2 ** 20;
/** What a commit costs while it waits, beside its keys and values. */
const COMMIT_OVERHEAD_BYTES = 500;
/** Below this much free space a failed write is taken for a full device. */
const FREE_BYTES_MIN = 2 ** 20;
/** ENOSPC, EDQUOT on Linux and macOS, EFBIG, MDB_MAP_FULL; and what Node calls them. */
const FULL_CODES: ReadonlySet<unknown> = new Set([
  ...[28, 122, 69, 27, -30_792],
  ...['ENOSPC', 'EDQUOT', 'EFBIG'],
]);
/** Bytes that LMDB may copy for a write of one key, and for a transaction beside that. */
const WRITE_BYTES = 6 * 4096;
const BATCH_BYTES = 32 * 4096;
/** On a device that is nearly full a small batch is refused as soon as a larger one. */
const ROOM_BYTES_MIN = 2 ** 19;
const COMMIT_ERROR_WAIT_MS = 100;
const LAST_VERSION = 'lastVersion';

interface PackedCheck {
  key: Buffer;
  version: number | null;
}

interface PackedWrite {
  key: Buffer;
  /** Undefined: remove. */
  value: Buffer | undefined;
  /** Given when the commit is accepted. */
  version: number;
}

/** A commit on its way, in the bytes that will be compared and written. */
interface Pending {
  readonly checks: readonly PackedCheck[];
  readonly writes: readonly PackedWrite[];
  readonly bytes: number;
  /** Whether its checks held; known once its batch is judged. */
  accepted: boolean;
  readonly resolve: (accepted: boolean) => void;
  readonly reject: (error: StoreUnavailable) => void;
}

/** The keys of the batch so far: the version each will have, or null where it is removed. */
type Overlay = Map<string, number | null>;

/**
 * Opens the store in a directory, which is created where it is missing. Rejects where another
 * process has it open.
 */
export async function openEmbedded(dir: string): Promise<EmbeddedStore> {
  const lock = lockDirectory(dir);
  try {
    return new EmbeddedStore(dir, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The store of a single node: one LMDB environment, whose root holds the version counter beside
 * the database of entries.
 *
 * Commits are written in batches. One batch is under way at a time, and what is asked meanwhile
 * makes the next: a batch is only judged once the one before it has been written or has failed,
 * so no check ever relies on a write that did not happen. lmdb reports a batch once it is flushed,
 * not when readers can see it, so nothing is lost by flushing them all.
 */
export class EmbeddedStore implements Store {
  readonly engine = 'embedded';
  readonly #dir: string;
  readonly #lock: DirectoryLock;
  readonly #root: RootDatabase<number, string>;
  readonly #entries: Database<Buffer, Buffer>;
  readonly #room: Room;
  /** One counter for all keys: a version never comes back, even when its key does. */
  #lastVersion: number;
  #pending: Pending[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** Use `openEmbedded`. */
  constructor(dir: string, lock: DirectoryLock) {
    this.#dir = dir;
    this.#lock = lock;
    // By default lmdb opens blocks of its own around the writes of a turn, whose promises nobody
    // can reach; without, the batches made here are all there is.
    this.#root = open(dir, { noSubdir: false, eventTurnBatching: false });
    this.#entries = this.#root.openDB('entries', {
      keyEncoding: 'binary',
      encoding: 'binary',
      useVersions: true,
    });
    this.#lastVersion = this.#root.get(LAST_VERSION) ?? 0;
    this.#room = new Room(join(dir, 'data.mdb'), () => {
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
    return found.map(({ key, value, version }) => ({
      key: decodeKey(key),
      value: unpackValue(value) as T,
      version: version as number,
    }));
  }

  async commit(checks: readonly Check[], writes: readonly Write[]): Promise<boolean> {
    checkOnePartition([...checks, ...writes].map(({ key }) => key));
    const packed = pack(checks, writes);
    this.#refuseIfClosed();
    if (this.#pendingBytes > PENDING_BYTES_MAX) {
      throw new StoreUnavailable('failed', new Error('too much waits to be written'));
    }
    this.#pendingBytes += packed.bytes;
    return new Promise((resolve, reject) => {
      this.#pending.push({ ...packed, accepted: false, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    await this.#writing;
    try {
      // After a failed batch lmdb waits for a flush that never comes; an empty one ends that.
      await this.#entries.batch(() => undefined);
      await this.#root.close();
      await this.#room.close();
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
    while (this.#pending.length > 0) {
      // Those whose commit has just ended get a turn to ask for the next, and so stay one crowd;
      // without it they would split into two halves that wait for each other.
      await nextTurn();
      const batch = this.#pending;
      this.#pending = [];
      this.#pendingBytes = 0;
      await this.#writeBatch(batch);
    }
    this.#writing = undefined;
  }

  async #writeBatch(batch: readonly Pending[]): Promise<void> {
    try {
      await this.#send(this.#judge(batch));
      for (const commit of batch) commit.resolve(commit.accepted);
    } catch (error) {
      const unavailable = await this.#explain(error);
      for (const commit of batch) commit.reject(unavailable);
    }
  }

  /** Accepts or refuses each commit, in order; returns the writes of the accepted ones. */
  #judge(batch: readonly Pending[]): PackedWrite[] {
    const overlay: Overlay = new Map();
    const accepted: PackedWrite[] = [];
    for (const commit of batch) {
      commit.accepted = commit.checks.every((check) => this.#holds(check, overlay));
      if (!commit.accepted) continue;
      for (const write of commit.writes) {
        write.version = ++this.#lastVersion;
        overlay.set(idOf(write.key), write.value ? write.version : null);
        accepted.push(write);
      }
    }
    return accepted;
  }

  #holds({ key, version }: PackedCheck, overlay: Overlay): boolean {
    const ahead = overlay.get(idOf(key));
    if (ahead !== undefined) return ahead === version;
    return (this.#entries.getEntry(key)?.version ?? null) === version;
  }

  /** Hands writes to LMDB as one transaction, and waits until it is flushed. */
  async #send(writes: readonly PackedWrite[]): Promise<void> {
    if (writes.length === 0) return;
    await this.#room.ensure(spaceFor(writes));
    const committed = this.#entries.batch(() => {
      for (const { key, value, version } of writes) {
        if (value) this.#entries.put(key, value, version);
        else this.#entries.remove(key);
      }
      this.#root.put(LAST_VERSION, this.#lastVersion);
    });
    // Awaited second, because after a failed commit the flush may never be heard of.
    await committed;
    await this.#entries.flushed;
  }

  async #explain(error: unknown): Promise<StoreUnavailable> {
    const cause = await commitCause(error);
    // The write that takes the last of the space falls short, which LMDB reports as an I/O error;
    // hence the second look.
    const full = FULL_CODES.has(codeOf(cause)) || (await freeBytes(this.#dir)) < FREE_BYTES_MIN;
    return new StoreUnavailable(full ? 'full' : 'failed', cause);
  }
}

/** Values are packed when the commit is called: what the caller changes later is not written. */
function pack(checks: readonly Check[], writes: readonly Write[]) {
  const packedWrites = writes.map((write) => ({
    key: encodeKey(write.key),
    value: 'remove' in write ? undefined : packValue(write.value),
    version: 0,
  }));
  let bytes = COMMIT_OVERHEAD_BYTES;
  for (const { key, value } of packedWrites) bytes += key.length + (value?.length ?? 0);
  return {
    checks: checks.map(({ key, version }) => ({ key: encodeKey(key), version })),
    writes: packedWrites,
    bytes,
  };
}

/** What LMDB's file may grow by, at the most, in bytes. */
function spaceFor(writes: readonly PackedWrite[]): number {
  let bytes = BATCH_BYTES;
  for (const { key, value } of writes) bytes += WRITE_BYTES + key.length + (value?.length ?? 0);
  return Math.max(bytes, ROOM_BYTES_MIN);
}

function idOf(key: Buffer): string {
  return key.toString('latin1');
}

/**
 * Why a batch failed. lmdb rejects with an error that carries the cause in a promise, which is
 * rejected as well and would end the process if nobody listened; some causes never arrive there.
 */
async function commitCause(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  if (!commitError) return error;
  return Promise.race([
    commitError.catch((cause: unknown) => cause),
    sleep(COMMIT_ERROR_WAIT_MS, error),
  ]);
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

/** Free space in bytes; Infinity where nobody can tell. */
async function freeBytes(dir: string): Promise<number> {
  const device = await statfs(dir).catch(() => undefined);
  return device ? device.bavail * device.bsize : Infinity;
}
