export type RedisArgument = string | number | Buffer;
export type RedisReply = number | Buffer | null | RedisReply[];

/** What `release.lua` adds to the owner of a lease. */
export const RELEASED = ' released';

/** What a server answers that makes no writes: it is a replica, cannot write to its disk, or has no memory. */
export const WRITE_REFUSALS = {
  READONLY: "READONLY You can't write against a read only replica.",
  MISCONF: 'MISCONF Redis is configured to save RDB snapshots, but cannot persist them on disk.',
  OOM: "OOM command not allowed when used memory > 'maxmemory'.",
} as const;

/** The data of a Redis server, as far as the scripts use it. */
export class RedisData {
  /** In ms since 1970, of the server's clock. */
  nowMs: () => number;
  /** Why it makes no writes now. */
  refusal: keyof typeof WRITE_REFUSALS | undefined;
  /** Whether the command has made a write. */
  #hasWritten = false;
  readonly #strings = new Map<string, { value: string; endMs: number }>();
  readonly #hashes = new Map<string, Map<string, Buffer>>();
  /** Members of sorted sets with score 0, each a string of bytes, in their order. */
  readonly #sets = new Map<string, string[]>();

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  /** Another command begins. */
  begin(): void {
    this.#hasWritten = false;
  }

  /** Throws where a server refuses a write. A script that has made one may make all others. */
  #beforeWrite(needsMemory: boolean): void {
    const { refusal } = this;
    const isRefused = refusal !== undefined && (refusal !== 'OOM' || needsMemory);
    if (isRefused && !this.#hasWritten) throw new Error(WRITE_REFUSALS[refusal]);
    this.#hasWritten = true;
  }

  get(key: string): string | undefined {
    const found = this.#strings.get(key);
    if (found === undefined) return undefined;
    const isOver = found.endMs < Number.POSITIVE_INFINITY && found.endMs <= this.nowMs();
    return isOver ? undefined : found.value;
  }

  set(key: string, value: string, ttlMs = Number.POSITIVE_INFINITY): void {
    this.#beforeWrite(true);
    this.#put(key, value, ttlMs);
  }

  #put(key: string, value: string, ttlMs: number): void {
    this.#strings.set(key, { value, endMs: this.nowMs() + ttlMs });
  }

  /** Returns whether there was one. */
  delete(key: string): boolean {
    this.#beforeWrite(false);
    const isThere = this.get(key) !== undefined;
    this.#strings.delete(key);
    return isThere;
  }

  /** ms that a string still lives; -1 without an end, -2 if there is none. */
  leftMs(key: string): number {
    if (this.get(key) === undefined) return -2;
    const leftMs = (this.#strings.get(key)?.endMs ?? 0) - this.nowMs();
    return leftMs === Number.POSITIVE_INFINITY ? -1 : Math.round(leftMs);
  }

  field(key: string, field: string): Buffer | undefined {
    return this.#hashes.get(key)?.get(field);
  }

  setField(key: string, field: string, value: Buffer): void {
    this.#beforeWrite(true);
    const hash = this.#hashes.get(key) ?? new Map<string, Buffer>();
    this.#hashes.set(key, hash.set(field, value));
  }

  /** Returns whether there was one. */
  deleteField(key: string, field: string): boolean {
    this.#beforeWrite(false);
    return this.#hashes.get(key)?.delete(field) ?? false;
  }

  fields(key: string): [field: string, value: Buffer][] {
    return [...(this.#hashes.get(key) ?? [])];
  }

  /** Lets a string end after so long; no effect if there is none. */
  expire(key: string, ttlMs: number): void {
    this.#beforeWrite(false);
    const value = this.get(key);
    if (value !== undefined) this.#put(key, value, ttlMs);
  }

  addMember(key: string, member: string): void {
    this.#beforeWrite(true);
    const members = this.#sets.get(key) ?? [];
    this.#sets.set(key, members);
    const at = firstFrom(members, member);
    if (members[at] !== member) members.splice(at, 0, member);
  }

  removeMember(key: string, member: string): void {
    this.#beforeWrite(false);
    const members = this.#sets.get(key) ?? [];
    const at = firstFrom(members, member);
    if (members[at] === member) members.splice(at, 1);
  }

  /** At most `limit` members from `start` on, before `end`. */
  members(key: string, start: string, end: string, limit: number): readonly string[] {
    const members = this.#sets.get(key) ?? [];
    const from = firstFrom(members, start);
    return members.slice(from, Math.max(from, Math.min(from + limit, firstFrom(members, end))));
  }

  /** How many members there are from `start` on, before `end`. */
  memberCount(key: string, start: string, end: string): number {
    const members = this.#sets.get(key) ?? [];
    return Math.max(0, firstFrom(members, end) - firstFrom(members, start));
  }

  /** A copy for later, or of an earlier moment. */
  copyTo(other: RedisData): void {
    other.clear();
    for (const [key, each] of this.#strings) other.#strings.set(key, { ...each });
    for (const [key, each] of this.#hashes) other.#hashes.set(key, new Map(each));
    for (const [key, each] of this.#sets) other.#sets.set(key, [...each]);
  }

  clear(): void {
    for (const map of [this.#strings, this.#hashes, this.#sets]) map.clear();
  }

  /** Ends every lease as if its holder had left. */
  endLeases(): void {
    for (const [key, { value }] of [...this.#strings]) {
      if (/:lease$|:writer:/.test(key)) this.#strings.delete(key);
      if (/:owner$/.test(key) && !value.endsWith(RELEASED)) {
        this.#put(key, `${value}${RELEASED}`, Number.POSITIVE_INFINITY);
      }
    }
    for (const key of this.#hashes.keys()) if (key.endsWith(':nodes')) this.#hashes.delete(key);
  }
}

/** Position of the first member that is not less. */
function firstFrom(members: readonly string[], member: string): number {
  let [low, high] = [0, members.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((members[middle] ?? '') < member) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bytes as a string of which each character is one: it sorts as the bytes do. */
export function text(argument: RedisArgument | undefined): string {
  if (typeof argument === 'string') return argument;
  return Buffer.isBuffer(argument) ? argument.toString('latin1') : String(argument ?? '');
}

export function bytes(argument: RedisArgument | undefined): Buffer {
  return Buffer.isBuffer(argument) ? argument : Buffer.from(String(argument ?? ''));
}
