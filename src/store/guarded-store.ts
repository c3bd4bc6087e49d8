import { STORE_WAIT_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Time } from '../time.ts';
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

/**
 * A commit is given up at its last check. Checks are counted, not time, so that a pause of the whole
 * process is not taken for a hanging engine.
 */
const CHECKS = 4;
const CHECK_MS = STORE_WAIT_MS / CHECKS;
/** For so many writes a long commit, and what waits behind it, gets one more check: 250 µs a write. */
const WRITES_PER_CHECK = 1000;

/** A commit that the engine has not answered. */
interface Unanswered {
  checksLeft: number;
  /** Tells its caller that the outcome is unknown. */
  giveUp(): void;
}

/**
 * A store whose commits end in time, even if the engine hangs. A commit without an answer within
 * STORE_WAIT_MS, or more if it is long, ends with an unknown outcome, and further ones are refused until the engine has
 * answered it, so that nothing piles up behind it. Reads go on. Failures are logged once, and again
 * when writes work.
 */
export class GuardedStore implements Store {
  readonly #inner: Store;
  readonly #log: Log;
  readonly #time: Time;
  readonly #unanswered = new Set<Unanswered>();
  /** Of those, how many callers were told that the outcome is unknown. */
  #givenUp = 0;
  /** What long commits without an answer give to those behind them. */
  #extraChecks = 0;
  #isChecking = false;
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
      this.#extraChecks += Math.floor(writes.length / WRITES_PER_CHECK);
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
        isGivenUp = true;
        this.#givenUp++;
        reject(new StoreUnavailable('unknown', new Error('no answer'), settled.promise));
      };
      const commit = { checksLeft: CHECKS + this.#extraChecks, giveUp };
      this.#unanswered.add(commit);
      if (!this.#isChecking) this.#checkLater();
      const end = () => {
        this.#unanswered.delete(commit);
        if (this.#unanswered.size === 0) this.#extraChecks = 0;
        if (isGivenUp) this.#givenUp--;
        settled.resolve();
      };
      answer.then(resolve, reject).finally(end);
    });
  }

  #checkLater(): void {
    this.#isChecking = true;
    this.#time.after(CHECK_MS, () => {
      for (const commit of this.#unanswered) if (--commit.checksLeft === 0) commit.giveUp();
      this.#extraChecks = Math.max(0, this.#extraChecks - 1);
      this.#isChecking = false;
      if (this.#unanswered.size > this.#givenUp) this.#checkLater();
    });
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
