import { PARTITION_COUNT } from '../../limits.ts';
import type { Key, Page } from '../contract.ts';
import { encodeKey, pageBounds, partitionOf } from '../encoding.ts';

/**
 * The Redis keys of one partition, or of all entries without a partition. The tag in braces puts
 * the keys of a slot on one machine of a Redis Cluster, so that one script can use them.
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
  const [lease, owner, version] = [key('lease'), key('owner'), key('version')];
  return { lease, owner, version, entries: key('entries'), order: key('order') };
}

/** The slot of keys without a partition. */
export const COMMON_SLOT = slotOf('dp');

export const PARTITION_SLOTS: readonly Slot[] = Array.from(
  { length: PARTITION_COUNT },
  (_, partition) => slotOf(`p${String(partition).padStart(2, '0')}`),
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

/** The stretches of a page, in the order of their keys. Throws as `pageBounds` does. */
export function stretchesOf(prefix: Key, page: Page): Stretch[] {
  const bounds = pageBounds(prefix, page);
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
