/** Who tries to log in: a name, existing or not, from an address. */
export interface Attempt {
  username: string;
  /** The client's key in limits. */
  address: string;
}

/** Failures expire this long after the last one. */
const FORGOTTEN_MS = 15 * 60_000;

/**
 * What is counted of a name from one address, or of a name from all. Where counts are few, several names
 * share one; each has a tag there.
 */
export class AttemptCount {
  failures = 0;
  lastMs = 0;
  openAtMs = 0;
  /** When the reservations end of the attempts under way. */
  reservedUntilMs: number[] = [];
  /** Tag of the name that all failures are of; null if there are none, or of several names. */
  failedAs: number | null = null;
  /** Tag of the name that succeeded last. */
  succeededAs: number | null = null;
  readonly #tag: number;

  constructor(tag: number) {
    this.#tag = tag;
  }

  get hasSucceeded(): boolean {
    return this.succeededAs === this.#tag;
  }

  /** Time until the next attempt. */
  waitMs(nowMs: number): number {
    this.#forget(nowMs);
    return this.failures === 0 ? 0 : this.openAtMs - nowMs;
  }

  /** @param waitMsOf the wait after a number of failures */
  fail(nowMs: number, waitMsOf: (failures: number) => number): void {
    this.#forget(nowMs);
    const isAlone = this.failures === 0 || this.failedAs === this.#tag;
    this.failedAs = isAlone ? this.#tag : null;
    this.failures++;
    this.lastMs = nowMs;
    this.openAtMs = nowMs + waitMsOf(this.failures);
  }

  /** Clears the failures, unless there are some of another name: its guesser must not clear those. */
  succeed(): void {
    this.succeededAs = this.#tag;
    if (this.failedAs === this.#tag) this.failures = 0;
  }

  #forget(nowMs: number): void {
    if (nowMs - this.lastMs > FORGOTTEN_MS) this.failures = 0;
  }

  /** Attempts under way. */
  pending(nowMs: number): number {
    this.reservedUntilMs = this.reservedUntilMs.filter((untilMs) => untilMs > nowMs);
    return this.reservedUntilMs.length;
  }

  reserve(untilMs: number): void {
    this.reservedUntilMs.push(untilMs);
  }

  /** Ends a reservation, if it has not ended already. Those that end at the same time are alike. */
  release(untilMs: number): void {
    const index = this.reservedUntilMs.indexOf(untilMs);
    if (index >= 0) this.reservedUntilMs.splice(index, 1);
  }
}

/** Changes the counts of an attempt. It may be repeated with other counts. */
export type AttemptRule = (own: AttemptCount, ofName: AttemptCount) => void;

/** Where the counts of attempts live. */
export interface AttemptCounts {
  /** A reservation that is not settled ends after this time: its process may have died. */
  readonly reservedMs: number;

  /** Reserves an attempt. `rule` refuses it by throwing DealerError 429: nothing changes then. */
  reserve(attempt: Attempt, rule: AttemptRule): Promise<void>;

  /** Notes how an attempt ended. */
  settle(attempt: Attempt, rule: AttemptRule): Promise<void>;
}
