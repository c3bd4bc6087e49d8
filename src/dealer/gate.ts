import { busy } from './errors.ts';

const RETRY_AFTER_S = 1;

/** Limits how many tasks run and how many wait. */
export class Gate {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Throws DealerError 503 if too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#runningMax) {
      if (this.#waiting.length >= this.#waitingMax) {
        throw busy('Too many log-ins at the same time.', RETRY_AFTER_S);
      }
      // A finished task hands its place to the next in line, so a newcomer cannot overtake.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
