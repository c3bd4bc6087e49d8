import { PARTITION_COUNT } from '../limits.ts';
import type { Check, Store } from '../store/contract.ts';

/**
 * Takes the leases of all partitions: the right to write their worlds. Returns for each partition the
 * check that fences a commit: the lease is still the one that this node took. So a node that has lost
 * a partition without noticing cannot write. Throws StoreUnavailable.
 */
export async function takeLeases(store: Store, nodeName: string): Promise<readonly Check[]> {
  const boot = await nextBoot(store);
  const token = `${nodeName}:${boot}#${boot}`;
  const keys = Array.from({ length: PARTITION_COUNT }, (_, p) => ['p', p, 'lease'] as const);
  await Promise.all(keys.map((key) => store.commit([], [{ key, value: token }])));
  const entries = await Promise.all(keys.map((key) => store.get(key)));
  return keys.map((key, p) => ({ key, version: entries[p]?.version ?? null }));
}

/** The number of this start among all starts of nodes on this store. */
async function nextBoot(store: Store): Promise<number> {
  for (;;) {
    const entry = await store.get<number>(['boot']);
    const boot = (entry?.value ?? 0) + 1;
    const check = { key: ['boot'], version: entry?.version ?? null };
    if (await store.commit([check], [{ key: ['boot'], value: boot }])) return boot;
  }
}
