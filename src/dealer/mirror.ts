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

/** Figures about the items of a mirror. */
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
  #changes = 0;

  constructor(registry: Registry, kind: Kind<R, T>, tally?: Tally<T>) {
    this.#registry = registry;
    this.#kind = kind;
    this.#tally = tally;
    registry.onCommit((writes) => {
      this.#missed?.push(writes);
      if (this.#loaded && !this.#missed) this.#apply(this.#loaded, writes);
    });
  }

  async read(revision: number): Promise<Snapshot<T>> {
    for (;;) {
      const epoch = await this.#registry.epoch(revision);
      if (this.#loaded?.epoch === epoch) {
        const { snapshot: items } = this.#loaded.sorted;
        return { items, stamp: `${this.#registry.name}.${this.#changes}` };
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
      const { records, generation } = await this.#registry.read(async (reader) => ({
        records: await this.#recordsOf(reader),
        generation: reader.generation,
      }));
      this.#replace(records, { epoch, generation });
      const loaded = this.#loaded;
      for (const writes of this.#missed) if (loaded) this.#apply(loaded, writes);
    } finally {
      this.#missed = undefined;
    }
  }

  async #recordsOf(reader: Reader): Promise<[string, R][]> {
    const found = await reader.entriesBelow<R>(this.#kind.prefix(reader.generation));
    return found.map(({ key, value }) => [String(key.at(-1)), value]);
  }

  #replace(records: [string, R][], edition: Pick<Loaded<T>, 'epoch' | 'generation'>): void {
    const former = this.#loaded?.byId;
    const items = records.map(([id, record]): [string, T] => [
      id,
      this.#kind.itemOf(record, former?.get(id)),
    ]);
    this.#tally?.clear();
    for (const [, item] of items) this.#tally?.count(item, 1);
    const sorted = new SortedItems(items.map(([, item]) => item));
    this.#loaded = { ...edition, byId: new Map(items), sorted };
    this.#changes++;
  }

  #apply({ generation, byId, sorted }: Loaded<T>, writes: readonly Write[]): void {
    const prefix = this.#kind.prefix(generation);
    for (const write of writes) {
      const { key } = write;
      if (key.length !== prefix.length + 1 || !prefix.every((part, i) => part === key[i])) continue;
      const id = String(key.at(-1));
      const former = byId.get(id);
      this.#changes++;
      if (former) this.#tally?.count(former, -1);
      if ('remove' in write) {
        byId.delete(id);
        if (former) sorted.remove(former.order);
        continue;
      }
      const item = this.#kind.itemOf(write.value as R, former);
      byId.set(id, item);
      sorted.put(item);
      this.#tally?.count(item, 1);
    }
  }

  /** Makes clients read the items again, although no record has changed. */
  touch(): void {
    this.#changes++;
  }
}
