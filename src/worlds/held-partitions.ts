import type { Grant } from '../store/contract.ts';

/** The partitions that this node holds, as its worlds use them. */
export interface HeldPartitions {
  /** Undefined if another node holds the partition, or nobody. */
  grantOf(partition: number): Grant | undefined;
  /** Whether the worlds of a partition may be shown at a time of `Time.now`. */
  isShown(partition: number, nowMs: number): boolean;
  /** The partitions whose worlds may be shown now. */
  shown(): readonly number[];
}

/** The worlds of a node, as far as it depends on the partitions that it holds. */
export interface PartitionedWorlds {
  /** Ends the streams of partitions: their worlds must not be shown until they are held again. */
  suspend(partitions: ReadonlySet<number>): void;
  /**
   * Forgets the worlds of partitions at once, and has the shards unload them. Resolves when what they had
   * to store is stored, or is refused. Never rejects.
   */
  leave(partitions: ReadonlySet<number>): Promise<void>;
}
