import { LRUCache } from 'lru-cache';

/** Keys are callers. */
const KEYS_MAX = 64;

/** Values computed from records, valid until a record changes. */
export class VersionedCache<T extends object> {
  readonly #values = new LRUCache<string, { revision: number; value: T }>({ max: KEYS_MAX });

  /**
   * The value at a key; computed again after a change of the store or if it fails `isGood`.
   * @param revision of the store when the caller began
   */
  async read(
    key: string,
    revision: number,
    make: () => Promise<T>,
    isGood: (value: T) => boolean = () => true,
  ): Promise<T> {
    const known = this.#values.get(key);
    if (known?.revision === revision && isGood(known.value)) return known.value;
    // The value may be newer than the revision. That is harmless: no caller asks for an old one.
    const value = await make();
    this.#values.set(key, { revision, value });
    return value;
  }
}
