import type { Time } from '../../time.ts';

interface Waiting {
  share: number;
  grant: () => void;
}

/** Share of a turn of the event loop that a request takes: 1024 of a mix are about 40 ms. */
export const REQUEST_SHARE = 1 / 1024;
const HALF = 0.5;

/**
 * Turns of the event loop for work in pieces: one at a time, and to each key in rotation. What
 * somebody does synchronously in a turn is all of this work that delays the event loop at once. Small
 * pieces may share a turn, and be done at once as long as nobody waits.
 */
export class FairTurns {
  readonly #time: Pick<Time, 'immediate'>;
  /** By key, which has at least one; the key whose turn comes next is the first. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** Shares of this turn, or of several together. */
  #taken = 0;

  constructor(time: Pick<Time, 'immediate'>) {
    this.#time = time;
  }

  /** Whether a piece may be done at once: nobody waits, and this turn has room. Takes its share then. */
  take(share: number): boolean {
    if (this.#waiting.size > 0 || this.#taken >= 1) return false;
    this.#count(share);
    return true;
  }

  #count(share: number): void {
    const before = this.#taken;
    this.#taken += share;
    // Only then: turns with little work cost nothing. And each has room for half at least.
    if (before < HALF && this.#taken >= HALF) {
      this.#time.immediate(() => {
        this.#taken = 0;
      });
    }
  }

  /** Pieces of a key that wait. */
  waitingOf(key: string): number {
    return this.#waiting.get(key)?.length ?? 0;
  }

  /**
   * Resolves in a turn of the event loop.
   * @param share of the turn; by default nobody else gets it
   */
  next(key: string, share = 1): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) this.#schedule();
      const queue = this.#waiting.get(key);
      const waiting = { share, grant: resolve };
      if (queue === undefined) this.#waiting.set(key, [waiting]);
      else queue.push(waiting);
    });
  }

  #schedule(): void {
    this.#time.immediate(() => this.#grant());
  }

  #grant(): void {
    let shares = 0;
    // A key that is set again comes again, as the last one.
    for (const [key, queue] of this.#waiting) {
      this.#waiting.delete(key);
      const next = queue.shift();
      if (queue.length > 0) this.#waiting.set(key, queue);
      shares += next?.share ?? 0;
      next?.grant();
      if (shares >= 1) break;
    }
    if (this.#waiting.size > 0) this.#schedule();
    else this.#count(shares);
  }
}
