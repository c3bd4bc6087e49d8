import type { Check, Key, Store, Write } from '../store/contract.ts';
import { busy } from './errors.ts';
import { type Edition, PAGE, Reader } from './reader.ts';
import { keys } from './records.ts';
import { Transaction } from './transaction.ts';

/** Attempts of a change before it gives up because of conflicts. */
const ATTEMPTS_MAX = 32;
/** Changes that met a conflict and wait for their turn; further ones are refused. */
const WAITING_MAX = 512;

/**
 * The records of the dealer platform, by generation. A reset writes a new generation beside the old
 * one and switches to it in the same commit, so a read or a change sees one generation only.
 */
export class Registry {
  readonly store: Store;
  /** Ends when all changes that are repeated have ended. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(store: Store) {
    this.store = store;
  }

  async edition(): Promise<Edition> {
    const entry = await this.store.get<number>(keys.revision);
    return { generation: entry?.value ?? 0, revision: entry?.version ?? 0 };
  }

  /** The result of `work`, which is repeated if a reset happened meanwhile. */
  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    for (;;) {
      const edition = await this.edition();
      const [outcome] = await Promise.allSettled([work(new Reader(this.store, edition))]);
      if ((await this.edition()).generation === edition.generation) return resultOf(outcome);
    }
  }

  /**
   * The result of `work` once all its writes are durable. It is repeated if a record that it read
   * has changed meanwhile. Changes that met such a conflict are repeated one after another, so that
   * they do not meet each other again. Throws DealerError 503 after too many conflicts.
   */
  async change<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const first = await this.#attempt(work);
    return first ? first.value : this.#inTurn(() => this.#repeat(work));
  }

  async #repeat<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const done = await this.#attempt(work);
      if (done) return done.value;
    }
    throw tooManyChanges();
  }

  /** Undefined if a record, or the generation, has changed meanwhile. */
  async #attempt<T>(
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<{ value: T } | undefined> {
    const edition = await this.edition();
    const generation = await this.#generationCheck(edition);
    if (generation === undefined) return undefined;
    const transaction = new Transaction(this.store, edition);
    const [outcome] = await Promise.allSettled([work(transaction)]);
    if (outcome.status === 'rejected' || transaction.isEmpty) {
      const isCurrent = (await this.edition()).generation === edition.generation;
      return isCurrent ? { value: resultOf(outcome) } : undefined;
    }
    return (await transaction.commit(generation)) ? { value: outcome.value } : undefined;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= WAITING_MAX) throw tooManyChanges();
    this.#waiting++;
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#waiting--;
    }
  }

  /** Undefined while another node switches generations. */
  async #generationCheck({ generation }: Edition): Promise<Check | undefined> {
    const entry = await this.store.get<number>(keys.generation);
    if ((entry?.value ?? 0) !== generation) return undefined;
    return { key: keys.generation, version: entry?.version ?? null };
  }

  /** Writes the generation after `from` and makes it current. Returns false if another one is. */
  async switchFrom(from: Edition, writes: (generation: number) => Write[]): Promise<boolean> {
    const check = await this.#generationCheck(from);
    if (check === undefined) return false;
    const generation = from.generation + 1;
    const pointers = [keys.generation, keys.revision].map((key) => ({ key, value: generation }));
    return this.store.commit([check], [...writes(generation), ...pointers]);
  }

  /**
   * Removes the records below a prefix up to the key `before`, page by page.
   * @param also further keys to remove for each key that was found
   */
  async removeBefore(
    prefix: Key,
    before: Key,
    also: (key: Key) => Key[] = () => [],
  ): Promise<void> {
    for (;;) {
      const page = await this.store.list(prefix, { limit: PAGE, before });
      if (page.length === 0) return;
      const removed = page.flatMap(({ key }) => [key, ...also(key)]);
      const writes = removed.map((key) => ({ key, remove: true as const }));
      await this.store.commit([], writes);
    }
  }

  /** Removes the records of older generations. */
  async sweep(): Promise<void> {
    const { generation } = await this.edition();
    await this.removeBefore(keys.root, keys.all(generation));
  }
}

function tooManyChanges() {
  return busy('Too many changes at the same time; nothing was changed.', 1);
}

function resultOf<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
