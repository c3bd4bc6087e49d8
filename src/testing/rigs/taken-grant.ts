import type { Grant, Store } from '../../store/contract.ts';

/** Takes a partition of a store. Throws where another process holds it. */
export async function takenGrant({ claims }: Store, partition: number): Promise<Grant> {
  const taken = await claims.take(partition);
  if ('holder' in taken) throw new Error(`${taken.holder} holds partition ${partition}`);
  return taken;
}
