import type { Key, Store } from '../store/contract.ts';

/** The value at a key. The first node that needs it makes it; other nodes read the same value. */
export async function storedOnce<T>(store: Store, key: Key, make: () => T): Promise<T> {
  for (;;) {
    const entry = await store.get<T>(key);
    if (entry !== undefined) return entry.value;
    await store.commit([{ key, version: null }], [{ key, value: make() }]);
  }
}
