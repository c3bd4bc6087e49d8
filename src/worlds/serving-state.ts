import type { Log } from '../log.ts';
import type { LeaseListener, Store } from '../store/contract.ts';
import type { Time } from '../time.ts';
import { takeLeases } from './leases.ts';
import { Records } from './records.ts';

const RETRY_MS = 200;

/** The worlds of a node, as far as the serving state controls them. */
export interface ServedWorlds {
  /** Ends all streams. The node must not show worlds until it holds the lease again. */
  suspend(): void;
  /** Forgets all worlds in memory, and reads them with `records` from now on, if given. */
  startOver(records?: Records): void;
}

/**
 * Whether this node may serve worlds. When its lease of the store expires, all streams end. When
 * the node holds the lease again, it continues with the worlds in memory. If another node held the
 * lease meanwhile, it reads all worlds from the store again.
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

  /** `untilMs`: until when the lease of the store is valid, by `Time.now`. */
  useLease(store: Store, untilMs: () => number): void {
    this.#store = store;
    this.#leaseUntilMs = untilMs;
  }

  useWorlds(worlds: ServedWorlds): void {
    this.#worlds = worlds;
  }

  /** Until when this node may step its worlds, by `Time.now`. */
  get untilMs(): number {
    return this.#isLost ? Number.NEGATIVE_INFINITY : this.#leaseUntilMs();
  }

  get isServing(): boolean {
    return this.#time.now() < this.untilMs;
  }

  /** Number of nodes that serve worlds: 1 if this node or another one holds the lease, else 0. */
  get nodes(): number {
    return this.#isLost || this.isServing ? 1 : 0;
  }

  held(): void {
    this.#log.info('this node holds the lease of the store');
    if (this.#isLost) void this.#startOver();
  }

  expired(): void {
    this.#log.error('the store does not answer and the lease has expired: all streams are closed');
    this.#worlds?.suspend();
  }

  lost(reason: string): void {
    this.#log.error({ reason }, 'this node has lost the lease of the store');
    this.#isLost = true;
    this.#worlds?.startOver();
  }

  /** Takes all partitions and reads all worlds from the store again. */
  async #startOver(): Promise<void> {
    let hasFailed = false;
    while (this.#isLost && this.#store !== undefined && this.#time.now() < this.#leaseUntilMs()) {
      try {
        const fences = await takeLeases(this.#store, this.#nodeName);
        this.#worlds?.startOver(new Records(this.#store, fences));
        this.#isLost = false;
      } catch (err) {
        if (!hasFailed) this.#log.warn({ err }, 'could not take the partitions; trying again');
        hasFailed = true;
        await this.#time.sleep(RETRY_MS);
      }
    }
  }
}
