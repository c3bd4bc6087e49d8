import type { Random } from '../random.ts';
import { Slices } from '../slices.ts';
import {
  type Check,
  type Key,
  type Store,
  StoreUnavailable,
  type Write,
} from '../store/contract.ts';
import type { Time } from '../time.ts';
import { tooManyChanges } from './errors.ts';
import { type Edition, PAGE, Reader } from './reader.ts';
import { RecordTurns } from './record-turns.ts';
import { keys } from './records.ts';
import { Transaction } from './transaction.ts';

/** Attempts of a change before it gives up because of conflicts. */
const ATTEMPTS_MAX = 32;
const NAME_BYTES = 12;
const OTHER_GENERATION = { conflicts: [JSON.stringify(keys.generation)] };

/** Of a change: its result, or the keys of the records that have changed meanwhile. */
type Attempt<T> = { value: T } | { conflicts: readonly string[] };

/** Gets the writes of a commit once they are durable, in the order of the commits. */
export type CommitListener = (writes: readonly Write[]) => void;

/**
 * The records of the dealer platform, by generation. A reset writes a new generation beside the old
 * one and switches to it in the same commit, so a read or a change sees one generation only.
 *
 * One process changes the records at a time: each commit checks that this process is still the one
 * that took them over last. So what a process keeps of them in memory is complete if it follows its
 * own commits, until its `epoch` ends.
 */
export class Registry {
  readonly store: Store;
  /** Distinguishes this process from all others that use the store. */
  readonly name: string;
  /** For work on lists that dealers can make long. */
  readonly slices: Slices;
  /** Version of the entry with which this process took the records over. */
  #ownVersion: number | undefined;
  #takingOver: Promise<number> | undefined;
  readonly #listeners: CommitListener[] = [];
  /** The store held records before. */
  #isFilled = false;
  #epoch = 0;
  /** The edition up to which `#epoch` holds. */
  #checked: Edition = { generation: 0, revision: 0 };
  /** By what changes are about, and by the records over which they met a conflict. */
  readonly #turns = new RecordTurns();

  constructor(store: Store, random: Random, time: Pick<Time, 'immediate'>) {
    this.store = store;
    this.slices = new Slices(time);
    this.name = Buffer.from(random.bytes(NAME_BYTES)).toString('base64url');
  }

  /** Throws StoreUnavailable if the store has lost its records. */
  async edition(): Promise<Edition> {
    const entry = await this.store.get<number>(keys.revision);
    if (entry === undefined) {
      if (this.#isFilled) throw new StoreUnavailable('failed', new Error('the records are gone'));
      return { generation: 0, revision: 0 };
    }
    this.#isFilled = true;
    return { generation: entry.value, revision: entry.version };
  }

  onCommit(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  /**
   * A number that stays the same as long as `onCommit` reports every change of the records. After
   * another number, what was read before may be outdated.
   * @param revision that the caller has seen
   */
  async epoch(revision: number): Promise<number> {
    const known = this.knownEpoch(revision);
    if (known !== undefined) return known;
    const [edition, writer] = await Promise.all([this.edition(), this.store.get(keys.writer)]);
    const isOwn = writer !== undefined && writer.version === this.#ownVersion;
    const { generation, revision: checked } = this.#checked;
    // A store that was restored from a backup goes back.
    if (!isOwn || edition.generation !== generation || edition.revision < checked) this.#epoch++;
    this.#checked = edition;
    return this.#epoch;
  }

  /** As `epoch`, if nothing has to be read for it; else undefined. */
  knownEpoch(revision: number): number | undefined {
    return revision === this.#checked.revision ? this.#epoch : undefined;
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
   * has changed meanwhile. Changes for which the same record had changed are repeated one after
   * another, so that they do not meet each other again. Throws DealerError 503 after too many
   * conflicts.
   * @param subject what it changes in any case: changes of it go one after another from the start
   */
  async change<T>(work: (transaction: Transaction) => Promise<T>, subject?: string): Promise<T> {
    if (subject !== undefined) return this.#turns.take([subject], () => this.#repeat(work));
    const first = await this.#attempt(work);
    if ('value' in first) return first.value;
    return this.#turns.take(first.conflicts, () => this.#repeat(work));
  }

  async #repeat<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const done = await this.#attempt(work);
      if ('value' in done) return done.value;
    }
    throw tooManyChanges();
  }

  async #attempt<T>(work: (transaction: Transaction) => Promise<T>): Promise<Attempt<T>> {
    const edition = await this.edition();
    const common = await this.#commonChecks(edition);
    if (common === undefined) return OTHER_GENERATION;
    const transaction = new Transaction(this.store, edition);
    const [outcome] = await Promise.allSettled([work(transaction)]);
    if (outcome.status === 'rejected' || transaction.isEmpty) {
      const isCurrent = (await this.edition()).generation === edition.generation;
      return isCurrent ? { value: resultOf(outcome) } : OTHER_GENERATION;
    }
    const checks = [...common, ...transaction.checks];
    if (await this.#commit(checks, transaction.writes)) return { value: outcome.value };
    return { conflicts: await this.#failed(checks) };
  }

  /** The keys that no longer have the version of their check. */
  async #failed(checks: readonly Check[]): Promise<string[]> {
    const entries = await Promise.all(checks.map(({ key }) => this.store.get(key)));
    return checks
      .filter(({ version }, i) => (entries[i]?.version ?? null) !== version)
      .map(({ key }) => JSON.stringify(key));
  }

  /** Returns false if a check failed. */
  async #commit(checks: readonly Check[], writes: readonly Write[]): Promise<boolean> {
    try {
      const isMade = await this.store.commit(checks, writes);
      if (isMade) for (const listener of this.#listeners) listener(writes);
      // Another process may have taken the records over.
      else await this.#checkOwnership();
      return isMade;
    } catch (error) {
      if (error instanceof StoreUnavailable && error.reason === 'unknown') {
        // It may have been made already, or be made later.
        this.#epoch++;
        void error.settled?.then(() => this.#epoch++);
      }
      throw error;
    }
  }

  async #checkOwnership(): Promise<void> {
    const writer = await this.store.get(keys.writer);
    if (writer?.version !== this.#ownVersion) this.#ownVersion = undefined;
  }

  async #writeOwnership(): Promise<number> {
    for (;;) {
      await this.store.commit([], [{ key: keys.writer, value: this.name }]);
      const writer = await this.store.get(keys.writer);
      if (writer?.value !== this.name) continue;
      // The former one may have made changes until now.
      this.#epoch++;
      this.#ownVersion = writer.version;
      return writer.version;
    }
  }

  /** The checks of every commit. Undefined while another process switches generations. */
  async #commonChecks({ generation }: Edition): Promise<readonly Check[] | undefined> {
    const entry = await this.store.get<number>(keys.generation);
    if ((entry?.value ?? 0) !== generation) return undefined;
    return [
      { key: keys.generation, version: entry?.version ?? null },
      { key: keys.writer, version: await this.takeOver() },
    ];
  }

  /** Takes the records over if they are another process's. Returns the version of the entry for it. */
  takeOver(): number | Promise<number> {
    if (this.#ownVersion !== undefined) return this.#ownVersion;
    this.#takingOver ??= this.#writeOwnership().finally(() => {
      this.#takingOver = undefined;
    });
    return this.#takingOver;
  }

  /** Writes the generation after `from` and makes it current. Returns false if another one is. */
  async switchFrom(from: Edition, writes: (generation: number) => Write[]): Promise<boolean> {
    const checks = await this.#commonChecks(from);
    if (checks === undefined) return false;
    const generation = from.generation + 1;
    const pointers = [keys.generation, keys.revision].map((key) => ({ key, value: generation }));
    return this.#commit(checks, [...writes(generation), ...pointers]);
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

function resultOf<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
