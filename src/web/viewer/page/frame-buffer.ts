import type { Snapshot } from '../api/types.ts';
import type { Extent } from '../life/life.ts';

/** From one frame of a life to the next, as in the stream. */
export const FRAME_TICKS = 4;
/** So much is asked for at once at least: two seconds. */
const CHUNK_TICKS = 100;
/** So much of what was shown is kept, for steps back. */
const KEPT_TICKS = 500;

/** Gives the state of every `everyTicks`th tick of a part of a life. */
export type FrameSource = (part: Extent, everyTicks: number) => Promise<readonly Snapshot[]>;

/** The last frame at or before a tick. */
export const frameBefore = (tick: number): number => tick - (tick % FRAME_TICKS);
/** The first frame at or after a tick. */
export const frameAfter = (tick: number): number => Math.ceil(tick / FRAME_TICKS) * FRAME_TICKS;

/**
 * Frames around the moment that is shown, asked for before they are needed. One request is under way at a
 * time; what was wanted meanwhile and is wanted no more is never asked for.
 */
export class FrameBuffer {
  /** Oldest first, without a gap. */
  frames: readonly Snapshot[] = [];
  readonly #source: FrameSource;
  readonly #arrived: () => void;
  readonly #failed: (error: unknown) => void;
  #wanted: Extent | null = null;
  /** The moment that could not be had; it is not asked for again by itself. */
  #refused: number | null = null;
  #isAsking = false;
  #isOutdated = false;

  constructor(source: FrameSource, arrived: () => void, failed: (error: unknown) => void) {
    this.#source = source;
    this.#arrived = arrived;
    this.#failed = failed;
  }

  /** The last tick up to which there are frames without a gap, from a tick on; that tick where there is none. */
  reach(tick: number): number {
    const [first, last] = [this.frames[0]?.tick, this.frames.at(-1)?.tick];
    const isThere = first !== undefined && last !== undefined && tick >= first;
    return isThere && !this.#isOutdated ? Math.max(tick, last) : tick;
  }

  has(tick: number): boolean {
    const [first, last] = [this.frames[0]?.tick, this.frames.at(-1)?.tick];
    const isThere = first !== undefined && last !== undefined && first <= tick && tick <= last;
    return isThere && !this.#isOutdated;
  }

  /** The frame at or before a tick, else the first one. */
  at(tick: number): Snapshot | null {
    return this.frames.findLast((frame) => frame.tick <= tick) ?? this.frames[0] ?? null;
  }

  /** Asks for the frames around a tick, and for some after it, if they are not there; `known` has them all. */
  want(tick: number, aheadTicks: number, [first, last]: Extent): void {
    const end = frameBefore(last);
    const from = Math.min(end, Math.max(frameAfter(first), frameBefore(tick)));
    this.#wanted = [from, Math.min(end, from + FRAME_TICKS + frameAfter(aheadTicks))];
    if (!this.#isAsking && from !== this.#refused) void this.#ask();
  }

  /** Forgets what is there: it is no longer near what is shown. */
  clear(): void {
    this.frames = [];
    this.#wanted = null;
  }

  /** What is there may be otherwise: it gives way to what comes next. */
  outdate(): void {
    this.#isOutdated = true;
  }

  /** Forgets what comes after a tick: it is going to be otherwise. */
  dropAfter(tick: number): void {
    this.frames = this.frames.filter((frame) => frame.tick <= tick);
  }

  /** Asks again for what could not be had. */
  retry(): void {
    this.#refused = null;
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    let part = this.#missing();
    while (part !== null) {
      const from = this.#wanted?.[0] ?? null;
      try {
        const frames = await this.#source(part, FRAME_TICKS);
        if (frames.length === 0) throw new Error('There are no frames of this moment.');
        if (this.#wanted !== null) this.#take(frames);
      } catch (error) {
        // Whoever has gone elsewhere meanwhile does not need it.
        if (from === this.#wanted?.[0]) {
          this.#refused = from;
          this.#failed(error);
          break;
        }
      }
      part = this.#missing();
    }
    this.#isAsking = false;
  }

  /** The moment first, and what follows once it is there: whoever drags wants many moments. */
  #missing(): Extent | null {
    if (this.#wanted === null) return null;
    const [from, to] = this.#wanted;
    const shownTo = Math.min(to, from + FRAME_TICKS);
    const last = this.reach(from);
    const chunkTicks = frameAfter(Math.max(CHUNK_TICKS, (to - from) / 2));
    if (!this.has(from))
      return [from, this.#isNext(from) ? Math.min(to, from + chunkTicks) : shownTo];
    // Not frame by frame: only when half of what should be ahead is used up.
    const isEnough = last >= shownTo && last - from >= (to - from) / 2;
    return isEnough ? null : [last + FRAME_TICKS, Math.min(to, last + chunkTicks)];
  }

  /** Whether a frame comes right after those that are there. */
  #isNext(tick: number): boolean {
    return this.frames.at(-1)?.tick === tick - FRAME_TICKS;
  }

  #take(frames: readonly Snapshot[]): void {
    const from = (this.#wanted?.[0] ?? 0) - KEPT_TICKS;
    const isNext = this.#isNext(frames[0]?.tick ?? 0) && !this.#isOutdated;
    this.#isOutdated = false;
    const kept = isNext ? this.frames.filter(({ tick }) => tick >= from) : [];
    this.frames = [...kept, ...frames];
    this.#arrived();
  }
}
