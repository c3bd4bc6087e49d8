import { TwinError } from '../errors.ts';
import { READS_MAX } from '../limits.ts';

/**
 * Lets in reads that have to wait for a shard. If there are too many, a client that has more than its
 * share of them is refused, so that the others do not wait for it; if there are twice as many,
 * everybody is.
 */
export class ReadAdmission {
  readonly #waiting = new Map<string, number>();
  #total = 0;

  /** Throws TwinError `overloaded`. */
  enter(client: string): void {
    const own = this.#waiting.get(client) ?? 0;
    if (this.#total >= READS_MAX && own >= READS_MAX / this.#waiting.size) {
      throw new TwinError('overloaded');
    }
    if (this.#total >= 2 * READS_MAX) throw new TwinError('overloaded');
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
