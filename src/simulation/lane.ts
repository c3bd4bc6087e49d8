import type { Chance } from './chance.ts';
import type { Thread } from './machine.ts';

/** How long a message between two threads of a process takes. */
const MESSAGE_MS_MAX = 0.3;

/** What one thread has another one run, in this order. */
export class Lane {
  readonly #to: Thread;
  readonly #chance: Chance;
  #lastMs: number;

  /** `waitMs`: nothing arrives earlier. */
  constructor(to: Thread, chance: Chance, waitMs = 0) {
    this.#to = to;
    this.#chance = chance;
    this.#lastMs = to.virtualMs + waitMs;
  }

  send(run: () => void): void {
    const arrivalMs = this.#to.virtualMs + this.#chance.between(0, MESSAGE_MS_MAX);
    this.#lastMs = Math.max(this.#lastMs, arrivalMs);
    this.#to.add(this.#lastMs - this.#to.virtualMs, run);
  }
}
