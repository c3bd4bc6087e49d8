import type { Log } from '../log.ts';
import type { LeaseListener, Store } from '../store/contract.ts';
import type { Time } from '../time.ts';
import { Leases } from './leases.ts';
import { Records } from './records.ts';

const RETRY_MS = 200;

/** The worlds of a node, as its serving state affects them. */
export interface ServedWorlds {
  /** Ends all streams: nothing may be shown until the lease is held again. */
  suspend(): void;
  /** Forgets all worlds. From now on `records` is used, or the current records if none is given. */
  startOver(records?: Records): void;
}

/**
 * Whether this node may serve worlds. When the lease of the store expires, streams end; when it is
 * held again, they may go on from memory. If another node had it meanwhile, all worlds are read anew.
 */
export class ServingState implements LeaseListener {
  readonly #nodeName: string;
  readonly #log: Log;
  readonly #time: Time;
  #store: Store | undefined;
  #worlds: ServedWorlds | undefined;
  #isLost = false;
  #leaseUntilMs: () => number = () => Number.POSITIVE_INFINITY;

  constructor(nodeName: string, { log, time }: { log: Log; time: Time }) {
    this.#nodeName = nodeName;
    this.#log = log;
    this.#time = time;
  }

  /** `untilMs`: until when the store's lease may be relied on, by `Time.now`. */
  useLease(store: Store, untilMs: () => number): void {
    this.#store = store;
    this.#leaseUntilMs = untilMs;
  }

  useWorlds(worlds: ServedWorlds): void {
    this.#worlds = worlds;
  }

  /** Until when worlds may be stepped, by `Time.now`. */
  get untilMs(): number {
    return this.#isLost ? Number.NEGATIVE_INFINITY : this.#leaseUntilMs();
  }

  get isServing(): boolean {
    return this.#time.now() < this.untilMs;
  }

  /** How many nodes serve: the one with the lease of the store, which may be another. */
  get nodes(): number {
    return this.#isLost || this.isServing ? 1 : 0;
  }

  held(): void {
    this.#log.info('this node holds the lease of the store');
    if (this.#isLost) void this.#startOver();
  }

  expired(): void {
    this.#log.error('the store does not answer and the lease expired: closing all streams');
    this.#worlds?.suspend();
  }

  lost(reason: string): void {
    this.#log.error({ reason }, 'the lease of the store is lost');
    this.#isLost = true;
    this.#worlds?.startOver();
  }

  /** The lease was granted anew: takes the partitions and starts with what the store has. */
  async #startOver(): Promise<void> {
    while (this.#isLost && this.#store !== undefined && this.#time.now() < this.#leaseUntilMs()) {
      try {
        const leases = await Leases.takeAll(this.#store, this.#nodeName);
        this.#worlds?.startOver(new Records(this.#store, leases));
        this.#isLost = false;
      } catch (err) {
        this.#log.warn({ err }, 'the partitions could not be taken; trying again');
        await this.#time.sleep(RETRY_MS);
      }
    }
  }
}
