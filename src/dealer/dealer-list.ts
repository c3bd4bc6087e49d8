import type { Clock } from '../clock.ts';
import type { StopTimer, Time } from '../time.ts';
import type { Dealers } from './dealers.ts';
import type { Registry } from './registry.ts';
import type { Dealer } from './schemas.ts';

const REFRESH_MS = 1000;
/** Maximum age of a list that is served while the store is unavailable. */
const AGE_MS_MAX = 5000;

interface Known {
  dealers: readonly Dealer[];
  revision: number;
  /** When the list was last known to be current. */
  atMs: number;
}

/**
 * The public list of dealers. It is available for some seconds while the store is not, so a timer
 * keeps it current.
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
      // `read` reports that the store is unavailable.
      this.#refresh().catch(() => {});
    });
  }

  /** Throws StoreUnavailable if the store has been unavailable for too long. */
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
