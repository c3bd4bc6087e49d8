import type { Time } from '../../time.ts';

interface Waiting {
  share: number;
  grant: () => void;
}

/**
 * Turns of the event loop for work in pieces: one at a time, and to each key in rotation. What
 * somebody does synchronously in a turn is all of this work that delays the event loop at once. Small
 * pieces may share a turn.
 */
export class FairTurns {
  readonly #time: Pick<Time, 'immediate'>;
  /** By key, which has at least one; the key whose turn comes next is the first. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(time: Pick<Time, 'immediate'>) {
    this.#time = time;
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
  }
}
