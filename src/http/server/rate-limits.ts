import { LRUCache } from 'lru-cache';
import type { BucketSize, RateLimitSettings } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import type { Time } from '../../time.ts';

/** Keys that are followed at a time; whoever is pushed out starts with a full bucket again. */
const KEYS_MAX = 32_768;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Token buckets by key, in bounded memory. */
export class Buckets {
  readonly #size: BucketSize;
  readonly #time: Time;
  readonly #buckets: LRUCache<string, Bucket>;

  constructor(size: BucketSize, time: Time, keysMax = KEYS_MAX) {
    this.#size = size;
    this.#time = time;
    this.#buckets = new LRUCache({ max: keysMax });
  }

  /** Takes tokens. Throws TwinError `rate_limited`, with nothing taken, where there are too few. */
  take(key: string, cost = 1): void {
    this.check(key, cost);
    this.spend(key, cost);
  }

  /** As `take`, but what is more than a bucket holds costs a full one. */
  takeWhole(key: string, cost: number): void {
    this.take(key, Math.min(cost, this.#size.burst));
  }

  /** Throws where `take` would. */
  check(key: string, cost = 1): void {
    const { burst, perS } = this.#size;
    const lacking = cost - this.#refilled(key).tokens;
    if (lacking <= 0) return;
    const hint = cost > burst ? `No more than ${burst} are given at once, ever.` : undefined;
    throw new TwinError('rate_limited', hint, Math.max(1, Math.ceil(lacking / perS)));
  }

  /** Takes tokens whether they are there or not. */
  spend(key: string, cost = 1): void {
    this.#refilled(key).tokens -= cost;
  }

  /** What is left for a key, and in how many seconds it has everything again. */
  standing(key: string): { left: number; fullInS: number } {
    const { burst, perS } = this.#size;
    const { tokens } = this.#refilled(key);
    return { left: Math.max(0, Math.floor(tokens)), fullInS: Math.ceil((burst - tokens) / perS) };
  }

  get size(): BucketSize {
    return this.#size;
  }

  #refilled(key: string): Bucket {
    const nowMs = this.#time.now();
    const { burst, perS } = this.#size;
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

/** Counts what an address has open. Its size is bounded by what the process can have open. */
export class OpenCount {
  readonly #max: number;
  readonly #open = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws TwinError `rate_limited` where the key has its number open. */
  enter(key: string): void {
    const open = this.#open.get(key) ?? 0;
    if (open >= this.#max) throw new TwinError('rate_limited', 'Close other streams first.');
    this.#open.set(key, open + 1);
  }

  leave(key: string): void {
    const open = (this.#open.get(key) ?? 0) - 1;
    if (open > 0) this.#open.set(key, open);
    else this.#open.delete(key);
  }
}

/** All limits of the front end; each is undefined where limits are off. */
export interface RateLimits {
  worlds: Buckets | undefined;
  featureWrites: Buckets | undefined;
  misses: Buckets | undefined;
  workTicks: Buckets | undefined;
  sockets: OpenCount | undefined;
  logins: Buckets | undefined;
  signUps: Buckets | undefined;
}

export function createRateLimits(settings: RateLimitSettings | 'off', time: Time): RateLimits {
  if (settings === 'off') {
    return {
      worlds: undefined,
      featureWrites: undefined,
      misses: undefined,
      workTicks: undefined,
      sockets: undefined,
      logins: undefined,
      signUps: undefined,
    };
  }
  return {
    worlds: new Buckets(settings.worlds, time),
    featureWrites: new Buckets(settings.featureWrites, time),
    misses: new Buckets(settings.misses, time),
    workTicks: new Buckets(settings.workTicks, time),
    sockets: new OpenCount(settings.socketsPerAddress),
    logins: new Buckets(settings.logins, time),
    signUps: new Buckets(settings.signUps, time),
  };
}

/**
 * What limits know a client by: an IPv4 address, or the /64 of an IPv6 one, since whoever has one
 * such address has all of its /64.
 * @param address 4 or 16 bytes; none where the connection is gone already
 */
export function addressKey(address: ArrayBuffer): string {
  const bytes = new Uint8Array(address);
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return 'gone';
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255;
  if (mapped && bytes[11] === 255) return bytes.subarray(12).join('.');
  return `${Buffer.from(address, 0, 8).toString('hex')}/64`;
}
