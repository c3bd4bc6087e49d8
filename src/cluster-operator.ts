/**
 * What an operator sees of the nodes on one store, and can do there. `cluster/operator.ts` implements it
 * for a node among others, `cluster/lone-operator.ts` for a node that has its store for itself.
 */
export interface ClusterOperator {
  /** Asks the other nodes for what only they know, and waits for them for a quarter of a second at most. */
  status(): Promise<ClusterStatus>;

  /** Where a world of this number is served, whether it exists or not. */
  placeOf(worldNumber: number): WorldPlace;

  /**
   * Has a node give its partitions to the others and take none, until `undrain`. It goes on receiving
   * requests. Resolves once it begins. Throws TwinError `unknown_node`; `conflict` if no other node takes
   * partitions; `store_unavailable` if the node does not answer.
   * @param node its name or its process; undefined: this one
   */
  drain(node: string | undefined): Promise<NodeDrain>;

  /** Ends what `drain` has begun. Throws the same. */
  undrain(node: string | undefined): Promise<NodeDrain>;

  /**
   * Gives a partition of this node to another one, with its worlds as they are. Resolves once that has it.
   * Throws TwinError `unknown_node`; `conflict` if this node does not hold it, or keeps it after all.
   * @param to name or process of a node
   */
  move(partition: number, to: string): Promise<PartitionMove>;
}

/** The cluster as one node knows it. The fields are those of the answer to `GET /cluster`. */
export interface ClusterStatus {
  store: 'embedded' | 'redis';
  /** ISO 8601. */
  at: string;
  /** Process of the node that answers. */
  process: string;
  nodes: NodeStatus[];
  /** In the order of their numbers. */
  partitions: PartitionStatus[];
  /** Those that this node has seen since it started, newest first. */
  moves: MoveStatus[];
}

export interface NodeStatus {
  name: string;
  /** Names the node from its start to its end; no other one ever has it. */
  process: string;
  /** Whether it is the node that answers. */
  is_this: boolean;
  build: number;
  /** Identity of its kernel. */
  kernel: string;
  /** Base of its own public URLs; null if it has none. */
  twin_url: string | null;
  /** Where other nodes reach it; null if it has no link. */
  link_url: string | null;
  /** How many it holds. */
  partitions: number;
  /** Worlds in the store in these partitions; null if that is not known. */
  worlds: number | null;
  /** Watched worlds; null if that is not known. */
  hot_worlds: number | null;
  /** Whether it lets in another watched world. */
  admits: boolean;
  draining: boolean;
  /** Processes of the nodes that it cannot reach. */
  unreachable: string[];
  /** The link from the node that answers; null at that node itself. */
  link: 'up' | 'down' | null;
  /** From asking the node to its answer, just now; null if it has not answered. */
  round_trip_ms: number | null;
  /** How far its clock is ahead of that of the cluster; null if that is not known. */
  clock_offset_ms: number | null;
}

export interface PartitionStatus {
  partition: number;
  /** Process of its holder; null if no living node holds it, as far as known. */
  holder: string | null;
  /** Of its grant; null if nobody holds it, or the store has no epochs. */
  epoch: number | null;
  /** Worlds in the store, as its holder has counted them last; null if that is not known. */
  worlds: number | null;
  /** Watched worlds; null if that is not known. */
  hot_worlds: number | null;
}

/**
 * `handover`: given with its worlds. `released`: given up, for anybody to take. `lost`: its holder fell
 * silent, or did not renew it. `takeover`: taken by a node while nobody held it.
 */
export type MoveReason = 'handover' | 'released' | 'lost' | 'takeover';

export interface MoveStatus {
  /** ISO 8601. */
  at: string;
  partition: number;
  /** Process of the last holder; null if that is not known. */
  from: string | null;
  /** Process of the next holder; null if there was none yet. */
  to: string | null;
  why: MoveReason;
}

export interface WorldPlace {
  world: string;
  partition: number;
  /** Name and process of the node that holds its partition; null if none does, as far as known. */
  node: string | null;
  process: string | null;
  /** Whether it is the node that answers. */
  is_this: boolean;
  /** Whether the node that answers can serve it, or pass requests for it on. */
  served: boolean;
}

export interface NodeDrain {
  node: string;
  process: string;
  draining: boolean;
  /** How many it holds now. */
  partitions: number;
}

export interface PartitionMove {
  partition: number;
  /** Processes. */
  from: string;
  to: string;
}

/** What a partition weighs at the node that holds it. */
export interface PartitionLoad {
  partition: number;
  /** Worlds in the store, as counted last; undefined if they were not counted yet. */
  worldCount: number | undefined;
  /** Watched worlds. */
  hotCount: number;
}
