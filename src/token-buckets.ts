import type { LRUCache } from 'lru-cache';
import type { BucketSize } from './config.ts';
import { TwinError } from './errors.ts';
import { lruCache } from './lru-cache.ts';
import type { Time } from './time.ts';

/** Keys with a bucket at the same time; a key that is evicted starts with a full one again. */
const KEYS_MAX = 32_768;

/**
 * So much of a bucket is enough for what costs more than it holds: a request that has paid for its first
 * part could never pay for the rest otherwise.
 */
const NEARLY_FULL = 0.9;

/** What hints count in. */
interface Unit {
  /** After a number; empty: tokens need no name. */
  name: string;
  /** Tokens in one. */
  size: number;
}

const TOKEN: Unit = { name: '', size: 1 };

interface Bucket {
  tokens: number;
  atMs: number;
}

interface Options {
  keysMax?: number;
  unit?: Unit;
  /** Among how many nodes the buckets of a key are divided; undefined: this one only. */
  nodeCount?: (() => number) | undefined;
}

/**
 * Token buckets by key, in bounded memory. Several nodes have equal parts of each bucket, rounded up. What
 * costs more than a part, but no more than the whole, is taken from one that is nearly full, which then
 * owes the rest.
 */
export class TokenBuckets {
  /** Of all nodes together. */
  readonly #whole: BucketSize;
  readonly #nodeCount: (() => number) | undefined;
  readonly #time: Time;
  readonly #buckets: LRUCache<string, Bucket>;
  readonly #unit: Unit;

  constructor(
    size: BucketSize,
    time: Time,
    { keysMax = KEYS_MAX, unit = TOKEN, nodeCount }: Options = {},
  ) {
    this.#whole = size;
    this.#nodeCount = nodeCount;
    this.#time = time;
    this.#unit = unit;
    this.#buckets = lruCache(keysMax);
  }

  /** What this node allows: its part. */
  get size(): BucketSize {
    const nodeCount = this.#nodeCount?.() ?? 1;
    if (nodeCount <= 1) return this.#whole;
    const { burst, perS } = this.#whole;
    return { burst: Math.ceil(burst / nodeCount), perS: perS / nodeCount };
  }

  /** Takes tokens. Throws TwinError `rate_limited` and takes nothing if there are too few. */
  take(key: string, cost = 1): void {
    this.#affordable(key, cost).tokens -= cost;
  }

  /** As `take`, but takes at most a full bucket. */
  takeUpToBurst(key: string, cost: number): void {
    this.#affordable(key, this.#nearlyFull(cost)).tokens -= Math.min(cost, this.#whole.burst);
  }

  /** Throws if `takeUpToBurst` would. */
  checkUpToBurst(key: string, cost: number): void {
    this.check(key, this.#nearlyFull(cost));
  }

  #nearlyFull(cost: number): number {
    return Math.min(cost, NEARLY_FULL * this.size.burst);
  }

  /** Throws if `take` would. */
  check(key: string, cost = 1): void {
    this.#affordable(key, cost);
  }

  #affordable(key: string, cost: number): Bucket {
    const { burst, perS } = this.size;
    const whole = this.#whole.burst;
    const bucket = this.#refilled(key);
    const needed = cost > burst && cost <= whole ? NEARLY_FULL * burst : cost;
    const lacking = needed - bucket.tokens;
    if (lacking <= 0) return bucket;
    const { name, size } = this.#unit;
    const hint =
      cost > whole
        ? `This request needs ${Math.ceil(cost / size)}${name}; at most ${whole / size} are allowed at once.`
        : undefined;
    throw new TwinError('rate_limited', hint, Math.max(1, Math.ceil(lacking / perS)));
  }

  /** Takes tokens even if there are too few. */
  spend(key: string, cost = 1): void {
    this.#refilled(key).tokens -= cost;
  }

  /** Whether `takeUpToBurst` would take. */
  affords(key: string, cost: number): boolean {
    return this.#refilled(key).tokens >= this.#nearlyFull(cost);
  }

  /** Whether half a bucket is left after so many tokens are taken. */
  spares(key: string, cost: number): boolean {
    const half = this.size.burst / 2;
    const needed = cost > this.#whole.burst / 2 ? cost : Math.min(cost, half);
    return this.#refilled(key).tokens - needed >= half;
  }

  /** Tokens left for a key, and the seconds until its bucket is full. */
  level(key: string): { left: number; fullInS: number } {
    const { burst, perS } = this.size;
    const { tokens } = this.#refilled(key);
    return { left: Math.max(0, Math.floor(tokens)), fullInS: Math.ceil((burst - tokens) / perS) };
  }

  #refilled(key: string): Bucket {
    const nowMs = this.#time.now();
    const { burst, perS } = this.size;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = { tokens: burst, atMs: nowMs };
      this.#buckets.set(key, bucket);
    }
    const gained = ((nowMs - bucket.atMs) / 1000) * perS;
    bucket.tokens = Math.min(burst, bucket.tokens + gained);
    bucket.atMs = nowMs;
    return bucket;
  }
}
