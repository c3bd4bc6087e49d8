import { PARTITION_COUNT } from '../limits.ts';

/** Grows when records, the link or what nodes expect of each other change in a way that older ones miss. */
export const PROTOCOL = 1;

/** The partitions that a node holds, as it tells the others. */
export interface Holdings {
  /** Grows with every change: a node that hears of an older one ignores it. */
  version: number;
  /** Each with the epoch of its grant. */
  partitions: readonly (readonly [partition: number, epoch: number])[];
}

/** What a node tells the others with each heartbeat. */
export interface NodeRecord {
  protocol: number;
  /** Grows with every release whose kernel, records or link differ. */
  build: number;
  /** Identity of its kernel. */
  kernel: string;
  name: string;
  /** Where other nodes reach it. */
  linkUrl: string;
  /** Base of its public URLs; empty where it has none of its own. */
  twinUrl: string;
  held: Holdings;
  /** Worlds in the store in these partitions. */
  worldCount: number;
  /** Whether it lets in another watched world. */
  admits: boolean;
  isDraining: boolean;
  /** Processes of nodes whose link is down. */
  unreachable: readonly string[];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

function isHeld(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [partition] = value;
  return value.every(isCount) && partition < PARTITION_COUNT;
}

/** What another node told of its partitions; undefined if this one does not understand it. */
export function readHoldings(value: unknown): Holdings | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { version, partitions } = value as Partial<Record<keyof Holdings, unknown>>;
  const isWhole = isCount(version) && Array.isArray(partitions) && partitions.every(isHeld);
  return isWhole ? (value as Holdings) : undefined;
}

/** What another node told; undefined if this one does not understand it. */
export function readNodeRecord(value: unknown): NodeRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as Partial<Record<keyof NodeRecord, unknown>>;
  const { unreachable } = record;
  const isWhole =
    record.protocol === PROTOCOL &&
    isCount(record.build) &&
    isCount(record.worldCount) &&
    [record.kernel, record.name, record.linkUrl, record.twinUrl].every(isText) &&
    typeof record.admits === 'boolean' &&
    typeof record.isDraining === 'boolean' &&
    readHoldings(record.held) !== undefined &&
    Array.isArray(unreachable) &&
    unreachable.every(isText);
  return isWhole ? (value as NodeRecord) : undefined;
}
