/** Twins of the Lua scripts of the store: the same answers and effects on a state in memory. */

export type RedisArgument = string | number | Buffer;
export type RedisReply = number | Buffer | null | RedisReply[];

const STAMP_BYTES = 8;
const LOST = -1;

/** The data of a Redis server, as far as the scripts use it. */
export class RedisData {
  /** In ms since 1970, of the server's clock. */
  nowMs: () => number;
  readonly #strings = new Map<string, { value: string; endMs: number }>();
  readonly #hashes = new Map<string, Map<string, Buffer>>();
  /** Members of sorted sets with score 0, each a string of bytes, in their order. */
  readonly #sets = new Map<string, string[]>();

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  get(key: string): string | undefined {
    const found = this.#strings.get(key);
    if (found === undefined || found.endMs <= this.nowMs()) return undefined;
    return found.value;
  }

  set(key: string, value: string, ttlMs = Number.POSITIVE_INFINITY): void {
    this.#strings.set(key, { value, endMs: this.nowMs() + ttlMs });
  }

  /** Returns whether there was one. */
  delete(key: string): boolean {
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
    const hash = this.#hashes.get(key) ?? new Map<string, Buffer>();
    this.#hashes.set(key, hash.set(field, value));
  }

  deleteField(key: string, field: string): void {
    this.#hashes.get(key)?.delete(field);
  }

  addMember(key: string, member: string): void {
    const members = this.#sets.get(key) ?? [];
    this.#sets.set(key, members);
    const at = firstFrom(members, member);
    if (members[at] !== member) members.splice(at, 0, member);
  }

  removeMember(key: string, member: string): void {
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

  /** Lets leases expire at once. */
  endLeases(): void {
    for (const key of this.#strings.keys()) if (key.endsWith(':lease')) this.#strings.delete(key);
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
  return Buffer.isBuffer(argument) ? argument.toString('latin1') : String(argument ?? '');
}

function bytes(argument: RedisArgument | undefined): Buffer {
  return Buffer.isBuffer(argument) ? argument : Buffer.from(String(argument ?? ''));
}

type Script = (
  data: RedisData,
  keys: readonly string[],
  args: readonly RedisArgument[],
) => RedisReply;

function commit(data: RedisData, keys: readonly string[], args: readonly RedisArgument[]): number {
  const [lease = '', entries = '', order = '', version = ''] = keys;
  if (data.get(lease) !== text(args[0])) return LOST;
  let i = 2;
  for (const end = i + 2 * Number(args[1]); i < end; i += 2) {
    const entry = data.field(entries, text(args[i]));
    const found = entry?.subarray(0, STAMP_BYTES) ?? Buffer.alloc(0);
    if (!found.equals(bytes(args[i + 1]))) return 0;
  }
  const last = Number(data.get(version) ?? 0);
  if (i >= args.length) return Math.max(last, 1);
  const next = Math.max(last + 1, Math.floor(data.nowMs() * 1000));
  data.set(version, String(next));
  const stamp = Buffer.alloc(STAMP_BYTES);
  stamp.writeDoubleBE(next);
  for (; i < args.length; i += 3) {
    const key = text(args[i]);
    if (text(args[i + 1]) === '+') {
      data.setField(entries, key, Buffer.concat([stamp, bytes(args[i + 2])]));
      data.addMember(order, key);
    } else {
      data.deleteField(entries, key);
      data.removeMember(order, key);
    }
  }
  return next;
}

function lease(
  data: RedisData,
  keys: readonly string[],
  args: readonly RedisArgument[],
): RedisReply[] {
  const [leaseKey = '', ownerKey = '', versionKey = ''] = keys;
  const [boot, ttlMs, how] = [text(args[0]), Number(args[2]), text(args[3])];
  const holder = data.get(leaseKey);
  const [, owner, ended] = /^(.*#\d+) ?(\d*)$/.exec(data.get(ownerKey) ?? '') ?? [];
  const last = holder ?? owner ?? '';
  const version = Buffer.from(data.get(versionKey) ?? '0');
  const epoch = Number(ended ?? 0);
  const [, lastBoot, lastSession] = /^(.*)#(\d+)$/.exec(last) ?? [];
  const isMine = lastBoot === boot;
  if (!isMine && (holder !== undefined || how !== 'new')) {
    return [0, Buffer.from(last), data.leftMs(leaseKey), version, epoch];
  }
  const session = isMine ? Math.max(Number(args[1]), Number(lastSession)) : Number(args[1]);
  const granted = isMine ? epoch : Math.max(epoch, Math.floor(data.nowMs())) + 1;
  const token = `${boot}#${session}`;
  data.set(leaseKey, token, ttlMs);
  if (token !== owner) data.set(ownerKey, `${token} ${granted}`);
  return [1, Buffer.from(token), ttlMs, version, granted];
}

function release(data: RedisData, keys: readonly string[], args: readonly RedisArgument[]): number {
  const [leaseKey = ''] = keys;
  const [, boot] = /^(.*)#\d+$/.exec(data.get(leaseKey) ?? '') ?? [];
  return boot === text(args[0]) && data.delete(leaseKey) ? 1 : 0;
}

function list(
  data: RedisData,
  keys: readonly string[],
  args: readonly RedisArgument[],
): RedisReply {
  const [entries = '', order = ''] = keys;
  const members = data.members(order, text(args[0]), text(args[1]), Number(args[2]));
  return members.flatMap((member) => [
    Buffer.from(member, 'latin1'),
    data.field(entries, member) ?? null,
  ]);
}

/** By the name of the script's file. */
export const SCRIPT_TWINS = { commit, lease, release, list } satisfies Record<string, Script>;
