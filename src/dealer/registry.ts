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
import { Ownership } from './ownership.ts';
import { type Edition, PAGE, Reader } from './reader.ts';
import { RecordTurns } from './record-turns.ts';
import { keys } from './records.ts';
import { Transaction } from './transaction.ts';

/** Attempts of a change before it gives up because of conflicts. */
const ATTEMPTS_MAX = 32;
const OTHER_GENERATION = { conflicts: [JSON.stringify(keys.generation)] };
const OWNER_KEY = JSON.stringify(keys.owner);

type RegistryTime = Pick<Time, 'immediate' | 'now' | 'sleep'>;

/** Of a change: its result, or the keys of the records that have changed meanwhile. */
type Attempt<T> = { value: T } | { conflicts: readonly string[] };

/** What every commit of a change relies on. */
interface Base {
  checks: readonly Check[];
  /** Version of the entry with which this process took the records over. */
  ownVersion: number;
  /** By `Time.now`. */
  sinceMs: number;
  lossCount: number;
}

/** Gets the writes of a commit once they are durable, in the order of the commits. */
export type CommitListener = (writes: readonly Write[]) => void;

/**
 * The records of the dealer platform, by generation. A reset writes a new generation beside the old
 * one and switches to it in the same commit, so a read or a change sees one generation only.
 *
 * One process changes the records at a time: each commit checks that this process is still their owner.
 * So what a process keeps of them in memory is complete if it follows its own commits, until its
 * `epoch` ends.
 */
export class Registry {
  readonly store: Store;
  /** For work on lists that dealers can make long. */
  readonly slices: Slices;
  readonly #time: RegistryTime;
  readonly #ownership: Ownership;
  readonly #listeners: CommitListener[] = [];
  /** The store held records before. */
  #isFilled = false;
  #epoch = 0;
  /** As of the last look: see Heartbeats. */
  #lossCount = 0;
  /** The edition up to which `#epoch` holds. */
  #checked: Edition = { generation: 0, revision: 0 };
  /** By what changes are about, and by the records over which they met a conflict. */
  readonly #turns = new RecordTurns();
  /** Attempts of changes. */
  readonly #underWay = new Set<Promise<unknown>>();
  /** While a change runs alone: ends when others may. */
  #alone: Promise<void> | undefined;

  constructor(store: Store, random: Random, time: RegistryTime) {
    this.store = store;
    this.slices = new Slices(time);
    this.#time = time;
    this.#ownership = new Ownership(store, random, time, () => {
      this.#epoch++;
    });
  }

  /** Distinguishes this process from all others that use the store. */
  get name(): string {
    return this.#ownership.name;
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

  /** Whoever keeps what it has read forgets it when this changes: see Heartbeats. */
  get lossCount(): number {
    return this.store.heartbeats?.lossCount ?? 0;
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
    const [edition, isOwn] = await Promise.all([this.edition(), this.#ownership.isOwn()]);
    const { generation, revision: checked } = this.#checked;
    const isSame = edition.generation === generation;
    // Somebody else has asked meanwhile.
    if (isSame && edition.revision === checked) return this.#epoch;
    // A store that was restored from a backup goes back.
    if (!isOwn || !isSame || edition.revision < checked) this.#epoch++;
    this.#checked = edition;
    return this.#epoch;
  }

  /** As `epoch`, if nothing has to be read for it; else undefined. */
  knownEpoch(revision: number): number | undefined {
    this.#noteLosses();
    return revision === this.#checked.revision ? this.#epoch : undefined;
  }

  /** What it knew before counts no more. Returns how many losses there were. */
  #noteLosses(): number {
    const { lossCount } = this;
    if (lossCount !== this.#lossCount) {
      this.#lossCount = lossCount;
      this.#epoch++;
      this.#checked = { generation: 0, revision: 0 };
      this.#ownership.doubt();
    }
    return lossCount;
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
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const done = await this.#attempt(work);
      if ('value' in done) return done.value;
      const { conflicts } = done;
      if (conflicts.length > 0) return this.#turns.take(conflicts, () => this.#repeat(work));
    }
    throw tooManyChanges();
  }

  async #repeat<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const done = await this.#attempt(work);
      if ('value' in done) return done.value;
    }
    throw tooManyChanges();
  }

  /**
   * As `change`, for one that takes so long that others would always be first: the other changes of this
   * process wait for it, and mirrors have all that was changed before. It commits only if no record at all
   * has changed meanwhile.
   */
  async changeAlone<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    while (this.#alone) await this.#alone;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#alone = promise;
    try {
      await Promise.allSettled(this.#underWay);
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const done = await this.#attemptNow((transaction) => {
          transaction.checkEverything();
          return work(transaction);
        });
        if ('value' in done) return done.value;
      }
      throw tooManyChanges();
    } finally {
      this.#alone = undefined;
      resolve();
    }
  }

  async #attempt<T>(work: (transaction: Transaction) => Promise<T>): Promise<Attempt<T>> {
    while (this.#alone) await this.#alone;
    const attempt = this.#attemptNow(work);
    this.#underWay.add(attempt);
    try {
      return await attempt;
    } finally {
      this.#underWay.delete(attempt);
    }
  }

  async #attemptNow<T>(work: (transaction: Transaction) => Promise<T>): Promise<Attempt<T>> {
    const edition = await this.edition();
    const base = await this.#base(edition);
    if (base === undefined) return OTHER_GENERATION;
    const transaction = new Transaction(this.store, edition);
    const [outcome] = await Promise.allSettled([work(transaction)]);
    if (outcome.status === 'rejected' || transaction.isEmpty) {
      const isCurrent = (await this.edition()).generation === edition.generation;
      return isCurrent ? { value: resultOf(outcome) } : OTHER_GENERATION;
    }
    const checks = [...base.checks, ...transaction.checks];
    if (await this.#commit(base, checks, transaction.writes)) return { value: outcome.value };
    return { conflicts: await this.#conflicts(checks) };
  }

  /**
   * The keys of the records that no longer have the version of their check. None if another process has
   * taken the records over: changes that failed for that do not meet each other.
   */
  async #conflicts(checks: readonly Check[]): Promise<string[]> {
    const entries = await Promise.all(checks.map(({ key }) => this.store.get(key)));
    return checks
      .filter(({ version }, i) => (entries[i]?.version ?? null) !== version)
      .map(({ key }) => JSON.stringify(key))
      .filter((key) => key !== OWNER_KEY);
  }

  /** Returns false if a check failed. */
  async #commit(
    { ownVersion, sinceMs, lossCount }: Base,
    checks: readonly Check[],
    writes: readonly Write[],
  ): Promise<boolean> {
    // The store may have given the versions of the checks again.
    if (this.lossCount !== lossCount) return false;
    try {
      const isMade = await this.store.commit(checks, writes);
      if (isMade) for (const listener of this.#listeners) listener(writes);
      else await this.#ownership.commitFailed(ownVersion, this.#time.now() - sinceMs);
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

  /** Undefined while another process switches generations. */
  async #base({ generation }: Edition): Promise<Base | undefined> {
    const lossCount = this.#noteLosses();
    const entry = await this.store.get<number>(keys.generation);
    if ((entry?.value ?? 0) !== generation) return undefined;
    const ownVersion = await this.takeOver();
    const checks = [
      { key: keys.generation, version: entry?.version ?? null },
      { key: keys.owner, version: ownVersion },
    ];
    return { checks, ownVersion, sinceMs: this.#time.now(), lossCount };
  }

  /** Takes the records over if they are another process's; see `Ownership.take`. */
  takeOver(): number | Promise<number> {
    return this.#ownership.take();
  }

  /**
   * Writes the generation after `from` and makes it current. Returns false if `from` no longer is. Throws
   * DealerError 503 if other processes keep it from that.
   * @param writes called for each attempt; what it reads by the transaction must be so at the commit
   */
  async switchFrom(
    from: Edition,
    writes: (generation: number, transaction: Transaction) => Promise<Write[]>,
  ): Promise<boolean> {
    const generation = from.generation + 1;
    const pointers = [keys.generation, keys.revision].map((key) => ({ key, value: generation }));
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const base = await this.#base(from);
      if (base === undefined) return false;
      const transaction = new Transaction(this.store, from);
      let made: Write[];
      try {
        made = await writes(generation, transaction);
      } catch (error) {
        // What it reads is removed once another generation is current.
        if ((await this.edition()).generation !== from.generation) return false;
        throw error;
      }
      const all = [...made, ...pointers];
      const checks = [...base.checks, ...transaction.checks];
      if (await this.#commit(base, checks, all)) return true;
    }
    throw tooManyChanges();
  }

  /**
   * Removes the records below a prefix up to the key `before`, page by page, as long as `checks` hold.
   * @param also further keys to remove for each key that was found
   */
  async removeBefore(
    prefix: Key,
    before: Key,
    { also = () => [], checks = [] }: { also?: (key: Key) => Key[]; checks?: readonly Check[] },
  ): Promise<void> {
    for (;;) {
      const page = await this.store.list(prefix, { limit: PAGE, before });
      if (page.length === 0) return;
      const removed = page.flatMap(({ key }) => [key, ...also(key)]);
      const writes = removed.map((key) => ({ key, remove: true as const }));
      if (!(await this.store.commit(checks, writes))) return;
    }
  }

  /** Removes the records of older generations. */
  async sweep(): Promise<void> {
    const entry = await this.store.get<number>(keys.generation);
    if (entry === undefined) return;
    // A store that has lost its last writes may be back in an older generation.
    const checks = [{ key: keys.generation, version: entry.version }];
    await this.removeBefore(keys.root, keys.all(entry.value), { checks });
  }
}

function resultOf<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
