import type { Clock } from '../clock.ts';
import { PARTITION_COUNT } from '../limits.ts';
import type { Key } from '../store/contract.ts';
import type { Time } from '../time.ts';
import type { Worlds } from './worlds.ts';

const PAGE = 1000;
/** A count is reused for so many times as long as it took: it costs 2 % of the time at most. */
const REUSE_FACTOR = 50;

/** Counts the living worlds of the store, by the idle index. */
export class WorldCount {
  readonly #worlds: Pick<Worlds, 'idle' | 'records'>;
  readonly #clock: Clock;
  readonly #time: Time;
  #count = 0;
  #goodUntilMs = 0;
  #counting: Promise<number> | undefined;

  constructor(worlds: Pick<Worlds, 'idle' | 'records'>, clock: Clock, time: Time) {
    this.#worlds = worlds;
    this.#clock = clock;
    this.#time = time;
  }

  /** Throws TwinError `store_unavailable`. */
  async read(): Promise<number> {
    if (this.#clock.now() < this.#goodUntilMs) return this.#count;
    this.#counting ??= this.#recount().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #recount(): Promise<number> {
    const startMs = this.#clock.now();
    const first = this.#worlds.idle.firstLivingSlot(startMs);
    let count = 0;
    for (let partition = 0; partition < PARTITION_COUNT; partition++) {
      count += await this.#countPartition(partition, first);
    }
    const endMs = this.#clock.now();
    this.#count = count;
    this.#goodUntilMs = endMs + REUSE_FACTOR * (endMs - startMs);
    return count;
  }

  async #countPartition(partition: number, first: number): Promise<number> {
    // Sorts before every key of the first slot.
    let after: Key = ['p', partition, 'due', first - 0.5];
    for (let count = 0; ; ) {
      const page = await this.#worlds.records.fallenDue(partition, Number.MAX_VALUE, PAGE, after);
      count += page.length;
      if (page.length < PAGE) return count;
      after = page.at(-1)?.key ?? after;
      await new Promise<void>((resolve) => void this.#time.immediate(resolve));
    }
  }
}
