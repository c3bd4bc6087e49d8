import type { Clock } from '../clock.ts';
import type { StopTimer, Time } from '../time.ts';
import type { Dealers } from './dealers.ts';
import type { Registry } from './registry.ts';
import type { Dealer } from './schemas.ts';

const REFRESH_MS = 1000;
/** What was true so lately may be told without the store. */
const AGE_MS_MAX = 5000;

interface Known {
  dealers: readonly Dealer[];
  revision: number;
  /** When it was last known to be so. */
  atMs: number;
}

/**
 * The public list of dealers, which outlives the store for some seconds: it is kept fresh all the
 * time, since nobody knows beforehand when the store will be gone.
 */
export class DealerList {
  readonly #registry: Registry;
  readonly #dealers: Dealers;
  readonly #clock: Clock;
  readonly #stopRefreshing: StopTimer;
  #known: Known | undefined;

  constructor(registry: Registry, dealers: Dealers, clock: Clock, time: Time) {
    this.#registry = registry;
    this.#dealers = dealers;
    this.#clock = clock;
    this.#stopRefreshing = time.every(REFRESH_MS, () => {
      // Whoever asks is told that the store is gone.
      this.#refresh().catch(() => {});
    });
  }

  /** Throws DealerError 503 where the store has been gone for long. */
  async read(): Promise<readonly Dealer[]> {
    try {
      return await this.#refresh();
    } catch (error) {
      if (this.#known && this.#clock.now() - this.#known.atMs <= AGE_MS_MAX) {
        return this.#known.dealers;
      }
      throw error;
    }
  }

  async #refresh(): Promise<readonly Dealer[]> {
    const atMs = this.#clock.now();
    const { revision } = await this.#registry.edition();
    const known =
      this.#known?.revision === revision ? this.#known.dealers : await this.#dealers.list();
    this.#known = { dealers: known, revision, atMs };
    return known;
  }

  close(): void {
    this.#stopRefreshing();
  }
}
