import type { Taking } from '../contract.ts';
import type { Argument } from './redis-client.ts';
import type { RedisLink } from './redis-link.ts';
import type { PartitionSlot } from './slots.ts';

/** Number of renewals in the lifetime of a lease. */
export const RENEWALS = 4;
export const LAST_WRITES_LOST = 'the store lost its last writes';

/** Who wants a lease: see `lease.lua`. */
export interface Claimant {
  /** Of the grant. */
  name: string;
  session: number;
  leaseMs: number;
  /** The reading of the clock that may be published under it, in whole ms. */
  markMs: number;
  /** The epoch must be higher. */
  knownEpoch: number;
}

export interface Taken {
  isMine: boolean;
  /** A token. */
  holder: string;
  leftMs: number;
  version: number;
  epoch: number;
  /** The mark before. */
  markMs: number;
  /** The token of the last holder before, or ''. */
  formerHolder: string;
}

/** See `give.lua`. */
export interface Gift extends Pick<Claimant, 'leaseMs' | 'markMs' | 'knownEpoch'> {
  /** Tokens. */
  from: string;
  to: string;
}

export type RunLease = (script: 'lease', keys: string[], args: Argument[]) => Promise<unknown>;

/** Takes or renews the lease of a partition; `same` only renews. Rejects with LinkError. */
export async function leaseSlot(
  run: RunLease,
  slot: PartitionSlot,
  how: Taking | 'same',
  { name, session, leaseMs, markMs, knownEpoch }: Claimant,
): Promise<Taken> {
  const keys = [slot.lease, slot.owner, slot.version, slot.mark];
  const answer = await run('lease', keys, [name, session, leaseMs, how, markMs, knownEpoch]);
  const [isMine, holder, leftMs, version, epoch, mark, formerHolder] = answer as [
    ...[number, Buffer, number, Buffer, number, number, Buffer],
  ];
  return {
    isMine: isMine === 1,
    holder: String(holder),
    leftMs: Math.max(0, leftMs),
    version: Number(version),
    epoch,
    markMs: mark,
    formerHolder: String(formerHolder),
  };
}

/**
 * Gives up the lease of a partition, if it is of this grant. Rejects with LinkError.
 * @param markMs the latest reading of the clock that was published, in whole ms; undefined: none was
 */
export async function releaseSlot(
  link: RedisLink,
  slot: PartitionSlot,
  { name, markMs }: { name: string; markMs: number | undefined },
): Promise<void> {
  await link.run('release', [slot.lease, slot.owner, slot.mark], [name, markMs ?? '']);
}

/**
 * Gives the lease of a partition to the holder of another token. Resolves to the epoch of that grant; 0:
 * the lease is not of `from`. Rejects with LinkError.
 */
export async function giveSlot(
  link: RedisLink,
  slot: PartitionSlot,
  { from, to, leaseMs, markMs, knownEpoch }: Gift,
): Promise<number> {
  const keys = [slot.lease, slot.owner, slot.mark];
  return (await link.run('give', keys, [from, to, leaseMs, markMs, knownEpoch])) as number;
}

/** A token is the name of a grant or a writer, and the session. */
export function tokenOf(name: string, session: number): string {
  return `${name}#${session}`;
}

export function nameOf(token: string): string {
  return token.replace(/#\d+$/, '');
}

/** The process in a token. Earlier releases separate their numbers by a dot. */
export function processOf(token: string): string {
  return nameOf(token).replace(/[.-]\d+$/, '');
}

/** The node of a process, for messages. */
export function nodeOf(process: string): string {
  return `node "${process.slice(0, process.lastIndexOf(':'))}"`;
}
