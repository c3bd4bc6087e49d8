import { FRAME_MS } from '../limits.ts';
import type { Meter } from './meter.ts';

/** The shared words, i32. */
const HEARTBEAT = 0;
const ACKNOWLEDGED = 1;
const HOT_SHARE = 2;
const HOT_COUNT = 3;
const FRAME_NS = 4;
const TICK_NS = 5;
const WORLD_HIGH = 6;
const WORLD_LOW = 7;
/** 1: the cost of a frame is more than a guess. */
const IS_KNOWN = 8;
const WORLDS_MAX = 9;
const LATE_SHARE = 10;
const WORD_COUNT = 11;

const HALF_WORLD = 2 ** 25;
const WORD_MAX = 2 ** 31 - 1;

/** A cost that is only guessed is taken for so much more: then fewer worlds are let in until it is known. */
const GUESS_CAUTION = 1.5;

/** What a shard's work costs, and how much of it there may be. */
export type Costs = Meter['costs'];

/** The state of a shard's thread, in memory that it shares with the main thread. */
export class Pulse {
  readonly words: Int32Array;

  constructor(words: Int32Array = new Int32Array(new SharedArrayBuffer(4 * WORD_COUNT))) {
    this.words = words;
  }

  get heartbeat(): number {
    return this.#word(HEARTBEAT);
  }

  countHeartbeat(): void {
    Atomics.add(this.words, HEARTBEAT, 1);
  }

  /** Number of the last frame batch that the main thread has passed to its sockets. */
  get acknowledged(): number {
    return Atomics.load(this.words, ACKNOWLEDGED);
  }

  acknowledge(batch: number): void {
    Atomics.store(this.words, ACKNOWLEDGED, batch);
  }

  /** Share of the time in which the thread works on hot worlds, per mille, over the last seconds. */
  get hotPerMille(): number {
    return this.#word(HOT_SHARE);
  }

  /** Number of hot worlds that take it. */
  get measuredCount(): number {
    return this.#word(HOT_COUNT);
  }

  /** Mean cost of one frame of a hot world, encoding included, ns. */
  get frameNs(): number {
    return this.#word(FRAME_NS);
  }

  /** Mean cost of a tick of one world, ns. */
  get tickNs(): number {
    return this.#word(TICK_NS);
  }

  /** Whether the cost of a frame is more than a guess. */
  get isKnown(): boolean {
    return this.#word(IS_KNOWN) === 1;
  }

  /** Share of the frames that were late in the last window, per mille. */
  get latePerMille(): number {
    return this.#word(LATE_SHARE);
  }

  /** `frameNs`: of a frame, encoding included. */
  showCosts(costs: Costs): void {
    const { hotPerMille, hotCount, frameNs, tickNs, isKnown, worldsMax, latePerMille } = costs;
    this.words[HOT_SHARE] = Math.round(hotPerMille);
    this.words[HOT_COUNT] = Math.round(hotCount);
    this.words[IS_KNOWN] = isKnown ? 1 : 0;
    this.words[WORLDS_MAX] = Math.min(WORD_MAX, Math.floor(worldsMax));
    this.words[LATE_SHARE] = Math.round(latePerMille);
    this.words[FRAME_NS] = Math.min(WORD_MAX, Math.round(frameNs));
    this.words[TICK_NS] = Math.min(WORD_MAX, Math.round(tickNs));
  }

  /**
   * Whether the thread has time for one more hot world beside so many: their frames are not late, and their
   * share of its time leaves some for other work. Worlds that were not measured yet count with their
   * estimated cost.
   * @param limitPerMille share of its time that hot worlds may take
   */
  admits(hotCount: number, limitPerMille: number): boolean {
    if (hotCount >= this.#word(WORLDS_MAX)) return false;
    const unmeasured = Math.max(0, hotCount + 1 - this.measuredCount);
    const frameNs = this.frameNs * (this.isKnown ? 1 : GUESS_CAUTION);
    const estimatedPerMille = (unmeasured * frameNs * 1000) / FRAME_MS / 1e6;
    return this.hotPerMille + estimatedPerMille <= limitPerMille;
  }

  /** Number of the world that is being stepped; 0: none. */
  get world(): number {
    return this.#word(WORLD_HIGH) * HALF_WORLD + this.#word(WORLD_LOW);
  }

  set world(world: number) {
    this.words[WORLD_HIGH] = Math.floor(world / HALF_WORLD);
    this.words[WORLD_LOW] = world % HALF_WORLD;
  }

  #word(index: number): number {
    return this.words[index] ?? 0;
  }
}
