import type { Random } from '../../random.ts';

const MEAN_BYTES = 131_072;
const DRAWN_BYTES = 8192;

/**
 * Picks answers at random, one of 128 KiB of answers on average. The library says of no answer whether
 * the client reads it, unless the answer is sent in a slower way. So only those that are picked go
 * that way, and a connection whose client reads nothing meets one soon, whatever it asks for.
 */
export class BackpressureSampler {
  readonly #random: Random;
  #drawn = new Uint32Array(0);
  #leftBytes: number;

  constructor(random: Random) {
    this.#random = random;
    this.#leftBytes = this.#draw();
  }

  /** Counts an answer; returns whether it is picked. */
  picks(bytes: number): boolean {
    this.#leftBytes -= bytes;
    if (this.#leftBytes >= 0) return false;
    this.#leftBytes = this.#draw();
    return true;
  }

  /** Anew each time: a client that knew what is picked next could let somebody else take it. */
  #draw(): number {
    if (this.#drawn.length === 0) {
      this.#drawn = new Uint32Array(this.#random.bytes(DRAWN_BYTES).buffer);
    }
    const next = this.#drawn[0] ?? 0;
    this.#drawn = this.#drawn.subarray(1);
    return next % (2 * MEAN_BYTES);
  }
}
