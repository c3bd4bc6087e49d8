import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { RateLimitSettings } from '../config.ts';
import { tooMany } from './errors.ts';

type AttemptLimits = Pick<RateLimitSettings, 'failedLogins' | 'failedLoginWaitS'>;

/** Names that are tracked, existing or not. */
const NAMES_MAX = 32_768;
const FIRST_WAIT_MS = 1000;
/** Failures expire this long after the last one. */
const FORGOTTEN_MS = 15 * 60_000;
/** Concurrent log-ins of one name. */
const PENDING_MAX = 16;

interface NameState {
  failures: number;
  pending: number;
  lastMs: number;
  openAtMs: number;
}

/**
 * Counts failed log-ins by username, over all log-in routes. After the free ones each failure costs
 * a wait, twice as long as the one before, up to a limit. No name is locked: attempts during a wait
 * do not count, and a success resets the name.
 */
export class LoginAttempts {
  readonly #limits: AttemptLimits | 'off';
  readonly #clock: Clock;
  readonly #names = new LRUCache<string, NameState>({ max: NAMES_MAX });

  constructor(limits: AttemptLimits | 'off', clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Whether `attempt` succeeds. Throws DealerError 429 if the name has to wait. */
  async try(username: string, attempt: () => Promise<boolean>): Promise<boolean> {
    if (this.#limits === 'off') return attempt();
    const state = this.#stateOf(username);
    this.#refuse(state);
    state.pending++;
    try {
      const isRight = await attempt();
      if (isRight) state.failures = 0;
      else this.#failed(state, this.#limits);
      return isRight;
    } finally {
      state.pending--;
    }
  }

  #stateOf(username: string): NameState {
    const known = this.#names.get(username);
    if (known !== undefined) return known;
    const fresh = { failures: 0, pending: 0, lastMs: 0, openAtMs: 0 };
    this.#names.set(username, fresh);
    return fresh;
  }

  #refuse(state: NameState): void {
    const nowMs = this.#clock.now();
    if (nowMs - state.lastMs > FORGOTTEN_MS) state.failures = 0;
    const waitMs = state.failures === 0 ? 0 : state.openAtMs - nowMs;
    if (waitMs <= 0 && state.pending < PENDING_MAX) return;
    const retryAfterS = Math.max(1, Math.ceil(waitMs / 1000));
    throw tooMany('Too many failed log-ins.', retryAfterS);
  }

  #failed(state: NameState, { failedLogins, failedLoginWaitS }: AttemptLimits): void {
    const nowMs = this.#clock.now();
    state.failures++;
    state.lastMs = nowMs;
    const costly = state.failures - failedLogins;
    const waitMsMax = failedLoginWaitS * 1000;
    const waitMs = costly < 0 ? 0 : Math.min(waitMsMax, FIRST_WAIT_MS * 2 ** costly);
    state.openAtMs = nowMs + waitMs;
  }
}
