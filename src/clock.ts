import type { Time } from './time.ts';

/**
 * The clock of a node: the wall time at start plus the monotonic time since then. It never goes
 * back.
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

/** If `os.uptime` runs ahead of the monotonic clock by this much, the machine was suspended. */
const SUSPENDED_MS = 2000;

export class NodeClock implements Clock {
  readonly words: ClockWords = new BigInt64Array(new SharedArrayBuffer(16));
  /** Wall clock minus monotonic clock at start; the same for every thread. */
  readonly originMs: number;
  #last = 0;
  #published = 0;
  #uptimeAheadMs: number;
  readonly #time: Time;
  readonly #limitMs: () => number;

  /**
   * `floorMs`: the highest reading of an earlier run; the clock starts no lower. `limitMs`: until
   * when, by `Time.now`, this node may let its worlds move; no later reading is published.
   */
  constructor(time: Time, floorMs = 0, limitMs: () => number = () => Number.POSITIVE_INFINITY) {
    this.#time = time;
    this.#limitMs = limitMs;
    this.originMs = Math.max(time.wallMs(), floorMs) - time.now();
    this.#uptimeAheadMs = time.machineUpMs() - time.now();
    this.now();
  }

  now(): number {
    const nowMs = this.#time.now();
    const zeroMs = this.originMs + Number(Atomics.load(this.words, CORRECTION));
    this.#last = Math.max(this.#last, Math.floor(zeroMs + nowMs));
    const allowed = Math.floor(zeroMs + Math.min(nowMs, this.#limitMs()));
    if (allowed > this.#published) {
      this.#published = allowed;
      Atomics.store(this.words, PUBLISHED, BigInt(allowed));
    }
    return this.#last;
  }

  /**
   * Corrects the clock after the machine was suspended: meanwhile the monotonic clock stands still,
   * `os.uptime` does not. Returns the ms by which the clock moved forward, or 0.
   */
  catchUpAfterSuspend(): number {
    const aheadMs = this.#time.machineUpMs() - this.#time.now() - this.#uptimeAheadMs;
    if (aheadMs < SUSPENDED_MS) return 0;
    this.#uptimeAheadMs += aheadMs;
    Atomics.add(this.words, CORRECTION, BigInt(Math.floor(aheadMs)));
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
