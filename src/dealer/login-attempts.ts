import type { Clock } from '../clock.ts';
import type { RateLimitSettings } from '../config.ts';
import type { Attempt, AttemptCount, AttemptCounts } from './attempt-count.ts';
import { tooMany } from './errors.ts';

type AttemptLimits = Pick<RateLimitSettings, 'failedLogins' | 'failedLoginWaitS'>;

const FIRST_WAIT_MS = 1000;
/** Failures of a name from all addresses without a wait, as a multiple of those from one. */
const ALL_ADDRESSES = 20;
/** Wait after each further failure of a name from any address. */
const NAME_WAIT_MS = 1000;
/** Concurrent log-ins of one name from one address. */
const PENDING_MAX = 16;
/** Most of those under way have ended by then. */
const RETRY_S = 1;

/**
 * Counts failed log-ins over all log-in routes, by name and address together: who guesses a name
 * delays nobody else who logs in with it. After the free ones each failure costs a wait, twice as
 * long as the one before, up to a limit. Against guesses from many addresses, many failures of a
 * name from anywhere make addresses wait from which it has never logged in; this wait is short. No
 * name is locked: attempts during a wait do not count, and a success clears the name for its address.
 *
 * An attempt is reserved before the password is checked, and nobody learns whether it was right
 * unless that is counted. So of failed log-ins at most the free ones and PENDING_MAX more are checked.
 */
export class LoginAttempts {
  readonly #limits: AttemptLimits | 'off';
  readonly #clock: Clock;
  readonly #counts: AttemptCounts;

  constructor(limits: AttemptLimits | 'off', clock: Clock, counts: AttemptCounts) {
    this.#limits = limits;
    this.#clock = clock;
    this.#counts = counts;
  }

  /**
   * The result of `attempt`, where false means that it failed. Throws DealerError 429 if the caller has to
   * wait.
   */
  async try<T>(caller: Attempt, attempt: () => Promise<T | false>): Promise<T | false> {
    const limits = this.#limits;
    if (limits === 'off') return attempt();
    const untilMs = this.#clock.now() + this.#counts.reservedMs;
    await this.#counts.reserve(caller, (own, ofName) => {
      this.#refuse(own, own.hasSucceeded ? undefined : ofName);
      own.reserve(untilMs);
    });
    let result: T | false;
    try {
      result = await attempt();
    } catch (error) {
      // If this fails, the reservation ends by itself.
      await this.#counts.settle(caller, (own) => own.release(untilMs)).catch(() => {});
      throw error;
    }
    await this.#counts.settle(caller, (own, ofName) => {
      own.release(untilMs);
      if (result === false) this.#failed(own, ofName, limits);
      else own.succeed();
    });
    return result;
  }

  #refuse(own: AttemptCount, ofName: AttemptCount | undefined): void {
    const nowMs = this.#clock.now();
    const waitMs = Math.max(own.waitMs(nowMs), ofName?.waitMs(nowMs) ?? 0);
    if (waitMs > 0) throw tooMany('Too many failed log-ins.', Math.ceil(waitMs / 1000));
    if (own.pending(nowMs) < PENDING_MAX) return;
    throw tooMany('Too many log-ins of this name at the same time.', RETRY_S);
  }

  #failed(
    own: AttemptCount,
    ofName: AttemptCount,
    { failedLogins, failedLoginWaitS }: AttemptLimits,
  ): void {
    const nowMs = this.#clock.now();
    const waitMsMax = failedLoginWaitS * 1000;
    own.fail(nowMs, (failures) => {
      const costly = failures - failedLogins;
      return costly < 0 ? 0 : Math.min(waitMsMax, FIRST_WAIT_MS * 2 ** costly);
    });
    ofName.fail(nowMs, (failures) =>
      failures < failedLogins * ALL_ADDRESSES ? 0 : Math.min(waitMsMax, NAME_WAIT_MS),
    );
  }
}
