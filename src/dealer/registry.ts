import type { Check, Store, Write } from '../store/contract.ts';
import { busy, orUnavailable } from './errors.ts';
import { type Edition, Reader } from './reader.ts';
import { keys } from './records.ts';
import { Transaction } from './transaction.ts';

const PAGE = 1000;
/** So often a change is begun anew that others got in the way of. */
const ATTEMPTS_MAX = 32;

/**
 * The records of the dealer platform, by generation: a reset writes a new one beside the old and
 * switches to it in the same commit. What is read or changed belongs to one generation as a whole.
 */
export class Registry {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  /** Throws DealerError 503. */
  async edition(): Promise<Edition> {
    const entry = await orUnavailable(this.store.get<number>(keys.revision));
    return { generation: entry?.value ?? 0, revision: entry?.version ?? 0 };
  }

  /** The result of `work`, which is done again where a reset came between. */
  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    for (;;) {
      const edition = await this.edition();
      const outcome = await settled(work(new Reader(this.store, edition)));
      if ((await this.edition()).generation === edition.generation) return outcome();
    }
  }

  /**
   * The result of `work`, whose writes are durable then, all of them. It is done again where what
   * it read has changed meanwhile.
   */
  async change<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const edition = await this.edition();
      const generation = await this.#generationCheck(edition);
      if (generation === undefined) continue;
      const transaction = new Transaction(this.store, edition);
      const outcome = await settled(work(transaction));
      if (!outcome.isDone || transaction.isEmpty) {
        if ((await this.edition()).generation === edition.generation) return outcome();
      } else if (await transaction.commit(generation)) {
        return outcome();
      }
    }
    throw busy('Too many changes at the same time; nothing was changed.', 1);
  }

  /** Undefined where the switch is just being made. */
  async #generationCheck({ generation }: Edition): Promise<Check | undefined> {
    const entry = await orUnavailable(this.store.get<number>(keys.generation));
    if ((entry?.value ?? 0) !== generation) return undefined;
    return { key: keys.generation, version: entry?.version ?? null };
  }

  /** Makes `writes` of the generation behind `from`, and that one the current. False: too late. */
  async switchFrom(from: Edition, writes: (generation: number) => Write[]): Promise<boolean> {
    const check = await this.#generationCheck(from);
    if (check === undefined) return false;
    const generation = from.generation + 1;
    const pointers = [keys.generation, keys.revision].map((key) => ({ key, value: generation }));
    return orUnavailable(this.store.commit([check], [...writes(generation), ...pointers]));
  }

  /** Removes what older generations have left. */
  async sweep(): Promise<void> {
    const { generation } = await this.edition();
    for (;;) {
      const page = { limit: PAGE, before: keys.all(generation) };
      const old = await orUnavailable(this.store.list(keys.root, page));
      if (old.length === 0) return;
      const writes = old.map(({ key }) => ({ key, remove: true as const }));
      await orUnavailable(this.store.commit([], writes));
    }
  }
}

/** How something ended, to be told later: by its result, or by throwing what it threw. */
async function settled<T>(work: Promise<T>): Promise<(() => T) & { isDone: boolean }> {
  try {
    const result = await work;
    return Object.assign(() => result, { isDone: true });
  } catch (error) {
    const fail = (): T => {
      throw error;
    };
    return Object.assign(fail, { isDone: false });
  }
}
