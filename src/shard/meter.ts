import { FRAME_TICKS } from '../../assembly/layout.ts';
import { FRAME_MS } from '../limits.ts';
import { Headroom } from './headroom.ts';

/** Length of the window over which the share of hot worlds is measured. */
const WINDOW_MS = 500;
/**
 * Weight of a window with a lower share than before. The share rises at once and falls slowly: otherwise
 * more worlds would be admitted in each calm moment of a busy machine, and they stay.
 */
const FALL_WEIGHT = 0.1;
/** Turns of this total length form a sample: the system reports processor time in steps of 4 ms. */
const SAMPLE_MS = 40;
/** A cost with less time than this in a sample is settled with the next sample. */
const PART_MS = 5;
/** Weight of a new sample in the mean. */
const WEIGHT = 0.2;
/** A sample counts as this many times the mean at most: it may include time spent waiting. */
const SAMPLE_MEANS_MAX = 4;

/** What this kernel costs on this machine, as shards have measured. */
export interface KnownCosts {
  /** Of a frame of a hot world, encoding included, and of a tick in a burst, ns. */
  frameNs: number;
  tickNs: number;
}

/** Cautious guesses, where nothing is known. */
const GUESSED: KnownCosts = { frameNs: 65_000, tickNs: 10_000 };
/** Part of a frame that is encoding and sending, as a first estimate. */
const ENCODING_PART = 1 / 13;
/** Samples of the cost of a frame until it counts as known. */
const KNOWN_SAMPLES = 10;

/**
 * Measures the processor time that a shard's work costs, for admission and for the length of
 * bursts, and how much of its time the shard needs for hot worlds, for admission.
 *
 * Pieces of work are much shorter than the steps of 4 ms in which the system reports processor
 * time, so a fine clock times them. That clock also runs while the thread waits for a processor.
 * The meter therefore scales the costs in a sample by the share of it in which the thread had a
 * processor. Work between turns, such as loading worlds, counts as work in turns, so costs may be
 * overestimated.
 */
export class Meter {
  /**
   * Share of the time in which the shard works on hot worlds, per mille, over the last windows. Waiting
   * for a processor in between counts: on a machine that is too busy there is less time for them.
   */
  hotPerMille = 0;
  /** So many hot worlds took that share. Worlds that came later, or are late, are not among them. */
  hotCount = 0;
  /** Share of the frames that were late in the last window, per mille. */
  latePerMille = 0;
  readonly #headroom = new Headroom();
  readonly #tick: Cost;
  readonly #frame: Cost;
  readonly #encoding: Cost;
  readonly #wasKnown: boolean;
  /** Processor time ÷ time of the turns, in the last sample. */
  #share = 1;
  /** Of the sample under way. */
  #turnsMs = 0;
  #workedBeforeMs = 0;
  /** Of the window under way. */
  #hotMs = 0;
  #hotFrames = 0;
  #lateFrames = 0;
  #windowStartMs: number;

  /** `nowMs`: of the fine clock. `known`: from an earlier run. */
  constructor(nowMs: number, known?: KnownCosts) {
    const { frameNs, tickNs } = known ?? GUESSED;
    this.#windowStartMs = nowMs;
    this.#wasKnown = known !== undefined;
    this.#tick = new Cost(tickNs);
    this.#frame = new Cost(frameNs * (1 - ENCODING_PART));
    this.#encoding = new Cost(frameNs * ENCODING_PART);
  }

  /** Whether the cost of a frame is more than a guess. */
  get isKnown(): boolean {
    return this.#wasKnown || this.#frame.samples >= KNOWN_SAMPLES;
  }

  /** Hot worlds that the shard may have, by the lateness of their frames; 0: it takes none now. */
  get worldsMax(): number {
    return this.#headroom.worldsMax;
  }

  /** Mean cost of a tick of one world in a burst, ns. Means that are not known start with a high estimate. */
  get tickNs(): number {
    return this.#tick.ns;
  }

  /** Mean cost of stepping a hot world from one frame to the next, and of encoding it where that comes at once, ns. */
  get frameNs(): number {
    return this.#frame.ns;
  }

  /** Mean cost of encoding the frames that were kept, and of sending a batch, by frames sent, ns. */
  get encodeNs(): number {
    return this.#encoding.ns;
  }

  /** All of it for the main thread. `frameNs` includes encoding. */
  get costs() {
    const { hotPerMille, hotCount, latePerMille, worldsMax, isKnown, tickNs } = this;
    const frameNs = this.frameNs + this.encodeNs;
    return { hotPerMille, hotCount, latePerMille, worldsMax, isKnown, tickNs, frameNs };
  }

  /** Ends the window if it is long enough. Must be called regularly. */
  roll(nowMs: number): void {
    const windowMs = nowMs - this.#windowStartMs;
    if (windowMs < WINDOW_MS) return;
    const hotPerMille = Math.min(1, this.#hotMs / windowMs) * 1000;
    const hotCount = (this.#hotFrames * FRAME_MS) / windowMs;
    const [frames, lateFrames] = [this.#hotFrames, Math.min(this.#lateFrames, this.#hotFrames)];
    this.latePerMille = frames === 0 ? 0 : (lateFrames * 1000) / frames;
    this.#headroom.observe({ hotCount, frames, lateFrames, hotPerMille });
    const weight = hotPerMille > this.hotPerMille ? 1 : FALL_WEIGHT;
    this.hotPerMille += weight * (hotPerMille - this.hotPerMille);
    this.hotCount += weight * (hotCount - this.hotCount);
    this.#hotMs = 0;
    this.#hotFrames = 0;
    this.#lateFrames = 0;
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
    const frames = ticks / FRAME_TICKS;
    this.#hotMs += ms;
    this.#hotFrames += frames;
    this.#frame.add(frames, ms);
  }

  /** Counts frames that hot worlds had late, of those that were counted by `visited`. */
  late(frames: number): void {
    this.#lateFrames += frames;
  }

  encoded(frames: number, ms: number): void {
    this.#hotMs += ms;
    this.#encoding.add(frames, ms);
  }
}

/** The running mean of the cost of one unit. */
class Cost {
  ns: number;
  samples = 0;
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
    this.samples++;
    this.#count = 0;
    this.#ms = 0;
  }
}
