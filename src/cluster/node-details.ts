import type { PartitionLoad } from '../cluster-operator.ts';
import { PARTITION_COUNT } from '../limits.ts';

/** What only a node itself knows. It tells it to those that ask. */
export interface NodeDetails {
  /** How far its clock is ahead of that of the cluster. */
  clockOffsetMs: number;
  loads: readonly PartitionLoad[];
}

type LoadMessage = readonly [partition: number, worldCount: number | null, hotCount: number];

export function messageOfDetails({ clockOffsetMs, loads }: NodeDetails) {
  const messages = loads.map(
    ({ partition, worldCount = null, hotCount }): LoadMessage => [partition, worldCount, hotCount],
  );
  return [clockOffsetMs, messages] as const;
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

function isLoad(value: unknown): value is LoadMessage {
  if (!Array.isArray(value)) return false;
  const [partition, worldCount, hotCount] = value;
  if (!isCount(partition) || partition >= PARTITION_COUNT) return false;
  return (worldCount === null || isCount(worldCount)) && isCount(hotCount);
}

/** What another node told; undefined if this one does not understand it. */
export function readDetails(message: unknown): NodeDetails | undefined {
  if (!Array.isArray(message)) return undefined;
  const [clockOffsetMs, loads] = message;
  if (!Number.isFinite(clockOffsetMs) || !Array.isArray(loads)) return undefined;
  if (loads.length > PARTITION_COUNT || !loads.every(isLoad)) return undefined;
  return {
    clockOffsetMs,
    loads: loads.map(([partition, worldCount, hotCount]: LoadMessage) => ({
      ...{ partition, worldCount: worldCount ?? undefined, hotCount },
    })),
  };
}
