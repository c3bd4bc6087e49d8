import type { Random } from '../random.ts';
import type { Key, Store } from '../store/contract.ts';

/** The random bytes stored at a key. The first node that needs them creates them. */
export async function storedKey(
  store: Store,
  random: Random,
  key: Key,
  bytes: number,
): Promise<Uint8Array> {
  for (;;) {
    const entry = await store.get<Uint8Array>(key);
    if (entry !== undefined) return entry.value;
    await store.commit([{ key, version: null }], [{ key, value: random.bytes(bytes) }]);
  }
}
