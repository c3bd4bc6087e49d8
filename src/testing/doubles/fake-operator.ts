import type {
  ClusterOperator,
  ClusterStatus,
  MoveStatus,
  NodeDrain,
  NodeStatus,
  PartitionMove,
  WorldPlace,
} from '../../cluster-operator.ts';
import { PARTITION_COUNT } from '../../limits.ts';
import { partitionOf, worldIdOf } from '../../twin/ids.ts';

const NAMES = ['node-1', 'node-2', 'node-3'];
const AT = '2026-11-26T12:00:00.000Z';

const processOf = (name: string) => `${name}:c0ffee`;

function nodeOf(name: string, i: number): NodeStatus {
  return {
    ...{ name, process: processOf(name), is_this: i === 0, build: 1, kernel: 'c0ffee' },
    ...{ twin_url: null, link_url: `ws://127.0.0.1:700${i}`, partitions: 0, worlds: 40 },
    ...{ hot_worlds: 3, admits: true, draining: false, unreachable: [] },
    ...{ link: i === 0 ? null : 'up', round_trip_ms: i === 0 ? null : 0.7, clock_offset_ms: -0.4 },
  };
}

/** The operator of a cluster of three nodes that exists only in its answers. */
export class FakeOperator implements ClusterOperator {
  /** What it was told to do. */
  readonly told: unknown[][] = [];
  /** Thrown instead of doing it. */
  failure: Error | undefined = undefined;
  nodes: NodeStatus[] = NAMES.map(nodeOf);
  readonly holders: (string | null)[] = Array.from({ length: PARTITION_COUNT }, (_, partition) =>
    processOf(NAMES[partition % NAMES.length] ?? ''),
  );
  moves: MoveStatus[] = [
    { at: AT, partition: 7, from: processOf('node-2'), to: processOf('node-1'), why: 'handover' },
    { at: AT, partition: 9, from: processOf('gone'), to: processOf('node-1'), why: 'takeover' },
    { at: AT, partition: 9, from: processOf('gone'), to: null, why: 'lost' },
    { at: AT, partition: 3, from: processOf('gone'), to: null, why: 'released' },
  ];

  async status(): Promise<ClusterStatus> {
    const { holders, moves } = this;
    const partitionsOf = (process: string) => holders.filter((each) => each === process).length;
    return {
      ...{ store: 'redis', at: AT, process: processOf('node-1'), moves },
      nodes: this.nodes.map((node) => ({ ...node, partitions: partitionsOf(node.process) })),
      partitions: holders.map((holder, partition) => ({
        ...{ partition, holder, epoch: holder === null ? null : 100 + partition },
        ...{ worlds: partition % 5, hot_worlds: partition % 3 },
      })),
    };
  }

  placeOf(worldNumber: number): WorldPlace {
    const partition = partitionOf(worldNumber);
    const process = this.holders[partition] ?? null;
    const node = this.nodes.find((each) => each.process === process)?.name ?? null;
    const is_this = process === processOf('node-1');
    return { world: worldIdOf(worldNumber), partition, node, process, is_this, served: true };
  }

  drain(node: string | undefined): Promise<NodeDrain> {
    return this.#setDraining(node, true);
  }

  undrain(node: string | undefined): Promise<NodeDrain> {
    return this.#setDraining(node, false);
  }

  async #setDraining(node: string | undefined, draining: boolean): Promise<NodeDrain> {
    this.#do(draining ? 'drain' : 'undrain', node);
    const isMeant = ({ name, process, is_this }: NodeStatus) =>
      node === undefined ? is_this : [name, process].includes(node);
    this.nodes = this.nodes.map((each) => (isMeant(each) ? { ...each, draining } : each));
    const { name = '', process = '' } = this.nodes.find(isMeant) ?? {};
    return { node: name, process, draining, partitions: 21 };
  }

  async move(partition: number, to: string): Promise<PartitionMove> {
    this.#do('move', partition, to);
    const from = this.holders[partition] ?? '';
    this.holders[partition] = to;
    return { partition, from, to };
  }

  #do(...what: unknown[]): void {
    this.told.push(what);
    if (this.failure) throw this.failure;
  }
}
