import type { Server } from '../../bench/common/server.ts';
import type { ClusterStatus, PartitionMove } from '../../src/cluster-operator.ts';
import { parseWorldId, partitionOf } from '../../src/twin/ids.ts';

/** The cluster as a node knows it. */
export async function statusOf({ opsUrl }: Server): Promise<ClusterStatus> {
  const answer = await fetch(new URL('/cluster', opsUrl));
  return (await answer.json()) as ClusterStatus;
}

/** The numbers of the partitions that a node holds, as another one knows. */
export async function heldBy(name: string, asked: Server): Promise<ReadonlySet<number>> {
  const { nodes, partitions } = await statusOf(asked);
  const processes = nodes.filter((node) => node.name === name).map(({ process }) => process);
  const held = partitions.filter(({ holder }) => processes.includes(holder ?? ''));
  return new Set(held.map(({ partition }) => partition));
}

/** Has the holder of a partition give it to a node. Throws where it stays. */
export async function movePartition(
  { opsUrl }: Server,
  partition: number,
  to: string,
): Promise<PartitionMove> {
  const answer = await fetch(new URL('/cluster/move', opsUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ partition, to }),
  });
  if (!answer.ok) throw new Error(`no move: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as PartitionMove;
}

/** The partition of a world id. */
export function partitionOfWorld(id: string): number {
  const number = parseWorldId(id);
  if (number === undefined) throw new RangeError(`${id} is no world`);
  return partitionOf(number);
}
