import type { Time } from '../../time.ts';

/**
 * Turns of the event loop for work in pieces: one at a time, and to each key in rotation. What
 * somebody does synchronously in a turn is all of this work that delays the event loop at once.
 */
export class FairTurns {
  readonly #time: Pick<Time, 'immediate'>;
  /** By key, which has at least one; the key whose turn comes next is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(time: Pick<Time, 'immediate'>) {
    this.#time = time;
  }

  /** Resolves in a turn of the event loop in which nobody else gets one. */
  next(key: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) this.#schedule();
      const queue = this.#waiting.get(key);
      if (queue === undefined) this.#waiting.set(key, [resolve]);
      else queue.push(resolve);
    });
  }

  #schedule(): void {
    this.#time.immediate(() => this.#grant());
  }

  #grant(): void {
    for (const [key, queue] of this.#waiting) {
      this.#waiting.delete(key);
      const grant = queue.shift();
      if (queue.length > 0) this.#waiting.set(key, queue);
      if (this.#waiting.size > 0) this.#schedule();
      grant?.();
      return;
    }
  }
}
