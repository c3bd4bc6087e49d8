import { setTimeout as sleep } from 'node:timers/promises';
import { systemTime } from '../../time.ts';
import {
  type Check,
  type Entry,
  type Key,
  type Page,
  type Store,
  StoreUnavailable,
  type Write,
} from '../contract.ts';
import { checkOnePartition, decodeKey, encodeKey, packValue, unpackValue } from '../encoding.ts';
import { messageOf, RedisLease } from './redis-lease.ts';
import { type Argument, LinkError, RedisLink } from './redis-link.ts';
import { COMMON_SLOT, type Slot, slotOfKey, stretchesOf } from './slots.ts';

/** What is on its way to Redis; a commit that finds more than this ahead of it is refused. */
const PENDING_BYTES_MAX = 64 * 2 ** 20;
/** What a commit costs while it is on its way, beside its keys and values. */
const COMMIT_OVERHEAD_BYTES = 500;
const COMMAND_TIMEOUT_MS = 1000;
/** How long a start waits for Redis to answer. */
const START_MS = 5000;
const START_LOOK_MS = 10;
const VERSION_BYTES = 8;
const COMMITTED_MIN = 1;
const LOST = -1;
/** Redis refuses writes for want of memory, or of space for its log. */
const FULL = /^(OOM|MISCONF)\b/;

/** What happens to the right to write after the start. */
export interface Standing {
  /** The store may be relied on again. */
  held(): void;
  /** It could not be made sure in time that nobody else writes: nothing may be shown any more. */
  expired(): void;
  /** Others may have written, or writes are gone: what is known must be read anew. */
  lost(reason: string): void;
}

export interface RedisSettings {
  url: string;
  nodeName: string;
  /** How long the lease of a process that has died keeps others waiting. */
  leaseMs: number;
}

/** Opens the store in Redis. Rejects, with a message for the operator, where it cannot be had. */
export async function openRedis(settings: RedisSettings, standing?: Standing): Promise<RedisStore> {
  const store = new RedisStore(settings, standing);
  try {
    await store.open();
    return store;
  } catch (error) {
    await store.close();
    const where = settings.url.replace(/\/\/[^@/]*@/, '//');
    throw new Error(`the store at ${where}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * The store in Redis, written to by one process at a time. A commit is one script, which checks
 * the lease, then the versions, then writes.
 *
 * Commits go out in the order of the calls over one connection. Where that breaks, what was under
 * way has an unknown outcome; the next connection shuts out what the old one may still carry
 * before it is used, so that a read over it tells how it ended.
 */
export class RedisStore implements Store {
  readonly engine = 'redis';
  readonly #lease: RedisLease;
  readonly #link: RedisLink;
  readonly #standing: Standing | undefined;
  readonly #seen = new Map<Slot, number>();
  readonly #underWay = new Set<Promise<unknown>>();
  #session = 0;
  /** The grant of the lease that the connection stands under, and that with its number. */
  #enteredBoot = '';
  #token = '';
  #pendingBytes = 0;
  #isOpen = false;
  #closing: Promise<void> | undefined;

  /** Use `openRedis`. */
  constructor({ url, nodeName, leaseMs }: RedisSettings, standing?: Standing) {
    this.#standing = standing;
    this.#lease = new RedisLease({
      url,
      nodeName,
      ttlMs: leaseMs,
      seenVersion: (slot) => this.#seen.get(slot) ?? 0,
      held: () => this.#held(),
      expired: () => this.#standing?.expired(),
      lost: (reason) => this.#lost(reason),
    });
    this.#link = new RedisLink(url, {
      name: nodeName,
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
      handshake: (link) => this.#enter(link),
      up: () => this.#up(),
    });
  }

  /** Until when the right to write may be relied on, by `Time.now`. */
  get untilMs(): number {
    return this.#lease.untilMs;
  }

  /** Whether requests can be served. */
  get isReady(): boolean {
    return this.#link.isUp && this.#lease.isHeld && this.#enteredBoot === this.#lease.boot;
  }

  /** Takes the lease and connects. To be called once, before anything else. */
  async open(): Promise<void> {
    await this.#lease.take(START_MS);
    this.#link.open();
    const endMs = systemTime.now() + START_MS;
    while (!this.isReady) {
      if (systemTime.now() > endMs)
        throw new Error(`no answer: ${messageOf(this.#link.lastError)}`);
      await sleep(START_LOOK_MS);
    }
    this.#isOpen = true;
  }

  async #enter(link: RedisLink): Promise<void> {
    const { boot } = this.#lease;
    const session = ++this.#session;
    await this.#lease.enter(link, session);
    this.#enteredBoot = boot;
    this.#token = `${boot}#${session}`;
  }

  #up(): void {
    if (this.#enteredBoot !== this.#lease.boot) this.#link.renew(new Error('another lease'));
    else if (this.#isOpen && this.isReady) this.#standing?.held();
  }

  #held(): void {
    if (!this.#isOpen) return;
    if (this.#enteredBoot !== this.#lease.boot) this.#link.renew(new Error('another lease'));
    else if (this.isReady) this.#standing?.held();
  }

  #lost(reason: string): void {
    this.#seen.clear();
    this.#standing?.lost(reason);
  }

  async get<T>(key: Key): Promise<Entry<T> | undefined> {
    const bytes = encodeKey(key);
    const slot = slotOfKey(key);
    const found = await this.#read(() => this.#link.field(slot.entries, bytes));
    return found === null ? undefined : entryOf<T>(key, found);
  }

  async list<T>(prefix: Key, page: Page): Promise<Entry<T>[]> {
    const entries: Entry<T>[] = [];
    for (const { slot, start, end } of stretchesOf(prefix, page)) {
      const left = page.limit - entries.length;
      if (left === 0) break;
      const keys = [slot.entries, slot.order];
      const found = (await this.#read(() =>
        this.#link.run('list', keys, [start, end, left]),
      )) as Buffer[];
      for (let i = 0; i + 1 < found.length; i += 2) {
        entries.push(entryOf<T>(decodeKey(found[i] as Buffer), found[i + 1] as Buffer));
      }
    }
    return entries;
  }

  async #read<R>(query: () => Promise<R>): Promise<R> {
    if (this.#closing) throw new StoreUnavailable('closed');
    try {
      return await query();
    } catch (error) {
      throw new StoreUnavailable(this.#closing ? 'closed' : 'failed', error);
    }
  }

  async commit(checks: readonly Check[], writes: readonly Write[]): Promise<boolean> {
    const keys = [...checks, ...writes].map(({ key }) => key);
    checkOnePartition(keys);
    const slot = keys[0] === undefined ? COMMON_SLOT : slotOfKey(keys[0]);
    const { args, bytes } = pack(checks, writes);
    if (this.#closing) throw new StoreUnavailable('closed');
    if (!this.#lease.isHeld) throw new StoreUnavailable('failed', new Error('no lease'));
    if (this.#pendingBytes > PENDING_BYTES_MAX) {
      throw new StoreUnavailable('failed', new Error('too much is on its way'));
    }
    this.#pendingBytes += bytes;
    const asked = this.#commit(slot, args);
    this.#underWay.add(asked);
    try {
      return await asked;
    } finally {
      this.#pendingBytes -= bytes;
      this.#underWay.delete(asked);
    }
  }

  async #commit(slot: Slot, args: readonly Argument[]): Promise<boolean> {
    const keys = [slot.lease, slot.entries, slot.order, slot.version];
    let answer: number;
    try {
      answer = (await this.#link.run('commit', keys, [this.#token, ...args])) as number;
    } catch (error) {
      throw unavailable(error);
    }
    if (answer === LOST) throw new StoreUnavailable('failed', new Error('the lease is lost'));
    this.#seen.set(slot, Math.max(answer, this.#seen.get(slot) ?? 0));
    return answer >= COMMITTED_MIN;
  }

  /** Settings of Redis under which an answered write may not last, as far as it tells them. */
  async warnings(): Promise<string[]> {
    const setting = async (name: string): Promise<string | undefined> => {
      const answer = await this.#link.send('CONFIG', 'GET', name).catch(() => []);
      return (answer as Buffer[])[1]?.toString();
    };
    const wanted: [name: string, isGood: (value: string) => boolean, why: string][] = [
      ['appendonly', (value) => value === 'yes', 'a crash of Redis loses answered writes'],
      ['appendfsync', (value) => value === 'always', 'loss of power loses the last writes'],
      ['maxmemory-policy', (value) => value === 'noeviction', 'Redis may drop what it holds'],
    ];
    const warnings: string[] = [];
    for (const [name, isGood, why] of wanted) {
      const value = await setting(name);
      if (value !== undefined && !isGood(value)) warnings.push(`${name} is ${value}: ${why}`);
    }
    return warnings;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.#lease.close();
    await this.#link.close();
  }
}

function unavailable(error: unknown): StoreUnavailable {
  if (!(error instanceof LinkError)) return new StoreUnavailable('failed', error);
  if (error.outcome === 'unknown') return new StoreUnavailable('unknown', error);
  return new StoreUnavailable(FULL.test(error.message) ? 'full' : 'failed', error);
}

/** Values are packed when the commit is called: what the caller changes later is not written. */
function pack(checks: readonly Check[], writes: readonly Write[]) {
  const args: Argument[] = [checks.length];
  for (const { key, version } of checks) args.push(encodeKey(key), stampOf(version));
  for (const write of writes) {
    args.push(encodeKey(write.key));
    if ('remove' in write) args.push('-', '');
    else args.push('+', packValue(write.value));
  }
  let bytes = COMMIT_OVERHEAD_BYTES;
  for (const each of args) if (typeof each !== 'number') bytes += each.length;
  return { args, bytes };
}

function stampOf(version: number | null): Buffer {
  if (version === null) return Buffer.alloc(0);
  const stamp = Buffer.alloc(VERSION_BYTES);
  stamp.writeDoubleBE(version);
  return stamp;
}

function entryOf<T>(key: Key, bytes: Buffer): Entry<T> {
  const value = unpackValue(bytes.subarray(VERSION_BYTES)) as T;
  return { key, value, version: bytes.readDoubleBE() };
}
