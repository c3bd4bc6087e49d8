import type { Time } from './time.ts';

/**
 * The clock of a node: the time at start plus the monotonic time since then. It never goes back. With the
 * embedded store the time at start is the wall time; in a cluster it is that of the cluster, and the
 * node moves its clock slowly towards it.
 *
 * The main thread owns the clock and publishes its readings in shared memory; shard threads read
 * them with a `ShardClock`. The tick of a change is chosen from a published reading. A shard steps
 * at most one tick beyond the last published reading that it saw before it read its commands. So
 * every hold arrives in time, however long the main thread is blocked.
 */
export interface Clock {
  /** Whole milliseconds since 1970. Never less than an earlier reading. */
  now(): number;
}

/** Shared words of a clock: [published now, correction], both in whole ms. */
export type ClockWords = BigInt64Array;
const PUBLISHED = 0;
const CORRECTION = 1;

/** A clock is moved by at most this much of the time that passes. */
export const SLEW_MAX = 0.005;
/** If `os.uptime` runs ahead of the monotonic clock by this much, the machine was suspended. */
const SUSPENDED_MS = 2000;

/** How far a node may let its worlds move. */
export interface ClockLimits {
  /** Until when, by `Time.now`. */
  readonly limitMs: number;
  /** Up to which reading. */
  readonly latestReadingMs: number;
}

const NO_LIMITS: ClockLimits = {
  limitMs: Number.POSITIVE_INFINITY,
  latestReadingMs: Number.POSITIVE_INFINITY,
};

export class NodeClock implements Clock {
  readonly words: ClockWords = new BigInt64Array(new SharedArrayBuffer(16));
  /** The reading at `Time.now` 0, without corrections; the same for every thread. */
  readonly originMs: number;
  #last = 0;
  #published = 0;
  #uptimeAheadMs: number;
  readonly #time: Time;
  readonly #limits: ClockLimits;

  /** @param startMs the reading now; no reading beyond the limits is published */
  constructor(time: Time, startMs: number, limits: ClockLimits = NO_LIMITS) {
    this.#time = time;
    this.#limits = limits;
    this.originMs = startMs - time.now();
    this.#uptimeAheadMs = time.machineUpMs() - time.now();
    this.now();
  }

  now(): number {
    const nowMs = this.#time.now();
    const zeroMs = this.#zeroMs;
    this.#last = Math.max(this.#last, Math.floor(zeroMs + nowMs));
    const { limitMs, latestReadingMs } = this.#limits;
    const allowed = Math.floor(Math.min(zeroMs + Math.min(nowMs, limitMs), latestReadingMs));
    if (allowed > this.#published) {
      this.#published = allowed;
      Atomics.store(this.words, PUBLISHED, BigInt(allowed));
    }
    return this.#last;
  }

  /** The reading at `Time.now` 0. */
  get #zeroMs(): number {
    return this.originMs + Number(Atomics.load(this.words, CORRECTION));
  }

  /** The latest reading that this clock can show at a time of `Time.now`, unless it is set forward. */
  latestReadingMs(atMs: number): number {
    const aheadMs = Math.max(0, atMs - this.#time.now());
    const readingMs = this.#zeroMs + atMs + SLEW_MAX * aheadMs + 1;
    return Math.max(this.#last, Math.ceil(readingMs));
  }

  /** How far this clock is ahead of another one that showed `readingMs` at a time of `Time.now`. */
  aheadMs(readingMs: number, atMs: number): number {
    return this.#zeroMs + atMs - readingMs;
  }

  /** Moves the clock by whole ms. Readings never go back: it stands still meanwhile. */
  move(ms: number): void {
    Atomics.add(this.words, CORRECTION, BigInt(ms));
  }

  /**
   * Corrects the clock after the machine was suspended: meanwhile the monotonic clock stands still,
   * `os.uptime` does not. Returns the ms by which the clock moved forward, or 0.
   */
  catchUpAfterSuspend(): number {
    const aheadMs = this.#time.machineUpMs() - this.#time.now() - this.#uptimeAheadMs;
    if (aheadMs < SUSPENDED_MS) return 0;
    this.#uptimeAheadMs += aheadMs;
    this.move(Math.floor(aheadMs));
    return Math.floor(aheadMs);
  }
}

/** A shard thread's view of the node's clock. */
export class ShardClock implements Clock {
  readonly #words: ClockWords;
  readonly #originMs: number;
  readonly #time: Time;
  #publishedMs = 0;

  constructor(words: ClockWords, originMs: number, time: Time) {
    this.#words = words;
    this.#time = time;
    this.#originMs = originMs;
  }

  /**
   * This thread's own reading, which decides when work is due. Never behind the last published
   * reading, even if the time of the main thread runs faster.
   */
  now(): number {
    const ownMs = this.#originMs + this.#time.now() + Number(Atomics.load(this.#words, CORRECTION));
    return Math.max(Math.floor(ownMs), this.#publishedMs);
  }

  /** The last reading that the main thread published. It limits how far worlds are stepped. */
  published(): number {
    this.#publishedMs = Number(Atomics.load(this.#words, PUBLISHED));
    return this.#publishedMs;
  }
}
