import { START_WAIT_MS, STORE_WAIT_MS } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { Random } from '../../random.ts';
import { Slices } from '../../slices.ts';
import type { Time } from '../../time.ts';
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
} from '../contract.ts';
import {
  checkOnePartition,
  decodeKey,
  encodeKey,
  packValue,
  pageBounds,
  rangeOf,
  unpackValue,
} from '../encoding.ts';
import { RedisClaims } from './redis-claims.ts';
import { type Argument, LinkError, type MakeClient } from './redis-client.ts';
import { RedisHeartbeats } from './redis-heartbeats.ts';
import { messageOf, RedisLink } from './redis-link.ts';
import { LAST_WRITES_LOST } from './slot-lease.ts';
import { COMMON_SLOT, PARTITION_SLOTS, type Slot, slotOfKey, stretchesOf } from './slots.ts';
import { EMPTIED, type LeaseSettings, WriterKey } from './writer-key.ts';

/** While a node starts: pause between two attempts. */
const RETRY_MS = 50;
const VERSION_BYTES = 8;
const COMMITTED_MIN = 1;
const LOST = -1;
/** Before a bound of a range of members: with it, and without it. */
const FROM = Buffer.from('[');
const BEFORE = Buffer.from('(');
/** Redis refuses writes because it has no memory, or no disk space for its log. */
const FULL = /^(OOM|MISCONF)\b/;

const SAFE_SETTINGS = [
  ['appendonly', 'yes', 'if Redis crashes, answered writes are lost'],
  ['appendfsync', 'always', 'if the power fails, the last writes are lost'],
  ['maxmemory-policy', 'noeviction', 'Redis may evict data'],
] as const;

export interface RedisSettings extends LeaseSettings {
  /** A command of a node that serves fails without an answer within this time; 1 s by default. */
  commandTimeoutMs?: number;
}

export interface RedisDependencies {
  time: Time;
  random: Random;
  log: Log;
  /** By default that of the library. */
  makeClient?: MakeClient;
}

/**
 * Opens the store in Redis. Rejects, with a message for the operator, if Redis does not answer or a
 * node of an earlier release, which takes everything, goes on.
 */
export async function openRedis(
  settings: RedisSettings,
  dependencies: RedisDependencies,
): Promise<RedisStore> {
  const store = new RedisStore(settings, dependencies);
  try {
    await store.open();
    return store;
  } catch (error) {
    await store.close();
    const where = settings.url.replace(/\/\/.*@/, '//');
    throw new Error(`the store at ${where}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * The store in Redis, which many processes use at once. A commit is one script that checks the right
 * of the process (its writer key, or the lease of a partition), then checks the versions, then writes.
 *
 * Commits are sent in the order of the calls over one connection. If the connection breaks, the
 * outcome of unanswered commits is unknown. Before the next connection is used, it fences off
 * commands that the old one may still deliver. So a read over the new connection shows the final
 * outcome.
 */
export class RedisStore implements Store {
  readonly engine = 'redis';
  readonly claims: RedisClaims;
  readonly heartbeats: RedisHeartbeats;
  fencedCount = 0;
  readonly #writer: WriterKey;
  readonly #link: RedisLink;
  readonly #commandTimeoutMs: number;
  readonly #log: Log;
  readonly #time: Time;
  readonly #slices: Slices;
  readonly #seen = new Map<Slot, number>();
  readonly #underWay = new Set<Promise<unknown>>();
  #session = 0;
  #pendingBytes = 0;
  #isOpen = false;
  /** Until then all commands have START_WAIT_MS. */
  #isServing = false;
  #hasWaited = false;
  #closing: Promise<void> | undefined;

  /** Use `openRedis`. */
  constructor(settings: RedisSettings, { time, random, log, makeClient }: RedisDependencies) {
    this.#commandTimeoutMs = settings.commandTimeoutMs ?? STORE_WAIT_MS;
    this.#log = log;
    this.#time = time;
    this.#slices = new Slices(time);
    this.#writer = new WriterKey(settings, {
      ...{ time, random, makeClient, seen: this.#seen },
      listener: {
        entered: () => this.#resume(),
        expired: () => log.error('the store does not answer and the writer key has expired'),
        lost: (reason) => {
          log.error({ reason }, 'this node has to enter the store again');
          // As a rule partitions are lost for the same reason.
          this.claims.trouble();
        },
      },
    });
    const { leaseMs } = settings;
    const parts = { time, writer: this.#writer, leaseMs };
    this.claims = new RedisClaims({ ...parts, seen: this.#seen });
    this.heartbeats = new RedisHeartbeats(parts);
    this.#link = new RedisLink(settings.url, {
      name: settings.nodeName,
      commandTimeoutMs: START_WAIT_MS,
      time,
      random,
      makeClient,
      handshake: (link) => this.#enter(link),
      up: () => this.#resume(),
    });
  }

  /** Whether requests can be served. */
  get isReady(): boolean {
    return this.#link.isUp && this.#writer.fence !== undefined;
  }

  /** Why requests cannot be served, for the operator; undefined if they can. */
  get trouble(): string | undefined {
    if (this.isReady) return undefined;
    if (this.#writer.refusal !== undefined) return this.#writer.refusal;
    const isAnswering = this.#link.isUp && this.#writer.link.isUp;
    return isAnswering ? 'the node enters the store again' : 'the store does not answer';
  }

  /** Enters and connects. Call it once, before anything else. */
  async open(): Promise<void> {
    await this.#inStart(this.#connect());
    this.#isOpen = true;
  }

  async #connect(): Promise<void> {
    await this.#writer.open(START_WAIT_MS);
    this.#link.open();
    await this.#link.waitFor(() => this.isReady, START_WAIT_MS);
  }

  /** From now on requests wait for commands. */
  serve(): void {
    this.#isServing = true;
    this.#link.limitCommands(this.#commandTimeoutMs);
  }

  /** Logs once that the start waits, if it does for long. */
  async #inStart<Result>(work: Promise<Result>): Promise<Result> {
    const stopTimer = this.#time.after(STORE_WAIT_MS, () => {
      if (!this.#hasWaited) this.#log.warn({ reason: this.trouble }, 'the start waits for Redis');
      this.#hasWaited = true;
    });
    try {
      return await work;
    } finally {
      stopTimer();
    }
  }

  /** Repeats what Redis did not execute. `run` throws StoreUnavailable. */
  async #patiently<Result>(run: () => Promise<Result>): Promise<Result> {
    const endMs = this.#time.now() + START_WAIT_MS;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        const isExecuted = !(error instanceof StoreUnavailable) || error.reason !== 'failed';
        const isOver = this.#isServing || this.#closing !== undefined || this.#time.now() > endMs;
        if (isExecuted || isOver) throw error;
      }
      await this.#time.sleep(RETRY_MS);
    }
  }

  async #enter(link: RedisLink): Promise<void> {
    const session = ++this.#session;
    await this.#writer.move(link, session);
    await this.claims.enter(link, session);
  }

  /** Continues after the connection or the writer key was restored. */
  #resume(): void {
    if (!this.#isOpen || !this.isReady) return;
    this.#log.info('this node can use the store');
    this.claims.trouble();
  }

  async get<T>(key: Key): Promise<Entry<T> | undefined> {
    const bytes = encodeKey(key);
    const slot = slotOfKey(key);
    const found = await this.#read(slot, () => this.#link.send('HGET', slot.entries, bytes));
    if (found !== null) return entryOf<T>(key, found as Buffer);
    // The registry of the dealer platform checks this by itself, once for many keys.
    if (slot !== COMMON_SLOT) await this.#read(slot, () => this.#expectWritten(slot));
    return undefined;
  }

  /** Throws if the slot has lost writes: then a key that was not found may have existed. */
  async #expectWritten(slot: Slot): Promise<void> {
    // As of now: a commit that is answered meanwhile may be later than this version.
    const seen = this.#seen.get(slot) ?? 0;
    const version = await this.#link.send('GET', slot.version);
    if (Number(version ?? 0) >= seen) return;
    void this.#writer.renew();
    this.claims.trouble();
    throw new Error(LAST_WRITES_LOST);
  }

  async list<T>(prefix: Key, page: Page): Promise<Entry<T>[]> {
    const entries: Entry<T>[] = [];
    for (const { slot, start, end } of stretchesOf(prefix, pageBounds(prefix, page))) {
      const left = page.limit - entries.length;
      if (left === 0) break;
      const keys = [slot.entries, slot.order];
      const found = (await this.#read(slot, () =>
        this.#link.run('list', keys, [start, end, left]),
      )) as Buffer[];
      const pairs = Array.from({ length: found.length / 2 }, (_, i) => 2 * i);
      await this.#slices.each(pairs, (i) => {
        entries.push(entryOf<T>(decodeKey(found[i] as Buffer), found[i + 1] as Buffer));
      });
    }
    return entries;
  }

  async count(prefix: Key, bounds: KeyBounds = {}): Promise<number> {
    let count = 0;
    for (const { slot, start, end } of stretchesOf(prefix, rangeOf(prefix, bounds))) {
      const [from, before] = [Buffer.concat([FROM, start]), Buffer.concat([BEFORE, end])];
      const query = () => this.#link.send('ZLEXCOUNT', slot.order, from, before);
      count += (await this.#read(slot, query)) as number;
    }
    return count;
  }

  #read<R>(slot: Slot, query: () => Promise<R>): Promise<R> {
    if (this.#isServing) return this.#ask(slot, query);
    return this.#inStart(this.#patiently(() => this.#ask(slot, query)));
  }

  async #ask<R>(slot: Slot, query: () => Promise<R>): Promise<R> {
    if (this.#closing) throw new StoreUnavailable('closed');
    if (this.#writer.isEmptied) throw new StoreUnavailable('failed', new Error(EMPTIED));
    this.#expectCurrent(slot);
    let found: R;
    try {
      found = await query();
    } catch (error) {
      throw new StoreUnavailable(this.#closing ? 'closed' : 'failed', error);
    }
    this.#expectCurrent(slot);
    return found;
  }

  /** Others write common entries: a node that is cut off or was paused knows only earlier ones. */
  #expectCurrent(slot: Slot): void {
    if (slot !== COMMON_SLOT || this.#writer.isHeld) return;
    throw this.#closing ? new StoreUnavailable('closed') : hasNotEntered();
  }

  async commit(
    checks: readonly Check[],
    writes: readonly Write[],
    grant?: Grant,
  ): Promise<boolean> {
    checkOnePartition(checks, writes, grant);
    const { args, bytes } = pack(checks, writes);
    if (this.#closing) throw new StoreUnavailable('closed');
    if (this.#pendingBytes > PENDING_BYTES_MAX) {
      throw new StoreUnavailable('failed', new Error('too many bytes are unanswered'));
    }
    this.#pendingBytes += bytes;
    const send = () => this.#commit(args, grant);
    const asked = this.#isServing ? send() : this.#inStart(this.#patiently(send));
    this.#underWay.add(asked);
    try {
      return await asked;
    } finally {
      this.#pendingBytes -= bytes;
      this.#underWay.delete(asked);
    }
  }

  async #commit(args: readonly Argument[], grant: Grant | undefined): Promise<boolean> {
    const { slot, key, token } = grant === undefined ? this.#commonFence() : this.#fenceOf(grant);
    let answer: number;
    try {
      const keys = [key, slot.entries, slot.order, slot.version];
      answer = (await this.#link.run('commit', keys, [token, ...args])) as number;
    } catch (error) {
      throw unavailable(error);
    }
    if (answer === LOST) {
      this.fencedCount++;
      if (grant === undefined) void this.#writer.renew();
      else this.claims.trouble();
      throw new StoreUnavailable('failed', new Error('the right to write is lost'));
    }
    this.#seen.set(slot, Math.max(answer, this.#seen.get(slot) ?? 0));
    return answer >= COMMITTED_MIN;
  }

  #commonFence() {
    const { fence } = this.#writer;
    if (fence === undefined) throw hasNotEntered();
    return { slot: COMMON_SLOT, ...fence };
  }

  #fenceOf(grant: Grant) {
    const token = this.claims.tokenOf(grant);
    const slot = PARTITION_SLOTS[grant.partition];
    if (slot === undefined) throw new TypeError(`there is no partition ${grant.partition}`);
    return { slot, key: slot.lease, token };
  }

  /** Warnings about settings with which Redis may lose answered writes. */
  async warnings(): Promise<string[]> {
    const warnings: string[] = [];
    for (const [name, safe, why] of SAFE_SETTINGS) {
      const answer = await this.#link.send('CONFIG', 'GET', name).catch(() => []);
      const value = (answer as Buffer[])[1]?.toString() ?? safe;
      if (value !== safe) warnings.push(`${name} is ${value}: ${why}`);
    }
    return warnings;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.claims.releaseAll();
    await this.#writer.close();
    await this.#link.close();
  }
}

function hasNotEntered(): StoreUnavailable {
  return new StoreUnavailable('failed', new Error('this node may not use common entries now'));
}

function unavailable(error: unknown): StoreUnavailable {
  if (!(error instanceof LinkError)) return new StoreUnavailable('failed', error);
  if (error.outcome === 'unknown') return new StoreUnavailable('unknown', error);
  return new StoreUnavailable(FULL.test(error.message) ? 'full' : 'failed', error);
}

/** Packs values when the commit is called: later changes of the objects are not written. */
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
