import { randomBytes } from 'node:crypto';
import type { Key, Store } from '../store/contract.ts';

/** The random bytes at a key, which are made once, by whichever node comes first. */
export async function storedKey(store: Store, key: Key, bytes: number): Promise<Uint8Array> {
  for (;;) {
    const entry = await store.get<Uint8Array>(key);
    if (entry !== undefined) return entry.value;
    await store.commit([{ key, version: null }], [{ key, value: randomBytes(bytes) }]);
  }
}
