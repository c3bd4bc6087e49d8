import { FRAME_MS } from '../limits.ts';

/** The shared words, i32. */
const HEARTBEAT = 0;
const ACKNOWLEDGED = 1;
const HOT_SHARE = 2;
const FRAME_NS = 3;
const TICK_NS = 4;
const WORLD_HIGH = 5;
const WORLD_LOW = 6;
const WORD_COUNT = 7;

const HALF_WORLD = 2 ** 25;
const WORD_MAX = 2 ** 31 - 1;

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

  /** Share of the thread's time that hot worlds take, per mille, over about a second. */
  get hotPerMille(): number {
    return this.#word(HOT_SHARE);
  }

  /** Mean cost of one frame of a hot world, encoding included, ns. */
  get frameNs(): number {
    return this.#word(FRAME_NS);
  }

  /** Mean cost of a tick of one world, ns. */
  get tickNs(): number {
    return this.#word(TICK_NS);
  }

  showCosts(hotPerMille: number, frameNs: number, tickNs: number): void {
    this.words[HOT_SHARE] = Math.round(hotPerMille);
    this.words[FRAME_NS] = Math.min(WORD_MAX, Math.round(frameNs));
    this.words[TICK_NS] = Math.min(WORD_MAX, Math.round(tickNs));
  }

  /**
   * Whether the thread has time for one more hot world beside so many.
   * @param limitPerMille share of its time that hot worlds may take
   */
  admits(hotCount: number, limitPerMille: number): boolean {
    const expectedPerMille = ((hotCount + 1) * this.frameNs * 1000) / FRAME_MS / 1e6;
    return this.hotPerMille <= limitPerMille && expectedPerMille <= limitPerMille;
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
