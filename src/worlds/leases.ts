import { at } from '../city/geometry.ts';
import { PARTITION_COUNT } from '../limits.ts';
import type { Check, Store } from '../store/contract.ts';

/**
 * The right to write the worlds of a partition. Every write is fenced: its commit checks that the
 * lease is still the one that this node took. So a node that has lost a partition without noticing
 * cannot write.
 */
export class Leases {
  readonly #checks: readonly Check[];

  private constructor(checks: readonly Check[]) {
    this.#checks = checks;
  }

  /** Takes the leases of all partitions. Throws StoreUnavailable. */
  static async takeAll(store: Store, nodeName: string): Promise<Leases> {
    const boot = await nextBoot(store);
    const token = `${nodeName}:${boot}#${boot}`;
    const keys = Array.from({ length: PARTITION_COUNT }, (_, p) => ['p', p, 'lease'] as const);
    await Promise.all(keys.map((key) => store.commit([], [{ key, value: token }])));
    const entries = await Promise.all(keys.map((key) => store.get(key)));
    const checks = entries.map((entry, p) => ({
      key: ['p', p, 'lease'],
      version: entry?.version ?? null,
    }));
    return new Leases(checks);
  }

  /** The check that fences a write to a partition. */
  fence(partition: number): Check {
    return at(this.#checks, partition);
  }
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
