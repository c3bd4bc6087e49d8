import type {
  Check,
  Claims,
  Entry,
  Grant,
  Heartbeats,
  Key,
  Page,
  Store,
  Write,
} from '../store/contract.ts';

/** A store of which only some partitions are used: reads of the others, which are empty, cost nothing. */
export class SparseStore implements Store {
  readonly #inner: Store;
  readonly heartbeats: Heartbeats | undefined;
  readonly #used: ReadonlySet<number>;

  constructor(inner: Store, used: readonly number[]) {
    this.#inner = inner;
    this.heartbeats = inner.heartbeats;
    this.#used = new Set(used);
  }

  get engine(): Store['engine'] {
    return this.#inner.engine;
  }

  get claims(): Claims {
    return this.#inner.claims;
  }

  serve(): void {
    this.#inner.serve?.();
  }

  #isUsed(key: Key): boolean {
    return key[0] !== 'p' || this.#used.has(Number(key[1]));
  }

  async get<T>(key: Key): Promise<Entry<T> | undefined> {
    return this.#isUsed(key) ? this.#inner.get<T>(key) : undefined;
  }

  async list<T>(prefix: Key, page: Page): Promise<Entry<T>[]> {
    return this.#isUsed(prefix) ? this.#inner.list<T>(prefix, page) : [];
  }

  commit(checks: readonly Check[], writes: readonly Write[], grant?: Grant): Promise<boolean> {
    return this.#inner.commit(checks, writes, grant);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
