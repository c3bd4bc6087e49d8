import type { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { RateLimitSettings } from '../config.ts';
import { lruCache } from '../lru-cache.ts';
import { tooMany } from './errors.ts';

type AttemptLimits = Pick<RateLimitSettings, 'failedLogins' | 'failedLoginWaitS'>;

/** Who tries to log in: a name, existing or not, from an address. */
export interface Attempt {
  username: string;
  /** The client's key in limits. */
  address: string;
}

/** Names, and names with addresses, that are tracked. */
const TRACKED_MAX = 32_768;
const FIRST_WAIT_MS = 1000;
/** Failures of a name from all addresses without a wait, as a multiple of those from one. */
const ALL_ADDRESSES = 20;
/** Wait after each further failure of a name from any address. */
const NAME_WAIT_MS = 1000;
/** Failures expire this long after the last one. */
const FORGOTTEN_MS = 15 * 60_000;
/** Concurrent log-ins of one name from one address. */
const PENDING_MAX = 16;
/** Most of those under way have ended by then. */
const RETRY_S = 1;

class Failures {
  pending = 0;
  #count = 0;
  #lastMs = 0;
  #openAtMs = 0;

  /** Time until the next attempt. */
  waitMs(nowMs: number): number {
    if (nowMs - this.#lastMs > FORGOTTEN_MS) this.#count = 0;
    return this.#count === 0 ? 0 : this.#openAtMs - nowMs;
  }

  /** @param waitMsOf the wait after a number of failures */
  add(nowMs: number, waitMsOf: (count: number) => number): void {
    this.#count++;
    this.#lastMs = nowMs;
    this.#openAtMs = nowMs + waitMsOf(this.#count);
  }

  clear(): void {
    this.#count = 0;
  }
}

/**
 * Counts failed log-ins over all log-in routes, by name and address together: who guesses a name
 * delays nobody else who logs in with it. After the free ones each failure costs a wait, twice as
 * long as the one before, up to a limit. Against guesses from many addresses, many failures of a
 * name from anywhere make addresses wait from which it has never logged in; this wait is short. No
 * name is locked: attempts during a wait do not count, and a success clears the name for its address.
 */
export class LoginAttempts {
  readonly #limits: AttemptLimits | 'off';
  readonly #clock: Clock;
  /** By name and address. */
  readonly #own = lruCache<string, Failures>(TRACKED_MAX);
  /** By name. */
  readonly #ofName = lruCache<string, Failures>(TRACKED_MAX);
  /** Names with addresses from which they have logged in. */
  readonly #succeeded = lruCache<string, true>(TRACKED_MAX);

  constructor(limits: AttemptLimits | 'off', clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Whether `attempt` succeeds. Throws DealerError 429 if the caller has to wait. */
  async try({ username, address }: Attempt, attempt: () => Promise<boolean>): Promise<boolean> {
    if (this.#limits === 'off') return attempt();
    const key = `${address} ${username}`;
    const own = failuresAt(this.#own, key);
    const ofName = failuresAt(this.#ofName, username);
    this.#refuse(own, this.#succeeded.has(key) ? undefined : ofName);
    own.pending++;
    try {
      const isRight = await attempt();
      if (isRight) {
        own.clear();
        this.#succeeded.set(key, true);
      } else this.#failed(own, ofName, this.#limits);
      return isRight;
    } finally {
      own.pending--;
    }
  }

  #refuse(own: Failures, ofName: Failures | undefined): void {
    const nowMs = this.#clock.now();
    const waitMs = Math.max(own.waitMs(nowMs), ofName?.waitMs(nowMs) ?? 0);
    if (waitMs > 0) throw tooMany('Too many failed log-ins.', Math.ceil(waitMs / 1000));
    if (own.pending < PENDING_MAX) return;
    throw tooMany('Too many log-ins of this name at the same time.', RETRY_S);
  }

  #failed(own: Failures, ofName: Failures, { failedLogins, failedLoginWaitS }: AttemptLimits) {
    const nowMs = this.#clock.now();
    const waitMsMax = failedLoginWaitS * 1000;
    own.add(nowMs, (count) => {
      const costly = count - failedLogins;
      return costly < 0 ? 0 : Math.min(waitMsMax, FIRST_WAIT_MS * 2 ** costly);
    });
    ofName.add(nowMs, (count) =>
      count < failedLogins * ALL_ADDRESSES ? 0 : Math.min(waitMsMax, NAME_WAIT_MS),
    );
  }
}

function failuresAt(all: LRUCache<string, Failures>, key: string): Failures {
  const known = all.get(key);
  if (known !== undefined) return known;
  const fresh = new Failures();
  all.set(key, fresh);
  return fresh;
}
