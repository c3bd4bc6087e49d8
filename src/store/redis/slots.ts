import { PARTITION_COUNT } from '../../limits.ts';
import type { Key, Page } from '../contract.ts';
import { encodeKey, pageBounds, partitionOf } from '../encoding.ts';

/**
 * What lives together: the entries of one partition, or those of none. The tag in braces puts all
 * keys of a slot on one machine of a Redis Cluster, so that one script reaches them.
 */
export interface Slot {
  readonly lease: string;
  readonly owner: string;
  readonly version: string;
  readonly entries: string;
  readonly order: string;
}

function slotOf(tag: string): Slot {
  const key = (name: string) => `dt:{${tag}}:${name}`;
  return {
    lease: key('lease'),
    owner: key('owner'),
    version: key('version'),
    entries: key('entries'),
    order: key('order'),
  };
}

/** Of all that belongs to no partition. */
export const COMMON_SLOT = slotOf('dp');

const PARTITION_SLOTS: readonly Slot[] = Array.from({ length: PARTITION_COUNT }, (_, partition) =>
  slotOf(`p${String(partition).padStart(2, '0')}`),
);

/** Every slot; whoever wants them all takes the common one first. */
export const SLOTS: readonly Slot[] = [COMMON_SLOT, ...PARTITION_SLOTS];

/** The slot of a key. Throws TypeError where it begins as a partition's and is none. */
export function slotOfKey(key: Key): Slot {
  const partition = partitionOf(key);
  return (partition === undefined ? undefined : PARTITION_SLOTS[partition]) ?? COMMON_SLOT;
}

/** A part of a page: encoded keys from `start` on and before `end`, all in one slot. */
export interface Stretch {
  slot: Slot;
  start: Buffer;
  end: Buffer;
}

/** The stretches of a page, in the order of their keys. Throws as `pageBounds` does. */
export function stretchesOf(prefix: Key, page: Page): Stretch[] {
  const { start, end } = pageBounds(prefix, page);
  if (prefix.length > 1 || (prefix.length === 1 && prefix[0] !== 'p')) {
    return clipped([{ slot: slotOfKey(prefix), start, end }], start, end);
  }
  const first = encodeKey(['p']);
  const behind = Buffer.concat([first, Buffer.of(0xff)]);
  const partitions = PARTITION_SLOTS.map((slot, partition) => ({
    slot,
    start: encodeKey(['p', partition]),
    end: Buffer.concat([encodeKey(['p', partition]), Buffer.of(0xff)]),
  }));
  const before = { slot: COMMON_SLOT, start, end: first };
  const after = { slot: COMMON_SLOT, start: behind, end };
  return clipped([before, ...partitions, after], start, end);
}

function clipped(stretches: readonly Stretch[], start: Buffer, end: Buffer): Stretch[] {
  return stretches
    .map((each) => ({
      slot: each.slot,
      start: each.start.compare(start) > 0 ? each.start : start,
      end: each.end.compare(end) < 0 ? each.end : end,
    }))
    .filter((each) => each.start.compare(each.end) < 0);
}
