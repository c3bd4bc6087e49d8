import type { Clock } from '../clock.ts';
import type { StopTimer, Time } from '../time.ts';
import type { Dealers, ListedDealer } from './dealers.ts';
import { batchesOf, type Listing, type Page, pageOf } from './listing.ts';
import type { Snapshot } from './mirror.ts';
import type { Registry } from './registry.ts';

const REFRESH_MS = 1000;
/** Maximum age of a list that is served while the store is unavailable. */
const AGE_MS_MAX = 5000;
/** Dealers that are encoded in one go. */
const BATCH = 128;

interface Known extends Snapshot<ListedDealer> {
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
  async read(page: Page): Promise<Listing> {
    const { items, stamp } = await this.#current();
    const some = pageOf(items, page);
    const batches = batchesOf(some, BATCH, (batch) =>
      batch.map(({ body }) => JSON.stringify(body)),
    );
    return { tag: stamp, count: some.length, batches };
  }

  async #current(): Promise<Known> {
    try {
      return await this.#refresh();
    } catch (error) {
      if (this.#known && this.#clock.now() - this.#known.atMs <= AGE_MS_MAX) return this.#known;
      throw error;
    }
  }

  async #refresh(): Promise<Known> {
    const atMs = this.#clock.now();
    const { revision } = await this.#registry.edition();
    this.#known = { ...(await this.#dealers.list(revision)), atMs };
    return this.#known;
  }

  close(): void {
    this.#stopRefreshing();
  }
}
