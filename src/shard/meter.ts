import { FRAME_TICKS } from '../../assembly/layout.ts';

/** Length of the window over which the share of hot worlds is measured. */
const WINDOW_MS = 500;
/** Turns of this total length form a sample: the system reports processor time in steps of 4 ms. */
const SAMPLE_MS = 40;
/** A cost with less time than this in a sample is settled with the next sample. */
const PART_MS = 5;
/** Weight of a new sample in the mean. */
const WEIGHT = 0.2;
/** A sample counts as this many times the mean at most: it may include time spent waiting. */
const SAMPLE_MEANS_MAX = 4;

/**
 * Measures the processor time that a shard's work costs, for admission and for the length of
 * bursts.
 *
 * Pieces of work are much shorter than the steps of 4 ms in which the system reports processor
 * time, so a fine clock times them. That clock also runs while the thread waits for a processor.
 * The meter therefore scales all pieces of a sample by the share of it in which the thread had a
 * processor. Work between turns, such as loading worlds, counts as work in turns, so costs may be
 * overestimated.
 */
export class Meter {
  /** Share of the thread's time that hot worlds take, per mille, over the last windows. */
  hotPerMille = 0;
  readonly #tick = new Cost(10_000);
  readonly #frame = new Cost(60_000);
  readonly #encoding = new Cost(5000);
  /** Processor time ÷ time of the turns, in the last sample. */
  #share = 1;
  /** Of the sample under way. */
  #turnsMs = 0;
  #workedBeforeMs = 0;
  /** Of the window under way. */
  #hotMs = 0;
  #windowStartMs: number;

  /** `nowMs`: of the fine clock. */
  constructor(nowMs: number) {
    this.#windowStartMs = nowMs;
  }

  /** Mean cost of a tick of one world in a burst, ns. All means start with a high estimate. */
  get tickNs(): number {
    return this.#tick.ns;
  }

  /** Mean cost of stepping a hot world from one frame to the next, ns. */
  get frameNs(): number {
    return this.#frame.ns;
  }

  /** Mean cost of encoding a frame, ns. */
  get encodeNs(): number {
    return this.#encoding.ns;
  }

  /** Ends the window if it is long enough. Must be called regularly. */
  roll(nowMs: number): void {
    const windowMs = nowMs - this.#windowStartMs;
    if (windowMs < WINDOW_MS) return;
    const hotShare = Math.min(1, (this.#hotMs * this.#share) / windowMs) * 1000;
    this.hotPerMille = (this.hotPerMille + hotShare) / 2;
    this.#hotMs = 0;
    this.#windowStartMs = nowMs;
  }

  /** Counts a turn of `ms`. `workedMs`: processor time of the thread so far. */
  turned(ms: number, workedMs: number): void {
    this.#turnsMs += ms;
    if (this.#turnsMs < SAMPLE_MS) return;
    this.#share = Math.min(1, (workedMs - this.#workedBeforeMs) / this.#turnsMs);
    for (const cost of [this.#tick, this.#frame, this.#encoding]) cost.settle(this.#share);
    this.#turnsMs = 0;
    this.#workedBeforeMs = workedMs;
  }

  /** Counts ticks of a burst. */
  stepped(ticks: number, ms: number): void {
    this.#tick.add(ticks, ms);
  }

  /** Counts ticks of visits to hot worlds. A late world is stepped by several frames at once. */
  visited(ticks: number, ms: number): void {
    this.#hotMs += ms;
    this.#frame.add(ticks / FRAME_TICKS, ms);
  }

  encoded(frames: number, ms: number): void {
    this.#hotMs += ms;
    this.#encoding.add(frames, ms);
  }
}

/** The running mean of the cost of one unit. */
class Cost {
  ns: number;
  #count = 0;
  #ms = 0;

  constructor(guessNs: number) {
    this.ns = guessNs;
  }

  add(count: number, ms: number): void {
    this.#count += count;
    this.#ms += ms;
  }

  /** Updates the mean. `share`: part of the added time that was processor time. */
  settle(share: number): void {
    if (this.#ms < PART_MS || this.#count === 0) return;
    const sampleNs = (this.#ms * share * 1e6) / this.#count;
    this.ns += WEIGHT * (Math.min(sampleNs, SAMPLE_MEANS_MAX * this.ns) - this.ns);
    this.#count = 0;
    this.#ms = 0;
  }
}
