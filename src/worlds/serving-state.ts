import type { Log } from '../log.ts';
import type { LeaseListener, Store } from '../store/contract.ts';
import type { Time } from '../time.ts';
import { Leases } from './leases.ts';
import { Records } from './records.ts';
import type { Worlds } from './worlds.ts';

const RETRY_MS = 200;

/**
 * Whether this node may serve worlds, and what becomes of them where it may not: streams end when
 * the lease of the store runs out, and go on from memory when it is held again; where somebody
 * else had it, all that is known of worlds is read anew.
 */
export class NodeStanding implements LeaseListener {
  readonly #nodeName: string;
  readonly #log: Log;
  readonly #time: Time;
  #store: Store | undefined;
  #worlds: Worlds | undefined;
  #isLost = false;
  #untilMs: () => number = () => Number.POSITIVE_INFINITY;

  constructor(nodeName: string, log: Log, time: Time) {
    this.#nodeName = nodeName;
    this.#log = log;
    this.#time = time;
  }

  /** `untilMs`: until when the store's lease may be relied on, by `Time.now`. */
  concern(store: Store, untilMs: () => number): void {
    this.#store = store;
    this.#untilMs = untilMs;
  }

  serve(worlds: Worlds): void {
    this.#worlds = worlds;
  }

  /** Until when worlds may move, by `Time.now`. */
  get untilMs(): number {
    return this.#isLost ? Number.NEGATIVE_INFINITY : this.#untilMs();
  }

  mayServe(): boolean {
    return this.#time.now() < this.untilMs;
  }

  /** How many nodes serve: the one that has the lease of the store, which may be another. */
  get nodes(): number {
    return this.#isLost || this.mayServe() ? 1 : 0;
  }

  held(): void {
    this.#log.info('the store answers');
    if (this.#isLost) void this.#startOver();
  }

  expired(): void {
    this.#log.error('the store does not answer: streams end');
    this.#worlds?.suspend();
  }

  lost(reason: string): void {
    this.#log.error({ reason }, 'the lease of the store is lost');
    this.#isLost = true;
    this.#worlds?.startOver();
  }

  /** The lease was granted anew: takes the partitions and begins with what the store has. */
  async #startOver(): Promise<void> {
    while (this.#isLost && this.#store !== undefined && this.#time.now() < this.#untilMs()) {
      try {
        const leases = await Leases.takeAll(this.#store, this.#nodeName);
        this.#worlds?.startOver(new Records(this.#store, leases));
        this.#isLost = false;
      } catch (err) {
        this.#log.warn({ err }, 'the partitions could not be taken yet');
        await this.#time.sleep(RETRY_MS);
      }
    }
  }
}
