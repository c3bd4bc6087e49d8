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
const WORD_COUNT = 8;

const HALF_WORLD = 2 ** 25;
const WORD_MAX = 2 ** 31 - 1;

/** What a shard's work costs. */
export type Costs = Pick<Meter, 'hotPerMille' | 'hotCount' | 'frameNs' | 'tickNs'>;

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

  /** `frameNs`: of a frame, encoding included. */
  showCosts({ hotPerMille, hotCount, frameNs, tickNs }: Costs): void {
    this.words[HOT_SHARE] = Math.round(hotPerMille);
    this.words[HOT_COUNT] = Math.round(hotCount);
    this.words[FRAME_NS] = Math.min(WORD_MAX, Math.round(frameNs));
    this.words[TICK_NS] = Math.min(WORD_MAX, Math.round(tickNs));
  }

  /**
   * Whether the thread has time for one more hot world beside so many. Those that were not measured yet
   * count with their estimated cost.
   * @param limitPerMille share of its time that hot worlds may take
   */
  admits(hotCount: number, limitPerMille: number): boolean {
    const unmeasured = Math.max(0, hotCount + 1 - this.measuredCount);
    const estimatedPerMille = (unmeasured * this.frameNs * 1000) / FRAME_MS / 1e6;
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
