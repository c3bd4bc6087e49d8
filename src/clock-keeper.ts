import type { NodeClock } from './clock.ts';
import type { Log } from './log.ts';
import type { Store } from './store/contract.ts';
import type { StopTimer, Time } from './time.ts';

const CLOCK_KEY = ['clock'];
/** How often the clock is published while worlds are watched. */
const PUBLISH_MS = 10;
/** How often the keeper checks whether the machine was suspended. */
const SUSPEND_CHECK_MS = 2000;
/** How often the clock's high-water mark is saved. */
const MARK_MS = 10_000;

/** The reading with which a node starts: the wall time, or the highest of earlier runs on this store. */
export async function readClockStart(store: Pick<Store, 'get'>, time: Time): Promise<number> {
  return Math.max(time.wallMs(), (await store.get<number>(CLOCK_KEY))?.value ?? 0);
}

/**
 * Publishes the clock to the shards, notices suspended machines, and saves the clock's high-water mark
 * in a store that one process has for itself: a cluster keeps it otherwise.
 */
export class ClockKeeper {
  readonly #clock: NodeClock;
  readonly #store: Store | undefined;
  readonly #time: Time;
  readonly #stopTimers: readonly StopTimer[];
  #stopPublishing: StopTimer | undefined;

  constructor(clock: NodeClock, store: Store, { log, time }: { log: Log; time: Time }) {
    this.#clock = clock;
    this.#store = store.heartbeats === undefined ? store : undefined;
    this.#time = time;
    this.#stopTimers = [
      time.every(MARK_MS, () => void this.#saveMark()),
      time.every(SUSPEND_CHECK_MS, () => {
        const suspendedMs = clock.catchUpAfterSuspend();
        if (suspendedMs > 0) log.warn({ suspendedMs }, 'the machine was suspended');
      }),
    ];
  }

  /** Starts or stops to publish the clock. Shards step no further than the published reading. */
  publish(isOn: boolean): void {
    this.#stopPublishing?.();
    this.#stopPublishing = isOn ? this.#time.every(PUBLISH_MS, () => this.#clock.now()) : undefined;
  }

  async stop(): Promise<void> {
    this.publish(false);
    for (const stopTimer of this.#stopTimers) stopTimer();
    await this.#saveMark();
  }

  async #saveMark(): Promise<void> {
    // A failure is ignored: the mark is saved again after MARK_MS.
    const writes = [{ key: CLOCK_KEY, value: this.#clock.now() }];
    await this.#store?.commit([], writes).catch(() => {});
  }
}
