import { WAIT_MS_MAX } from '../limits.ts';
import type { Random } from '../random.ts';
import type { Entry, Store } from '../store/contract.ts';
import type { Time } from '../time.ts';
import { tooManyChanges } from './errors.ts';
import { keys } from './records.ts';

const NAME_BYTES = 12;
/** How long a process has the records at least, and how long at most, if others want them. */
const HOLD_MS_MIN = 10;
const HOLD_MS_MAX = 4000;

/** The process that changes the records. */
interface Owner {
  name: string;
  /** Others leave it this time for changes that it has begun. */
  holdMs: number;
}

/**
 * Which process changes the records of the dealer platform: the one that took them over last. Each of
 * its commits checks that it still is. Another process takes the records over when it wants to change
 * them, but leaves their owner the time for a change: else two of them would take the records from
 * each other for ever, and neither could change anything.
 */
export class Ownership {
  /** Distinguishes this process from all others that use the store. */
  readonly name: string;
  readonly #store: Store;
  readonly #time: Pick<Time, 'now' | 'sleep'>;
  readonly #taken: () => void;
  /** Version of the entry with which this process took the records over. */
  #version: number | undefined;
  #taking: Promise<number> | undefined;
  /** The owner that this process saw last, by version, and since when. */
  #seen = { version: 0, sinceMs: 0 };
  #holdMs = HOLD_MS_MIN;

  /** @param taken called when another process may have changed the records until now */
  constructor(store: Store, random: Random, time: Pick<Time, 'now' | 'sleep'>, taken: () => void) {
    this.#store = store;
    this.#time = time;
    this.#taken = taken;
    this.name = Buffer.from(random.bytes(NAME_BYTES)).toString('base64url');
  }

  /** Whether no other process has taken the records over since this one did. */
  async isOwn(): Promise<boolean> {
    const owner = await this.#read();
    return owner !== undefined && owner.version === this.#version;
  }

  /** The store may have lost that this process took the records over, and have given the version again. */
  doubt(): void {
    this.#version = undefined;
  }

  /**
   * Takes the records over if they are another process's. Returns the version of the entry for it. Throws
   * DealerError 503 if other processes are always first, for WAIT_MS_MAX.
   */
  take(): number | Promise<number> {
    if (this.#version !== undefined) return this.#version;
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  async #take(): Promise<number> {
    const endMs = this.#time.now() + WAIT_MS_MAX;
    for (let isMade = false; isMade || this.#time.now() < endMs; ) {
      const owner = await this.#read();
      if (owner?.value.name === this.name) {
        this.#version = owner.version;
        this.#taken();
        return owner.version;
      }
      if (owner !== undefined) await this.#leaveTime(owner);
      const { name } = this;
      isMade = await this.#store.commit(
        [{ key: keys.owner, version: owner?.version ?? null }],
        [{ key: keys.owner, value: { name, holdMs: this.#holdMs } satisfies Owner }],
      );
      // As long as it is enough, less is tried the next time.
      if (isMade) this.#holdMs = Math.max(HOLD_MS_MIN, this.#holdMs / 2);
    }
    throw tooManyChanges();
  }

  async #read(): Promise<Entry<Owner> | undefined> {
    const entry = await this.#store.get<Owner | string>(keys.owner);
    if (entry === undefined) return undefined;
    const { version, value } = entry;
    if (version !== this.#seen.version) this.#seen = { version, sinceMs: this.#time.now() };
    // An older release writes its name alone.
    return { ...entry, value: typeof value === 'string' ? { name: value, holdMs: 0 } : value };
  }

  async #leaveTime({ value }: Entry<Owner>): Promise<void> {
    const untilMs = this.#seen.sinceMs + Math.min(value.holdMs, HOLD_MS_MAX);
    const leftMs = untilMs - this.#time.now();
    if (leftMs > 0) await this.#time.sleep(leftMs);
  }

  /**
   * To be called when a commit failed that checked `version`: another process may have taken the records
   * over.
   * @param tookMs duration of the change
   */
  async commitFailed(version: number, tookMs: number): Promise<void> {
    if (this.#version === version) {
      const owner = await this.#read();
      if (owner?.version === version) return;
      // It may have taken them over again meanwhile.
      if (this.#version === version) this.#version = undefined;
    }
    this.#holdMs = Math.min(HOLD_MS_MAX, Math.max(this.#holdMs, 2 * tookMs));
  }
}
