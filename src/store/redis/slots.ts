import { PARTITION_COUNT } from '../../limits.ts';
import type { Key } from '../contract.ts';
import { encodeKey, partitionOf } from '../encoding.ts';

/**
 * The Redis keys of one partition, or of all entries without a partition. The tag in braces puts
 * the keys of a slot on one machine of a Redis Cluster, so that one script can use them.
 */
export interface Slot {
  readonly version: string;
  readonly entries: string;
  readonly order: string;
}

/** One process at a time holds its lease, and writes. */
export interface PartitionSlot extends Slot {
  readonly lease: string;
  readonly owner: string;
  readonly mark: string;
}

const keyIn = (tag: string) => (name: string) => `dt:{${tag}}:${name}`;

function slotOf(tag: string): Slot {
  const key = keyIn(tag);
  return { version: key('version'), entries: key('entries'), order: key('order') };
}

/** The slot of keys without a partition. Each process writes with a key of its own: `writerKeyOf`. */
export const COMMON_SLOT = slotOf('dp');

const commonKey = keyIn('dp');
/** A node of an earlier release takes everything, and holds this lease. */
export const EARLIER_LEASE = commonKey('lease');
/** What the processes tell each other, and the clock of the cluster: see `heartbeat.lua`. */
export const NODES_KEY = commonKey('nodes');
export const CLOCK_KEY = commonKey('clock');

/** It exists as long as a process may write common entries under this name. */
export function writerKeyOf(name: string): string {
  return commonKey(`writer:${name}`);
}

export const PARTITION_SLOTS: readonly PartitionSlot[] = Array.from(
  { length: PARTITION_COUNT },
  (_, partition) => {
    const tag = `p${String(partition).padStart(2, '0')}`;
    const key = keyIn(tag);
    return { ...slotOf(tag), lease: key('lease'), owner: key('owner'), mark: key('mark') };
  },
);

/** The slot of a key. Throws TypeError if the key names a partition that does not exist. */
export function slotOfKey(key: Key): Slot {
  const partition = partitionOf(key);
  return (partition === undefined ? undefined : PARTITION_SLOTS[partition]) ?? COMMON_SLOT;
}

/** A part of a page in one slot: the encoded keys from `start` up to, but not including, `end`. */
export interface Stretch {
  slot: Slot;
  start: Buffer;
  end: Buffer;
}

/** The stretches of the keys under a prefix that are within bounds, in the order of their keys. */
export function stretchesOf(prefix: Key, bounds: Omit<Stretch, 'slot'>): Stretch[] {
  const isInOneSlot = prefix.length > 1 || (prefix.length === 1 && prefix[0] !== 'p');
  const stretches = isInOneSlot ? [{ slot: slotOfKey(prefix), ...bounds }] : allStretches(bounds);
  return stretches
    .map(({ slot, start, end }) => ({
      slot,
      start: start.compare(bounds.start) > 0 ? start : bounds.start,
      end: end.compare(bounds.end) < 0 ? end : bounds.end,
    }))
    .filter(({ start, end }) => start.compare(end) < 0);
}

/** The common slot has the keys before and after those of the partitions. */
function allStretches({ start, end }: Omit<Stretch, 'slot'>): Stretch[] {
  const behind = (key: Key) => Buffer.concat([encodeKey(key), Buffer.of(0xff)]);
  const partitions = PARTITION_SLOTS.map((slot, partition) => {
    const key = ['p', partition];
    return { slot, start: encodeKey(key), end: behind(key) };
  });
  const before = { slot: COMMON_SLOT, start, end: encodeKey(['p']) };
  return [before, ...partitions, { slot: COMMON_SLOT, start: behind(['p']), end }];
}
