import { STORE_WAIT_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { StopTimer, Time } from '../time.ts';
import {
  type Check,
  type Entry,
  type Key,
  type Page,
  type Store,
  StoreUnavailable,
  type Write,
} from './contract.ts';

const TROUBLE: Record<StoreUnavailable['reason'], string> = {
  full: 'the store is full: writes are refused',
  failed: 'the store fails: writes are refused',
  unknown: 'the store does not answer: writes are refused',
  closed: 'the store is closed',
};

/** A commit that the engine has not answered. */
interface Unanswered {
  readonly sinceMs: number;
  /** Rejects with what its caller gets if it takes too long. */
  giveUp(): void;
}

/**
 * A store whose commits end in time, even if the engine hangs. A commit without an answer within
 * STORE_WAIT_MS ends with an unknown outcome, and further ones are refused until the engine has
 * answered it, so that nothing piles up behind it. Reads go on. Failures are logged once, and again
 * when writes work.
 */
export class GuardedStore implements Store {
  readonly #inner: Store;
  readonly #log: Log;
  readonly #time: Time;
  /** In the order of the calls. */
  readonly #unanswered = new Set<Unanswered>();
  /** Of those, how many callers were told that the outcome is unknown. */
  #givenUp = 0;
  #stopTimer: StopTimer | undefined;
  #isFailing = false;

  constructor(inner: Store, { log, time }: { log: Log; time: Time }) {
    this.#inner = inner;
    this.#log = log;
    this.#time = time;
  }

  get engine(): Store['engine'] {
    return this.#inner.engine;
  }

  get<T>(key: Key): Promise<Entry<T> | undefined> {
    return this.#inner.get(key);
  }

  list<T>(prefix: Key, page: Page): Promise<Entry<T>[]> {
    return this.#inner.list(prefix, page);
  }

  async commit(checks: readonly Check[], writes: readonly Write[]): Promise<boolean> {
    if (this.#givenUp > 0) {
      throw new StoreUnavailable('failed', new Error('an earlier write has no answer'));
    }
    try {
      const isMade = await this.#inTime(this.#inner.commit(checks, writes));
      this.#worked();
      return isMade;
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#failed(error);
      throw error;
    }
  }

  #inTime(answer: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const settled = Promise.withResolvers<void>();
      let isGivenUp = false;
      const giveUp = () => {
        if (isGivenUp) return;
        isGivenUp = true;
        this.#givenUp++;
        reject(new StoreUnavailable('unknown', new Error('no answer'), settled.promise));
      };
      const commit = { sinceMs: this.#time.now(), giveUp };
      this.#unanswered.add(commit);
      this.#checkAfter(STORE_WAIT_MS);
      const end = () => {
        this.#unanswered.delete(commit);
        if (isGivenUp) this.#givenUp--;
        settled.resolve();
      };
      answer.then(resolve, reject).finally(end);
    });
  }

  #checkAfter(ms: number): void {
    // In the next turn, since after a pause of the process answers may wait to be read.
    this.#stopTimer ??= this.#time.after(ms, () => this.#time.immediate(() => this.#check()));
  }

  #check(): void {
    const limitMs = this.#time.now() - STORE_WAIT_MS;
    this.#stopTimer = undefined;
    for (const { sinceMs, giveUp } of this.#unanswered) {
      if (sinceMs > limitMs) {
        this.#checkAfter(sinceMs - limitMs);
        return;
      }
      giveUp();
    }
  }

  #worked(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#log.info('the store accepts writes again');
  }

  #failed({ reason, cause }: StoreUnavailable): void {
    if (this.#isFailing || reason === 'closed') return;
    this.#isFailing = true;
    this.#log.error({ err: cause }, TROUBLE[reason]);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
