import type { LRUCache } from 'lru-cache';
import type { BucketSize } from './config.ts';
import { TwinError } from './errors.ts';
import { lruCache } from './lru-cache.ts';
import type { Time } from './time.ts';

/** Keys with a bucket at the same time; a key that is evicted starts with a full one again. */
const KEYS_MAX = 32_768;

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

/** Token buckets by key, in bounded memory. */
export class TokenBuckets {
  readonly size: BucketSize;
  readonly #time: Time;
  readonly #buckets: LRUCache<string, Bucket>;
  readonly #unit: Unit;

  constructor(
    size: BucketSize,
    time: Time,
    { keysMax = KEYS_MAX, unit = TOKEN }: { keysMax?: number; unit?: Unit } = {},
  ) {
    this.size = size;
    this.#time = time;
    this.#unit = unit;
    this.#buckets = lruCache(keysMax);
  }

  /** Takes tokens. Throws TwinError `rate_limited` and takes nothing if there are too few. */
  take(key: string, cost = 1): void {
    this.#affordable(key, cost).tokens -= cost;
  }

  /** As `take`, but takes at most a full bucket. */
  takeUpToBurst(key: string, cost: number): void {
    this.take(key, Math.min(cost, this.size.burst));
  }

  /** Throws if `takeUpToBurst` would. */
  checkUpToBurst(key: string, cost: number): void {
    this.check(key, Math.min(cost, this.size.burst));
  }

  /** Throws if `take` would. */
  check(key: string, cost = 1): void {
    this.#affordable(key, cost);
  }

  #affordable(key: string, cost: number): Bucket {
    const { burst, perS } = this.size;
    const bucket = this.#refilled(key);
    const lacking = cost - bucket.tokens;
    if (lacking <= 0) return bucket;
    const { name, size } = this.#unit;
    const hint =
      cost > burst
        ? `This request needs ${Math.ceil(cost / size)}${name}; at most ${burst / size} are allowed at once.`
        : undefined;
    throw new TwinError('rate_limited', hint, Math.max(1, Math.ceil(lacking / perS)));
  }

  /** Takes tokens even if there are too few. */
  spend(key: string, cost = 1): void {
    this.#refilled(key).tokens -= cost;
  }

  /** Whether `takeUpToBurst` would take. */
  affords(key: string, cost: number): boolean {
    return this.#refilled(key).tokens >= Math.min(cost, this.size.burst);
  }

  /** Whether half a bucket is left after so many tokens are taken. */
  spares(key: string, cost: number): boolean {
    return this.#refilled(key).tokens - cost >= this.size.burst / 2;
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
