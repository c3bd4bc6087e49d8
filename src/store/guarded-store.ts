import { Histogram } from '../histogram.ts';
import { DISK_WAIT_MS, START_WAIT_MS, STORE_WAIT_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Time } from '../time.ts';
import {
  type Check,
  type Claims,
  type Entry,
  type Grant,
  type Heartbeats,
  type Key,
  type KeyBounds,
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

/** Checks are counted, not time, so that a pause of the whole process is not taken for a hang. */
const CHECK_MS = 250;
/**
 * Of an engine that answers nothing. A disk that stalls comes back by itself, as a rule within seconds;
 * what is behind a network may not.
 */
const CHECKS: Record<Store['engine'], number> = {
  redis: STORE_WAIT_MS / CHECK_MS,
  embedded: DISK_WAIT_MS / CHECK_MS,
};
/** For so many writes that wait, the engine gets one more check: 250 µs a write. */
const WRITES_PER_CHECK = 1000;

/** A commit without an answer. */
interface Unanswered {
  readonly reject: (error: StoreUnavailable) => void;
  /** Its caller was told that the outcome is unknown; resolved by the answer. */
  settled?: PromiseWithResolvers<void>;
}

/**
 * A store whose commits end, even if the engine hangs. An engine answers commits in their order. If
 * it has answered none for STORE_WAIT_MS (DISK_WAIT_MS on a disk), or for longer where long ones wait
 * or the node still starts, then all that wait end with an unknown outcome, and further ones are
 * refused until the engine has answered these, so that nothing piles up behind them. Reads go on.
 * Failures are logged once, and again when writes work.
 */
export class GuardedStore implements Store {
  /** How long answers took, also those that are refusals. */
  readonly durations = { get: new Histogram(), list: new Histogram(), commit: new Histogram() };
  /** What was not carried out, or perhaps not. */
  readonly failures = { full: 0, failed: 0, unknown: 0, closed: 0 };
  readonly #inner: Store;
  readonly #log: Log;
  readonly #time: Time;
  readonly #unanswered = new Set<Unanswered>();
  /** Writes of the commits without an answer. */
  #writesWaiting = 0;
  /** Checks while commits waited and the engine made none, nor refused one for its checks. */
  #silentChecks = 0;
  #checks = START_WAIT_MS / CHECK_MS;
  #isChecking = false;
  /** The callers of all commits without an answer were told that the outcome is unknown. */
  #isHanging = false;
  /** Why it fails; undefined: it works. */
  #failing: StoreUnavailable['reason'] | undefined;

  constructor(inner: Store, { log, time }: { log: Log; time: Time }) {
    this.#inner = inner;
    this.#log = log;
    this.#time = time;
  }

  get engine(): Store['engine'] {
    return this.#inner.engine;
  }

  get claims(): Claims {
    return this.#inner.claims;
  }

  get heartbeats(): Heartbeats | undefined {
    return this.#inner.heartbeats;
  }

  get fencedCount(): number | undefined {
    return this.#inner.fencedCount;
  }

  /** Commits without an answer. */
  get pendingCount(): number {
    return this.#unanswered.size;
  }

  /** From now on requests wait for commits. */
  serve(): void {
    this.#checks = CHECKS[this.#inner.engine];
    this.#inner.serve?.();
  }

  get<T>(key: Key): Promise<Entry<T> | undefined> {
    return this.#observed('get', this.#time.now(), this.#inner.get<T>(key));
  }

  list<T>(prefix: Key, page: Page): Promise<Entry<T>[]> {
    return this.#observed('list', this.#time.now(), this.#inner.list<T>(prefix, page));
  }

  count(prefix: Key, bounds?: KeyBounds): Promise<number> {
    return this.#observed('list', this.#time.now(), this.#inner.count(prefix, bounds));
  }

  #observed<R>(operation: 'get' | 'list', startMs: number, answer: Promise<R>): Promise<R> {
    const observe = () => this.#observe(operation, startMs);
    answer.then(observe, (error: unknown) => {
      observe();
      if (error instanceof StoreUnavailable) this.failures[error.reason]++;
    });
    return answer;
  }

  #observe(operation: keyof GuardedStore['durations'], startMs: number): void {
    this.durations[operation].observe((this.#time.now() - startMs) / 1000);
  }

  commit(checks: readonly Check[], writes: readonly Write[], grant?: Grant): Promise<boolean> {
    if (this.#isHanging) {
      const cause = new Error('an earlier write has no answer');
      this.failures.failed++;
      return Promise.reject(new StoreUnavailable('failed', cause));
    }
    const startMs = this.#time.now();
    return this.#answerOf(this.#inner.commit(checks, writes, grant), writes, startMs);
  }

  #answerOf(answer: Promise<boolean>, writes: readonly Write[], startMs: number): Promise<boolean> {
    const writeCount = writes.length;
    return new Promise((resolve, reject) => {
      const commit: Unanswered = { reject };
      this.#unanswered.add(commit);
      this.#writesWaiting += writeCount;
      if (!this.#isChecking) this.#checkLater();
      const made = (isMade: boolean) => {
        this.#silentChecks = 0;
        this.#observe('commit', startMs);
        this.#end(commit, writeCount);
        if (commit.settled === undefined && this.#proves(isMade, writes)) this.#worked();
        resolve(isMade);
      };
      const failed = (error: unknown) => {
        this.#observe('commit', startMs);
        this.#end(commit, writeCount);
        if (error instanceof StoreUnavailable) {
          this.#failed(error);
          // Or else it was counted when its caller was told.
          if (commit.settled === undefined) this.failures[error.reason]++;
        }
        reject(error);
      };
      answer.then(made, failed);
    });
  }

  #end(commit: Unanswered, writeCount: number): void {
    this.#unanswered.delete(commit);
    this.#writesWaiting -= writeCount;
    if (this.#unanswered.size === 0) {
      this.#isHanging = false;
      this.#silentChecks = 0;
    }
    commit.settled?.resolve();
  }

  #checkLater(): void {
    this.#isChecking = true;
    this.#time.after(CHECK_MS, () => {
      this.#isChecking = false;
      if (this.#unanswered.size === 0) return;
      this.#silentChecks++;
      if (this.#silentChecks < this.#checks + Math.floor(this.#writesWaiting / WRITES_PER_CHECK)) {
        this.#checkLater();
        return;
      }
      this.#isHanging = true;
      for (const commit of this.#unanswered) this.#giveUp(commit);
    });
  }

  #giveUp(commit: Unanswered): void {
    commit.settled = Promise.withResolvers();
    const error = new StoreUnavailable('unknown', new Error('no answer'), commit.settled.promise);
    this.#failed(error);
    this.failures.unknown++;
    commit.reject(error);
  }

  /** Whether a commit shows that the store fails no more: a full one still takes what removes entries. */
  #proves(isMade: boolean, [first]: readonly Write[]): boolean {
    if (this.#failing !== 'full') return true;
    return isMade && first !== undefined && !('remove' in first);
  }

  #worked(): void {
    if (this.#failing === undefined) return;
    this.#failing = undefined;
    this.#log.info('the store accepts writes again');
  }

  #failed({ reason, cause }: StoreUnavailable): void {
    if (this.#failing !== undefined || reason === 'closed') return;
    this.#failing = reason;
    this.#log.error({ err: cause }, TROUBLE[reason]);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
