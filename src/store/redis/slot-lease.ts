import type { Argument } from './redis-client.ts';
import type { RedisLink } from './redis-link.ts';
import type { Slot } from './slots.ts';

/** The holder relies on a renewal for this share of the lifetime of a lease. */
export const RELIED_ON = 0.75;
export const LAST_WRITES_LOST = 'the store lost its last writes';

/** `new`: takes a lease that nobody has. `same`: only one that nobody else had since. */
export type Taking = 'new' | 'same';

/** Who wants a lease: see `lease.lua`. */
export interface Claimant {
  boot: string;
  session: number;
  leaseMs: number;
}

export interface Taken {
  isMine: boolean;
  holder: string;
  leftMs: number;
  version: number;
  epoch: number;
}

type RunScript = (script: 'lease', keys: string[], args: Argument[]) => Promise<unknown>;

/** Takes or renews the lease of one slot. Rejects with LinkError. */
export async function leaseSlot(
  run: RunScript,
  slot: Slot,
  how: Taking,
  { boot, session, leaseMs }: Claimant,
): Promise<Taken> {
  const keys = [slot.lease, slot.owner, slot.version];
  const answer = await run('lease', keys, [boot, session, leaseMs, how]);
  const [isMine, holder, leftMs, version, epoch] = answer as [
    ...[number, Buffer, number, Buffer, number],
  ];
  return {
    isMine: isMine === 1,
    holder: String(holder),
    leftMs,
    version: Number(version),
    epoch,
  };
}

/** Releases the lease of a slot, if it is this boot's. Rejects with LinkError. */
export async function releaseSlot(link: RedisLink, slot: Slot, boot: string): Promise<void> {
  await link.run('release', [slot.lease], [boot]);
}

/** The node in a token or a boot. */
export function nodeOf(holder: string): string {
  return `node "${holder.slice(0, holder.lastIndexOf(':'))}"`;
}
