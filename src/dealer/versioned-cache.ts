import { LRUCache } from 'lru-cache';

/** What was made of the records, and is good as long as none of them changes. */
export class VersionedCache<T extends object> {
  readonly #values: LRUCache<string, { revision: number; value: T }>;

  constructor(max: number) {
    this.#values = new LRUCache({ max });
  }

  /**
   * The value at a key, made anew where something has changed since it was made, or where it is
   * not good any more for another reason.
   * @param revision of an edition that was current when the caller began
   */
  async read(
    key: string,
    revision: number,
    make: () => Promise<T>,
    isGood: (value: T) => boolean = () => true,
  ): Promise<T> {
    const known = this.#values.get(key);
    if (known?.revision === revision && isGood(known.value)) return known.value;
    // Something newer may find its way in; the revision is then of the past, and never asked for again.
    const value = await make();
    this.#values.set(key, { revision, value });
    return value;
  }
}
