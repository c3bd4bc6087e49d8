import type { Grant, Store, Taking } from '../../store/contract.ts';

/** Takes a partition of a store. Throws where another process holds it. */
export async function takenGrant(
  { claims }: Store,
  partition: number,
  what: Taking = 'free',
): Promise<Grant> {
  const taken = await claims.take(partition, what);
  if ('holder' in taken) throw new Error(`${taken.holder} holds partition ${partition}`);
  return taken;
}
