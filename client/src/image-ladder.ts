import type { StateImage } from '../../src/shard/protocol.ts';

/** Images of the last RECENT_TICKS (2 s) are at ticks divisible by this. */
export const RECENT_EVERY_TICKS = 4;
export const RECENT_TICKS = 100;
/** Other images are at ticks divisible by this: 10 s. */
export const LASTING_EVERY_TICKS = 500;
/** So many of them are kept; then for each doubling of the age half as many of what lies before. */
const LASTING_KEPT = 256;
/** Images that may be too many before they are thinned. */
const SURPLUS = 64;

/**
 * Images of a world, dense lately and thinner further back. Any tick is as far from the image before it
 * as a 128th of its age at most, or as ten seconds; a life of 496 days has fewer than 2,200 images, which take
 * 34 MB.
 */
export class ImageLadder {
  #recent: StateImage[] = [];
  #lasting: StateImage[];
  /** So many were left when they were thinned last. */
  #thinnedCount: number;

  constructor(lasting: readonly StateImage[] = []) {
    this.#lasting = [...lasting];
    this.#thinnedCount = lasting.length;
  }

  get count(): number {
    return this.#recent.length + this.#lasting.length;
  }

  /** Images are added in order of tick. */
  add(image: StateImage): void {
    const { tick } = image;
    if (tick % LASTING_EVERY_TICKS === 0) this.#addLasting(image);
    while ((this.#recent[0]?.tick ?? tick) <= tick - RECENT_TICKS) this.#recent.shift();
    this.#recent.push(image);
  }

  #addLasting(image: StateImage): void {
    this.#lasting.push(image);
    if (this.#lasting.length <= this.#thinnedCount + SURPLUS) return;
    this.#lasting = this.#lasting.filter(({ tick }) => isKept(tick, image.tick));
    this.#thinnedCount = this.#lasting.length;
  }

  /** The newest image that is not after a tick. */
  newest(tick: number): StateImage | undefined {
    const isBefore = (image: StateImage) => image.tick <= tick;
    return this.#recent.findLast(isBefore) ?? this.#lasting.findLast(isBefore);
  }

  /** Forgets the images after a tick. */
  dropAfter(tick: number): void {
    const isBefore = (image: StateImage) => image.tick <= tick;
    this.#recent = this.#recent.filter(isBefore);
    this.#lasting = this.#lasting.filter(isBefore);
    this.#thinnedCount = Math.min(this.#thinnedCount, this.#lasting.length);
  }

  /** Adds images of an earlier past. */
  prepend(lasting: readonly StateImage[]): void {
    const first = this.#lasting[0]?.tick ?? Number.POSITIVE_INFINITY;
    this.#lasting.unshift(...lasting.filter(({ tick }) => tick < first));
    this.#thinnedCount = this.#lasting.length;
  }

  /** Those of every ten seconds up to a tick, for another world with the same past. */
  lastingUpTo(tick: number): StateImage[] {
    return this.#lasting.filter((image) => image.tick <= tick);
  }
}

/** Whether a lasting image is kept when the world has come to `nowTick`. */
function isKept(tick: number, nowTick: number): boolean {
  const number = tick / LASTING_EVERY_TICKS;
  const age = nowTick / LASTING_EVERY_TICKS - number;
  let every = 1;
  for (let kept = LASTING_KEPT; age > kept; kept *= 2) every *= 2;
  return number % every === 0;
}
