import type { Time } from '../../time.ts';
import type { Call } from './router.ts';

/** Requests that are not looked at, in one turn or in several. */
const UNCOUNTED_MAX = 256;
/** One of so many of the others is looked at, for all of them: an address takes a microsecond. */
const SAMPLE = 64;
/** Requests of an address in a turn: about 4 ms of the main thread. */
const OF_ADDRESS_MAX = 256;

/**
 * Counts the requests of each address in one turn of the event loop. The library reads up to 512 KiB
 * of a connection at once, and runs the thousands of requests in them before anything else.
 */
export class TurnGuard {
  readonly #time: Time;
  readonly #ofAddress = new Map<string, number>();
  #count = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Counts a request; returns whether its address has had its share of this turn. */
  isOverdone(call: Pick<Call, 'addressKey'>): boolean {
    if (++this.#count <= UNCOUNTED_MAX || this.#count % SAMPLE !== 0) return false;
    // Only here: a turn without many requests costs nothing.
    if (this.#ofAddress.size === 0) this.#time.immediate(() => this.#reset());
    const address = call.addressKey();
    const count = (this.#ofAddress.get(address) ?? 0) + SAMPLE;
    this.#ofAddress.set(address, count);
    return count > OF_ADDRESS_MAX;
  }

  #reset(): void {
    this.#count = 0;
    this.#ofAddress.clear();
  }
}
