import { TwinError } from '../errors.ts';

/**
 * Lets in reads that have to wait for a shard. If there are too many, a client that has more than its
 * share of them is refused, so that the others do not wait for it; if there are twice as many,
 * everybody is.
 */
export class ReadAdmission {
  readonly #max: number;
  readonly #ofClientMax: number;
  readonly #waiting = new Map<string, number>();
  #total = 0;

  /** @param ofClientMax of one client, however few wait; by default there is no such bound */
  constructor(max: number, ofClientMax = Number.POSITIVE_INFINITY) {
    this.#max = max;
    this.#ofClientMax = ofClientMax;
  }

  /** Throws TwinError `overloaded`, or `rate_limited` if the client itself has too many. */
  enter(client: string): void {
    const own = this.#waiting.get(client) ?? 0;
    if (own >= this.#ofClientMax) throw new TwinError('rate_limited');
    if (this.#total >= this.#max && own >= this.#max / this.#waiting.size) {
      throw new TwinError('overloaded');
    }
    if (this.#total >= 2 * this.#max) throw new TwinError('overloaded');
    this.#waiting.set(client, own + 1);
    this.#total += 1;
  }

  leave(client: string): void {
    const own = (this.#waiting.get(client) ?? 0) - 1;
    if (own > 0) this.#waiting.set(client, own);
    else this.#waiting.delete(client);
    this.#total -= 1;
  }
}
