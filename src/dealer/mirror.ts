import { SLICE_ITEMS } from '../slices.ts';
import type { Key, Write } from '../store/contract.ts';
import type { Reader } from './reader.ts';
import type { Registry } from './registry.ts';
import { type Ordered, SortedItems } from './sorted-items.ts';

/** One kind of records, and what the mirror keeps of each. */
export interface Kind<R, T extends Ordered> {
  /** The keys of its records have one part more. */
  prefix(generation: number): Key;
  /** @param former of the same record; its order is the same */
  itemOf(record: R, former: T | undefined): T;
}

/** What follows from the items of a mirror: numbers of them, or parts of their list. */
export interface Tally<T> {
  /** Counts an item that came (1) or went (-1). */
  count(item: T, by: 1 | -1): void;
  clear(): void;
}

/** The items at one moment. */
export interface Snapshot<T> {
  /** In their order; the array does not change later. */
  items: readonly T[];
  /** Changes with every change of the items; no other process ever has the same. */
  stamp: string;
}

/** Records are read so often to have them all as of one moment. */
const LOADS_MAX = 4;

interface Loaded<T extends Ordered> {
  epoch: number;
  generation: number;
  byId: Map<string, T>;
  sorted: SortedItems<T>;
}

/**
 * All records of one kind in memory, so that a changed record costs no more than itself. It follows
 * the commits of this process. It reads all records again if another process may have changed some.
 */
export class Mirror<R, T extends Ordered> {
  readonly #registry: Registry;
  readonly #kind: Kind<R, T>;
  readonly #tally: Tally<T> | undefined;
  #loaded: Loaded<T> | undefined;
  #loading: Promise<void> | undefined;
  /** Commits that ended while the records were read. */
  #missed: (readonly Write[])[] | undefined;
  /** Ends when the commits that are followed in slices are followed. */
  #following: Promise<void> | undefined;
  #changes = 0;

  constructor(registry: Registry, kind: Kind<R, T>, tally?: Tally<T>) {
    this.#registry = registry;
    this.#kind = kind;
    this.#tally = tally;
    registry.onCommit((writes) => {
      this.#missed?.push(writes);
      if (this.#loaded && !this.#missed) this.#follow(this.#loaded, writes);
    });
  }

  read(revision: number): Snapshot<T> | Promise<Snapshot<T>> {
    const loaded = this.#following === undefined ? this.#loaded : undefined;
    const isCurrent = loaded?.epoch === this.#registry.knownEpoch(revision);
    return loaded && isCurrent ? this.#snapshot(loaded) : this.#readLater(revision);
  }

  #snapshot({ sorted }: Loaded<T>): Snapshot<T> {
    return { items: sorted.snapshot, stamp: `${this.#registry.name}.${this.#changes}` };
  }

  async #readLater(revision: number): Promise<Snapshot<T>> {
    const wanted = await this.#registry.epoch(revision);
    for (let loads = 0; ; loads++) {
      const epoch = await this.#registry.epoch(revision);
      // While another process changes records all the time, no load may end with the newest ones.
      const least = loads < LOADS_MAX ? epoch : wanted;
      if (this.#loaded !== undefined && this.#loaded.epoch >= least) {
        if (this.#following) {
          await this.#following;
          continue;
        }
        return this.#snapshot(this.#loaded);
      }
      this.#loading ??= this.#load(epoch).finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
  }

  async #load(epoch: number): Promise<void> {
    this.#missed = [];
    try {
      await this.#following;
      const { items, generation } = await this.#registry.read(async (reader) => ({
        items: await this.#itemsOf(reader),
        generation: reader.generation,
      }));
      const loaded = await this.#replace(items, { epoch, generation });
      for (const writes of this.#missed) await this.#applyAll(loaded, writes);
      this.#loaded = loaded;
    } finally {
      this.#missed = undefined;
    }
  }

  async #itemsOf(reader: Reader): Promise<[string, T][]> {
    const former = this.#loaded?.byId;
    const items: [string, T][] = [];
    for await (const page of reader.pages<R>(this.#kind.prefix(reader.generation))) {
      for (const { key, value } of page) {
        const id = String(key.at(-1));
        items.push([id, this.#kind.itemOf(value, former?.get(id))]);
      }
    }
    return items;
  }

  async #replace(
    items: readonly [string, T][],
    edition: Pick<Loaded<T>, 'epoch' | 'generation'>,
  ): Promise<Loaded<T>> {
    const byId = new Map<string, T>();
    this.#tally?.clear();
    await this.#registry.slices.each(items, ([id, item]) => {
      byId.set(id, item);
      this.#tally?.count(item, 1);
    });
    this.#changes++;
    return { ...edition, byId, sorted: new SortedItems(items.map(([, item]) => item)) };
  }

  /** Follows a commit: a short one at once, a long one in slices, both in the order of commits. */
  #follow(loaded: Loaded<T>, writes: readonly Write[]): void {
    if (this.#following === undefined && writes.length <= SLICE_ITEMS) {
      for (const write of writes) this.#apply(loaded, write);
      return;
    }
    const before = this.#following ?? Promise.resolve();
    const following = before.then(() => this.#applyAll(loaded, writes));
    this.#following = following;
    void following.then(() => {
      if (this.#following === following) this.#following = undefined;
    });
  }

  #applyAll(loaded: Loaded<T>, writes: readonly Write[]): Promise<void> {
    return this.#registry.slices.each(writes, (write) => this.#apply(loaded, write));
  }

  #apply({ generation, byId, sorted }: Loaded<T>, write: Write): void {
    const prefix = this.#kind.prefix(generation);
    const { key } = write;
    if (key.length !== prefix.length + 1 || !prefix.every((part, i) => part === key[i])) return;
    const id = String(key.at(-1));
    const former = byId.get(id);
    this.#changes++;
    if (former) this.#tally?.count(former, -1);
    if ('remove' in write) {
      byId.delete(id);
      if (former) sorted.remove(former.order);
      return;
    }
    const item = this.#kind.itemOf(write.value as R, former);
    byId.set(id, item);
    sorted.put(item);
    this.#tally?.count(item, 1);
  }

  /** Makes clients read the items again, although no record has changed. */
  touch(): void {
    this.#changes++;
  }
}
