import type { LRUCache } from 'lru-cache';
import { lruCache } from '../lru-cache.ts';
import {
  type Attempt,
  AttemptCount,
  type AttemptCounts,
  type AttemptRule,
} from './attempt-count.ts';

/** Names, and names with addresses, that are tracked. */
const TRACKED_MAX = 32_768;
/** Every name has a count of its own. */
const TAG = 0;

/** Counts of log-in attempts in the memory of the only process. */
export class CountsInMemory implements AttemptCounts {
  readonly reservedMs = Number.POSITIVE_INFINITY;
  /** By name and address. */
  readonly #own = lruCache<string, AttemptCount>(TRACKED_MAX);
  /** By name. */
  readonly #ofName = lruCache<string, AttemptCount>(TRACKED_MAX);
  /** Names with addresses from which they have logged in: attempts that fail evict none. */
  readonly #succeeded = lruCache<string, true>(TRACKED_MAX);

  async reserve(attempt: Attempt, rule: AttemptRule): Promise<void> {
    this.#change(attempt, rule);
  }

  async settle(attempt: Attempt, rule: AttemptRule): Promise<void> {
    this.#change(attempt, rule);
  }

  #change({ username, address }: Attempt, rule: AttemptRule): void {
    const key = `${address} ${username}`;
    const own = countAt(this.#own, key);
    own.succeededAs = this.#succeeded.has(key) ? TAG : null;
    rule(own, countAt(this.#ofName, username));
    if (own.hasSucceeded) this.#succeeded.set(key, true);
  }
}

function countAt(all: LRUCache<string, AttemptCount>, key: string): AttemptCount {
  const known = all.get(key);
  if (known !== undefined) return known;
  const fresh = new AttemptCount(TAG);
  all.set(key, fresh);
  return fresh;
}
