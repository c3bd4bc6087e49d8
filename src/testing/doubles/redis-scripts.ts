/** Twins of the Lua scripts of the store: the same answers and effects on a state in memory. */

import type { ScriptName } from '../../store/redis/redis-scripts.ts';
import { enter, heartbeat, leave } from './redis-common-scripts.ts';
import {
  bytes,
  RELEASED,
  type RedisArgument,
  type RedisData,
  type RedisReply,
  text,
} from './redis-data.ts';

export { type RedisArgument, RedisData, type RedisReply, text } from './redis-data.ts';

const STAMP_BYTES = 8;
const LOST = -1;

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
  const kinds = args.slice(i).filter((_, at) => at % 3 === 1);
  const removals = kinds.filter((kind) => text(kind) === '-');
  const isFreeing = text(kinds[0]) === '-' && 9 * removals.length > 3 * kinds.length - 1;
  if (isFreeing) data.removeMember(order, text(args[i]));
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

/** The last holder of a lease and what is known of it. */
function ownerOf(data: RedisData, leaseKey: string, ownerKey: string) {
  const holder = data.get(leaseKey);
  const [, owner, epoch = '', ended = ''] =
    /^(.*#\d+) ?(\d*) ?([a-z]*)$/s.exec(data.get(ownerKey) ?? '') ?? [];
  const last = holder ?? owner ?? '';
  const isReleased = holder === undefined && ended === 'released';
  return { holder, owner, epoch, last, isReleased };
}

const sessionIn = (token: string) => /^(.*)#(\d+)$/s.exec(token) ?? [];
const numberIn = (name: string) => /^(.*)-(\d+)$/s.exec(name) ?? [];

function lease(
  data: RedisData,
  keys: readonly string[],
  args: readonly RedisArgument[],
): RedisReply[] {
  const [leaseKey = '', ownerKey = '', versionKey = '', markKey = ''] = keys;
  const [name, ttlMs, how] = [text(args[0]), Number(args[2]), text(args[3])];
  const { holder, owner, epoch, last, isReleased } = ownerOf(data, leaseKey, ownerKey);
  const version = Buffer.from(data.get(versionKey) ?? '0');
  const mark = Number(data.get(markKey) ?? 0);
  const [, lastName, lastSession] = sessionIn(last);
  const isMine = lastName === name && !isReleased;
  const mayTake = () => {
    if (how === 'same') return false;
    const [, process, number] = numberIn(name);
    const [, lastProcess, lastNumber] = numberIn(lastName ?? '');
    const isOwn = lastProcess !== undefined && lastProcess === process;
    if (isOwn) return Number(number) > Number(lastNumber);
    const isFree = how === 'expired' || isReleased || lastProcess === undefined;
    return holder === undefined && isFree;
  };
  if (!isMine && !mayTake()) {
    if (how === 'expired' && data.leftMs(leaseKey) > ttlMs) data.expire(leaseKey, ttlMs);
    const told = Buffer.from(last);
    return [0, told, data.leftMs(leaseKey), version, Number(epoch), mark, told];
  }
  const session = isMine ? Math.max(Number(args[1]), Number(lastSession)) : Number(args[1]);
  const least = Math.max(Number(epoch), Number(args[5]), Math.floor(data.nowMs()));
  const granted = isMine ? Number(epoch) : least + 1;
  const token = `${name}#${session}`;
  data.expire(leaseKey, ttlMs);
  data.set(leaseKey, token, ttlMs);
  if (token !== owner) data.set(ownerKey, `${token} ${granted}`);
  if (Number(args[4]) > mark) data.set(markKey, text(args[4]));
  return [1, Buffer.from(token), ttlMs, version, granted, mark, Buffer.from(last)];
}

function release(data: RedisData, keys: readonly string[], args: readonly RedisArgument[]): number {
  const [leaseKey = '', ownerKey = '', markKey = ''] = keys;
  const { epoch, last, isReleased } = ownerOf(data, leaseKey, ownerKey);
  if (sessionIn(last)[1] !== text(args[0]) || isReleased) return 0;
  data.delete(leaseKey);
  data.set(ownerKey, `${last} ${epoch}${RELEASED}`);
  if (text(args[1]) !== '') data.set(markKey, text(args[1]));
  return 1;
}

function give(data: RedisData, keys: readonly string[], args: readonly RedisArgument[]): number {
  const [leaseKey = '', ownerKey = '', markKey = ''] = keys;
  const [from, to] = [text(args[0]), text(args[1])];
  if (data.get(leaseKey) !== from) return 0;
  const { epoch } = ownerOf(data, leaseKey, ownerKey);
  const given = Math.max(Number(epoch), Number(args[4]), Math.floor(data.nowMs())) + 1;
  data.expire(leaseKey, Number(args[2]));
  data.set(leaseKey, to, Number(args[2]));
  data.set(ownerKey, `${to} ${given}`);
  data.set(markKey, text(args[3]));
  return given;
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
export const SCRIPT_TWINS = {
  ...{ commit, lease, release, give, list },
  ...{ enter, heartbeat, leave },
} satisfies Record<ScriptName, Script>;
