import type { Random } from '../random.ts';
import type { Store } from '../store/contract.ts';

const KEY = ['link', 'key'];
const KEY_BYTES = 32;

/**
 * The key by which nodes know that the other one uses the same store; the first node makes it. Who reads
 * the store is trusted with everything already. Rejects with StoreUnavailable.
 */
export async function readLinkKey(store: Store, random: Random): Promise<Uint8Array> {
  for (;;) {
    const known = await store.get<Uint8Array>(KEY);
    if (known !== undefined) return known.value;
    await store.commit(
      [{ key: KEY, version: null }],
      [{ key: KEY, value: random.bytes(KEY_BYTES) }],
    );
  }
}
