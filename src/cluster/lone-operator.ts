import type {
  ClusterOperator,
  ClusterStatus,
  NodeDrain,
  NodeStatus,
  PartitionLoad,
  PartitionMove,
  WorldPlace,
} from '../cluster-operator.ts';
import { isStoreUnavailable, TwinError } from '../errors.ts';
import type { Time } from '../time.ts';
import { partitionOf, worldIdOf } from '../twin/ids.ts';
import type { NodeRecord } from './node-record.ts';
import type { Ranges } from './ranges.ts';

const ALONE =
  'This node has its store for itself: there is no other node, and nothing can move. Several nodes need Redis.';

/** The worlds of a node, as far as an operator sees them. */
interface LoneWorlds {
  idle: { count(): Promise<number> };
  loads(): readonly PartitionLoad[];
  shards: readonly { admits: boolean }[];
}

export interface LoneOperatorDependencies {
  identity: Pick<NodeRecord, 'build' | 'kernel' | 'name' | 'twinUrl'>;
  ranges: Pick<Ranges, 'partitionCount' | 'isShown'>;
  worlds: LoneWorlds;
  time: Time;
}

/** What an operator sees of a node that has its store for itself: it holds everything, for ever. */
export class LoneOperator implements ClusterOperator {
  readonly #dependencies: LoneOperatorDependencies;

  constructor(dependencies: LoneOperatorDependencies) {
    this.#dependencies = dependencies;
  }

  async status(): Promise<ClusterStatus> {
    const { identity, ranges, worlds, time } = this.#dependencies;
    const worldCount = await this.#count();
    const loads = new Map(worlds.loads().map((load) => [load.partition, load]));
    return {
      store: 'embedded',
      at: new Date(time.wallMs()).toISOString(),
      process: identity.name,
      nodes: [this.#node(worldCount, [...loads.values()])],
      partitions: Array.from({ length: ranges.partitionCount }, (_, partition) => ({
        ...{ partition, holder: identity.name, epoch: null },
        worlds: loads.get(partition)?.worldCount ?? null,
        hot_worlds: loads.get(partition)?.hotCount ?? null,
      })),
      moves: [],
    };
  }

  /** Null: the store does not answer. */
  async #count(): Promise<number | null> {
    try {
      return await this.#dependencies.worlds.idle.count();
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      return null;
    }
  }

  #node(worlds: number | null, loads: readonly PartitionLoad[]): NodeStatus {
    const { identity, ranges } = this.#dependencies;
    const { name, build, kernel, twinUrl } = identity;
    return {
      ...{ name, process: name, is_this: true, build, kernel },
      ...{ twin_url: twinUrl || null, link_url: null },
      partitions: ranges.partitionCount,
      worlds,
      hot_worlds: loads.reduce((sum, { hotCount }) => sum + hotCount, 0),
      admits: this.#dependencies.worlds.shards.some(({ admits }) => admits),
      ...{ draining: false, unreachable: [], link: null },
      ...{ round_trip_ms: null, clock_offset_ms: null },
    };
  }

  placeOf(worldNumber: number): WorldPlace {
    const { identity, ranges, time } = this.#dependencies;
    const { name } = identity;
    const partition = partitionOf(worldNumber);
    const served = ranges.isShown(partition, time.now());
    const world = worldIdOf(worldNumber);
    return { world, partition, node: name, process: name, is_this: true, served };
  }

  async drain(node: string | undefined): Promise<NodeDrain> {
    return this.#refuse(node);
  }

  async undrain(node: string | undefined): Promise<NodeDrain> {
    return this.#refuse(node);
  }

  async move(_: number, to: string): Promise<PartitionMove> {
    return this.#refuse(to);
  }

  /** Throws TwinError `unknown_node` or `conflict`. */
  #refuse(node: string | undefined): never {
    const isKnown = node === undefined || node === this.#dependencies.identity.name;
    throw isKnown ? new TwinError('conflict', ALONE) : new TwinError('unknown_node');
  }
}
