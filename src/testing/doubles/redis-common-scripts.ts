/** Twins of the Lua scripts that concern all processes on a store. */

import { bytes, type RedisArgument, type RedisData, type RedisReply, text } from './redis-data.ts';

const ERROR_MS = 500;
const STAMP_BYTES = 8;
const HEAD_BYTES = 25;

type Keys = readonly string[];
type Arguments = readonly RedisArgument[];

export function enter(data: RedisData, keys: Keys, args: Arguments): RedisReply[] {
  const [writerKey = '', formerKey = '', leaseKey = '', versionKey = ''] = keys;
  const [name, ttlMs, how] = [text(args[0]), Number(args[2]), text(args[3])];
  const writer = data.get(writerKey);
  const lease = data.get(leaseKey) ?? '';
  const version = data.get(versionKey) ?? '0';
  const [, lastName, lastSession] = /^(.*)#(\d+)$/s.exec(writer ?? '') ?? [];
  const isSame = how === 'same' && lastName === name;
  const isFree = writer === undefined && lease === '' && (how === 'new' || version !== '0');
  const isNew = how !== 'same' && isFree;
  const session = isSame ? Math.max(Number(args[1]), Number(lastSession)) : Number(args[1]);
  if (isNew) data.delete(formerKey);
  if (isSame) data.expire(writerKey, ttlMs);
  if (isNew || isSame) data.set(writerKey, `${name}#${session}`, ttlMs);
  return [isNew || isSame ? 1 : 0, session, Buffer.from(version), Buffer.from(lease)];
}

export function leave(data: RedisData, keys: Keys, args: Arguments): number {
  const [writerKey = '', nodesKey = ''] = keys;
  data.delete(writerKey);
  return data.deleteField(nodesKey, text(args[0])) ? 1 : 0;
}

/** An entry of the hash of nodes. */
interface Entry {
  seenMs: number;
  count: number;
  joined: number;
  isSynced: boolean;
}

export function heartbeat(data: RedisData, keys: Keys, args: Arguments): RedisReply[] {
  const [writerKey = '', nodesKey = '', , versionKey = ''] = keys;
  const [name, process, count] = [text(args[0]), text(args[1]), Number(args[2])];
  const version = Buffer.from(data.get(versionKey) ?? '0');
  const [, writer] = /^(.*)#\d+$/s.exec(data.get(writerKey) ?? '') ?? [];
  const own = data.field(nodesKey, process);
  const isLate = own !== undefined && entryOf(own).count >= count;
  if (isLate || writer !== name) return [0, version];
  data.expire(writerKey, Number(args[3]));

  const living = livingIn(data, keys, Number(args[3]));
  const joined = living.get(process)?.joined ?? joinedLast(living, process) + 1;
  const readingMs = text(args[4]) === '' ? undefined : Number(args[4]);
  const synced = [...living]
    .filter(([each, { isSynced }]) => each !== process && isSynced)
    .map(([, entry]) => entry.joined);
  const clockMs = clockOf(data, keys, {
    ...{ lifeMs: Number(args[3]), readingMs, hasSynced: synced.length > 0 },
    isFirst: synced.every((other) => joined < other),
  });
  const head = headOf({ seenMs: data.nowMs(), count, joined, isSynced: readingMs !== undefined });
  data.setField(nodesKey, process, Buffer.concat([head, bytes(args[5])]));
  const told = data.fields(nodesKey).flatMap(([each, entry]) => [Buffer.from(each), entry]);
  return [1, version, Buffer.from(clockMs.toFixed(3)), told];
}

/** Removes those that are gone. */
function livingIn(data: RedisData, keys: Keys, lifeMs: number): Map<string, Entry> {
  const [, nodesKey = '', clockKey = ''] = keys;
  const nowMs = data.nowMs();
  const atMs = numberIn(data, clockKey, 'at') ?? nowMs;
  const isJump = nowMs < atMs || nowMs - atMs > lifeMs / 2;
  const skippedMs = isJump ? nowMs - atMs : 0;
  const living = new Map<string, Entry>();
  for (const [process, bytesOf] of data.fields(nodesKey)) {
    const entry = entryOf(bytesOf);
    entry.seenMs += skippedMs;
    if (nowMs - entry.seenMs > lifeMs) data.deleteField(nodesKey, process);
    else {
      living.set(process, entry);
      if (!isJump) continue;
      const value = bytesOf.subarray(HEAD_BYTES);
      data.setField(nodesKey, process, Buffer.concat([headOf(entry), value]));
    }
  }
  data.setField(clockKey, 'at', Buffer.from(nowMs.toFixed(3)));
  return living;
}

function joinedLast(living: ReadonlyMap<string, Entry>, own: string): number {
  const others = [...living].filter(([process]) => process !== own);
  return Math.max(0, ...others.map(([, { joined }]) => joined));
}

interface Reading {
  lifeMs: number;
  readingMs: number | undefined;
  /** Whether another process has adopted the clock. */
  hasSynced: boolean;
  /** Whether the caller has joined before those. */
  isFirst: boolean;
}

function clockOf(
  data: RedisData,
  keys: Keys,
  { lifeMs, readingMs, hasSynced, isFirst }: Reading,
): number {
  const [, , clockKey = ''] = keys;
  const correctionMs = numberIn(data, clockKey, 'correction') ?? 0;
  const markMs = numberIn(data, clockKey, 'mark') ?? 0;
  const toldMs = data.nowMs() + correctionMs;
  const isOff = markMs > 0 && (toldMs < markMs - ERROR_MS || toldMs > markMs + lifeMs / 2);
  if (readingMs === undefined && hasSynced) return isOff ? markMs : Math.max(toldMs, markMs);
  const isWrong = readingMs !== undefined && Math.abs(toldMs - readingMs) > ERROR_MS;
  const isNear =
    readingMs !== undefined && (readingMs >= markMs - ERROR_MS || toldMs - readingMs <= lifeMs / 2);
  const isTrusted = isWrong && ((isFirst && isNear) || isOff);
  const clockMs = Math.max(markMs, isTrusted ? readingMs : toldMs);
  const put = (field: string, ms: number) =>
    data.setField(clockKey, field, Buffer.from(ms.toFixed(3)));
  if (clockMs !== toldMs) put('correction', correctionMs + clockMs - toldMs);
  put('mark', clockMs);
  return clockMs;
}

function numberIn(data: RedisData, key: string, field: string): number | undefined {
  const found = data.field(key, field);
  return found === undefined ? undefined : Number(found.toString());
}

function entryOf(from: Buffer): Entry {
  return {
    seenMs: from.readDoubleBE(0),
    count: from.readDoubleBE(STAMP_BYTES),
    joined: from.readDoubleBE(2 * STAMP_BYTES),
    isSynced: from[3 * STAMP_BYTES] === 1,
  };
}

function headOf({ seenMs, count, joined, isSynced }: Entry): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeDoubleBE(seenMs, 0);
  head.writeDoubleBE(count, STAMP_BYTES);
  head.writeDoubleBE(joined, 2 * STAMP_BYTES);
  head[HEAD_BYTES - 1] = isSynced ? 1 : 0;
  return head;
}
