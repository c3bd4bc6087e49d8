import { DEATH_WINDOW_MS } from '../limits.ts';
import type { Key, Store } from '../store/contract.ts';
import type { Records } from './records.ts';
import { orUnavailable } from './write-errors.ts';

/** The end of a shard's thread while it stepped a world. `atMs`: on the clock of the worlds. */
interface Death {
  world: number;
  atMs: number;
}

/**
 * The worlds of a partition on which threads have died within DEATH_WINDOW_MS. The store has them too:
 * the next holder of the partition must not lose its threads to the same world.
 */
export class Suspects {
  readonly #store: Store;
  readonly #records: Records;
  readonly #key: Key;
  #deaths: readonly Death[] = [];
  #reading: Promise<void> | undefined;

  constructor(store: Store, records: Records) {
    this.#store = store;
    this.#records = records;
    this.#key = ['p', records.grant.partition, 'deaths'];
  }

  /** Reads what earlier holders have left, once. Throws TwinError `store_unavailable`. */
  read(): Promise<void> {
    this.#reading ??= this.#read().catch((error) => {
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const earlier = await orUnavailable(this.#store.get<readonly Death[]>(this.#key));
    this.#deaths = [...(earlier?.value ?? []), ...this.#deaths];
  }

  /** When threads have died on a world, as far as it is known. */
  deathsOf(world: number, nowMs: number): readonly number[] {
    const deaths = this.#recent(nowMs).filter((death) => death.world === world);
    return deaths.map(({ atMs }) => atMs);
  }

  #recent(nowMs: number): readonly Death[] {
    return this.#deaths.filter(({ atMs }) => nowMs - atMs < DEATH_WINDOW_MS);
  }

  /** Resolves once it is stored. Throws TwinError `store_unavailable`; it is known here all the same. */
  async noteDeath(world: number, nowMs: number): Promise<void> {
    this.#deaths = [...this.#recent(nowMs), { world, atMs: nowMs }];
    await this.read();
    await this.#records.write([{ key: this.#key, value: this.#recent(nowMs) }]);
  }
}
