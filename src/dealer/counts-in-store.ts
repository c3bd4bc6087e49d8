import { createHmac } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { lruCache } from '../lru-cache.ts';
import type { Random } from '../random.ts';
import type { Entry, Store } from '../store/contract.ts';
import {
  type Attempt,
  AttemptCount,
  type AttemptCounts,
  type AttemptRule,
} from './attempt-count.ts';
import { DealerError, tooMany } from './errors.ts';
import { RecordTurns } from './record-turns.ts';
import { keys } from './records.ts';
import { storedOnce } from './stored-once.ts';

/** Half of the slots are for names with addresses, half for names. */
const SLOT_COUNT = 65_536;
const KEY_BYTES = 32;
const TAG_BYTES = 6;
/** Longer than a password waits for its check and is checked. */
const RESERVED_MS = 10_000;
/** Attempts of a change of counts, before it gives up because of those of other nodes. */
const CHANGES_MAX = 32;
const RETRY_S = 1;
/** Refusals that are remembered. */
const REFUSED_MAX = 32_768;

type StoredCount = [
  failures: number,
  lastMs: number,
  openAtMs: number,
  reservedUntilMs: number[],
  failedAs: number | null,
  succeededAs: number | null,
];

/** Where something is counted. */
interface Place {
  slot: number;
  tag: number;
}

interface Refusal {
  detail: DealerError['detail'];
  untilMs: number;
}

/**
 * Counts of log-in attempts in the store, for all nodes. There is a fixed number of slots, so that
 * guesses take bounded space; names that meet in a slot count together. A key of the store gives the
 * slots, so that nobody can choose names that meet.
 */
export class CountsInStore implements AttemptCounts {
  readonly reservedMs = RESERVED_MS;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #key: Uint8Array;
  /** Changes of this process do not meet each other. */
  readonly #turns = new RecordTurns();
  /** By slot and tag. A flood of attempts that are refused costs the store nothing. */
  readonly #refused = lruCache<string, Refusal>(REFUSED_MAX);

  private constructor(store: Store, clock: Clock, key: Uint8Array) {
    this.#store = store;
    this.#clock = clock;
    this.#key = key;
  }

  static async open(store: Store, clock: Clock, random: Random): Promise<CountsInStore> {
    const key = await storedOnce(store, keys.attemptKey, () => random.bytes(KEY_BYTES));
    return new CountsInStore(store, clock, key);
  }

  /** Throws StoreUnavailable. */
  async reserve(attempt: Attempt, rule: AttemptRule): Promise<void> {
    const [own, ofName] = this.#placesOf(attempt);
    const name = `${own.slot} ${own.tag}`;
    this.#refuseAgain(name);
    await this.#turns.take([String(own.slot)], async () => {
      // Another attempt may have been refused while this one waited for its turn.
      this.#refuseAgain(name);
      try {
        await this.#change(own, ofName, rule);
      } catch (error) {
        if (error instanceof DealerError) this.#noteRefusal(name, error);
        throw error;
      }
    });
  }

  /** Throws StoreUnavailable, or DealerError 429: nobody must learn then how the attempt ended. */
  async settle(attempt: Attempt, rule: AttemptRule): Promise<void> {
    const [own, ofName] = this.#placesOf(attempt);
    const slots = [String(own.slot), String(ofName.slot)];
    await this.#turns.take(slots, () => this.#change(own, ofName, rule));
  }

  #noteRefusal(name: string, { detail, retryAfterS = RETRY_S }: DealerError): void {
    const untilMs = this.#clock.now() + retryAfterS * 1000;
    this.#refused.set(name, { detail, untilMs });
  }

  #refuseAgain(name: string): void {
    const refusal = this.#refused.get(name);
    if (refusal === undefined) return;
    const leftMs = refusal.untilMs - this.#clock.now();
    if (leftMs > 0) throw tooMany(String(refusal.detail), Math.ceil(leftMs / 1000));
  }

  #placesOf({ username, address }: Attempt): [own: Place, ofName: Place] {
    return [this.#placeOf(`own ${address} ${username}`, 0), this.#placeOf(`name ${username}`, 1)];
  }

  /** @param kind 0 or 1: the two kinds share no slots, because their failures weigh differently */
  #placeOf(text: string, kind: number): Place {
    const hash = createHmac('sha256', this.#key).update(text).digest();
    const slot = 2 * (hash.readUInt32BE(0) % (SLOT_COUNT / 2)) + kind;
    return { slot, tag: hash.readUIntBE(4, TAG_BYTES) };
  }

  async #change(own: Place, ofName: Place, rule: AttemptRule): Promise<void> {
    for (let change = 1; change <= CHANGES_MAX; change++) {
      const read = await Promise.all([this.#read(own), this.#read(ofName)]);
      rule(read[0].count, read[1].count);
      const changed = read.filter(({ count, before }) => textOf(count) !== before);
      const isMade = await this.#store.commit(
        changed.map(({ key, version }) => ({ key, version })),
        changed.map(({ key, count }) => ({ key, value: storedOf(count) })),
      );
      if (isMade) return;
    }
    throw tooMany('Too many log-ins of this name at the same time.', RETRY_S);
  }

  async #read({ slot, tag }: Place) {
    const key = keys.attempts(slot);
    const entry = await this.#store.get<StoredCount>(key);
    const count = countOf(entry, tag);
    return { key, version: entry?.version ?? null, count, before: textOf(count) };
  }
}

function textOf(count: AttemptCount): string {
  return JSON.stringify(storedOf(count));
}

function countOf(entry: Entry<StoredCount> | undefined, tag: number): AttemptCount {
  const count = new AttemptCount(tag);
  if (entry === undefined) return count;
  const [failures, lastMs, openAtMs, reservedUntilMs, failedAs, succeededAs] = entry.value;
  // The rule may change them, and is perhaps repeated.
  const copied = [...reservedUntilMs];
  const known = { failures, lastMs, openAtMs, reservedUntilMs: copied, failedAs, succeededAs };
  return Object.assign(count, known);
}

function storedOf(count: AttemptCount): StoredCount {
  const { failures, lastMs, openAtMs, reservedUntilMs, failedAs, succeededAs } = count;
  return [failures, lastMs, openAtMs, reservedUntilMs, failedAs, succeededAs];
}
