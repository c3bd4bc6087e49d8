import type { Time } from '../time.ts';

/** Counting the worlds of a partition takes a call of the store. */
const EVERY_MS = 10_000;

/** How many worlds this node has, as it tells the others: counted now and then. */
export class WorldCount {
  /** As it was counted last. */
  latest = 0;
  readonly #count: () => Promise<number> | undefined;
  readonly #time: Time;
  #countedMs = Number.NEGATIVE_INFINITY;

  /** @param count undefined before the node has worlds */
  constructor(count: () => Promise<number> | undefined, time: Time) {
    this.#count = count;
    this.#time = time;
  }

  /** Counts again, if it is time to. */
  refresh(): void {
    const nowMs = this.#time.now();
    if (nowMs - this.#countedMs < EVERY_MS) return;
    const counting = this.#count();
    if (counting === undefined) return;
    this.#countedMs = nowMs;
    counting.then(
      (count) => {
        this.latest = count;
      },
      // The store does not answer; the next call asks again.
      () => {
        this.#countedMs = Number.NEGATIVE_INFINITY;
      },
    );
  }
}
