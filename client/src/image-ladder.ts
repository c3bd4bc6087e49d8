import type { StateImage } from '../../src/shard/protocol.ts';

/** Images of the last RECENT_TICKS (2 s) are at ticks divisible by this. */
export const RECENT_EVERY_TICKS = 4;
export const RECENT_TICKS = 100;
/** One image a minute. */
export const MINUTE_TICKS = 3000;
/** So many of them are kept; then for each doubling of the age half as many of what lies before. */
const MINUTES_KEPT = 256;
/** Images that may be too many before they are thinned. */
const SURPLUS = 64;

/**
 * Images of a world, dense lately and thinner further back. Any tick is as far from the image before it
 * as a 128th of its age at most, or as a minute; a life of 496 days has fewer than 1,800 images, which take 28 MB.
 */
export class ImageLadder {
  #recent: StateImage[] = [];
  #minutes: StateImage[];
  /** So many were left when they were thinned last. */
  #thinnedCount: number;

  constructor(minutes: readonly StateImage[] = []) {
    this.#minutes = [...minutes];
    this.#thinnedCount = minutes.length;
  }

  get count(): number {
    return this.#recent.length + this.#minutes.length;
  }

  /** Images are added in order of tick. */
  add(image: StateImage): void {
    const { tick } = image;
    if (tick % MINUTE_TICKS === 0) this.#addMinute(image);
    while ((this.#recent[0]?.tick ?? tick) <= tick - RECENT_TICKS) this.#recent.shift();
    this.#recent.push(image);
  }

  #addMinute(image: StateImage): void {
    this.#minutes.push(image);
    if (this.#minutes.length <= this.#thinnedCount + SURPLUS) return;
    this.#minutes = this.#minutes.filter(({ tick }) => isKept(tick, image.tick));
    this.#thinnedCount = this.#minutes.length;
  }

  /** The newest image that is not after a tick. */
  newest(tick: number): StateImage | undefined {
    const isBefore = (image: StateImage) => image.tick <= tick;
    return this.#recent.findLast(isBefore) ?? this.#minutes.findLast(isBefore);
  }

  /** Forgets the images after a tick. */
  dropAfter(tick: number): void {
    const isBefore = (image: StateImage) => image.tick <= tick;
    this.#recent = this.#recent.filter(isBefore);
    this.#minutes = this.#minutes.filter(isBefore);
    this.#thinnedCount = Math.min(this.#thinnedCount, this.#minutes.length);
  }

  /** Adds images of an earlier past. */
  prepend(minutes: readonly StateImage[]): void {
    const first = this.#minutes[0]?.tick ?? Number.POSITIVE_INFINITY;
    this.#minutes.unshift(...minutes.filter(({ tick }) => tick < first));
    this.#thinnedCount = this.#minutes.length;
  }

  /** Those of the minutes up to a tick, for another world with the same past. */
  minutesUpTo(tick: number): StateImage[] {
    return this.#minutes.filter((image) => image.tick <= tick);
  }
}

/** Whether the image of a minute is kept when the world has come to `nowTick`. */
function isKept(tick: number, nowTick: number): boolean {
  const minute = tick / MINUTE_TICKS;
  const age = nowTick / MINUTE_TICKS - minute;
  let every = 1;
  for (let kept = MINUTES_KEPT; age > kept; kept *= 2) every *= 2;
  return minute % every === 0;
}
