import type { Encoding, StreamEncoding } from './codec/encoding.ts';
import type { KnownJournal, LockstepNews, PackedHello, WorldPulse } from './twin/lockstep.ts';
import type { FleetEntry } from './twin/wire.ts';
import type { Asker, StreamEnd, Watchable, World, WorldFrame } from './twin-service.ts';

/**
 * The interface of the cluster to the front end. `cluster/cluster.ts` implements it; tests of the front
 * end use a double. A node with the embedded store has none: all worlds are its own.
 */
export interface ClusterService {
  /** Where a world is served: a hint. Never waits. */
  placeOf(worldNumber: number): Place;

  /** Waits at most `WAIT_FOR_OWNER_MS` until a world is served somewhere. */
  settledPlaceOf(worldNumber: number): Promise<Place>;

  /**
   * Has the node that serves a world answer a request, wherever that is by now. A request that may be
   * repeated is sent again if its link breaks. Throws TwinError `store_unavailable` if no node serves the
   * world within WAIT_FOR_OWNER_MS or its node does not answer: a hint then says whether a change may have
   * been made; `overloaded` if too many requests wait for that node.
   */
  forward(call: ForwardedCall, worldNumber: number): Promise<ForwardedReply>;

  /** The node that should create worlds where this one cannot; undefined: this one. */
  placeOfCreation(): Peer | undefined;

  /** Has another node create a world. */
  forwardCreation(call: ForwardedCall, peer: Peer): Promise<ForwardedReply>;

  /** Sets what answers the requests that other nodes forward. */
  onCall(answer: (call: ForwardedCall) => Promise<ForwardedReply>): void;

  /** The streams that cross nodes. */
  readonly relays: RelayService;

  /** How many nodes live, this one included. */
  readonly nodeCount: number;
}

/** A living node other than this one. */
export interface Peer {
  /** Its process: no other one ever has this name. */
  readonly process: string;
  /** Base of its public URLs, where it has one. */
  readonly twinUrl: string | undefined;
}

export type Place =
  | { readonly at: 'here' }
  | { readonly at: 'there'; readonly peer: Peer }
  /** Its partition changes hands. `retryMs`: when it should be served again. */
  | { readonly at: 'nowhere'; readonly retryMs: number };

/** A request as plain data, which a node passes on to the node that serves its world. */
export interface ForwardedCall {
  method: string;
  path: string;
  query: string;
  /** Those that handlers read, as in `Head`. Absent ones are empty. */
  head: ForwardedHead;
  encoding: Encoding;
  /** The client's key in limits, as the receiving node found it. */
  addressKey: string;
  requestId: string;
  /** The header of W3C Trace Context; '' where it is in no trace that is logged. */
  traceparent: string;
  body: Uint8Array;
  /** Base of the receiving node's URLs for its clients, without a trailing slash. */
  publicTwinUrl: string;
}

export interface ForwardedHead {
  accept: string;
  acceptEncoding: string;
  authorization: string;
  vin: string;
  ifNoneMatch: string;
  contentType: string;
}

export interface ForwardedReply {
  status: number;
  type: string;
  headers: readonly (readonly [name: string, value: string])[];
  /** A long one comes in pieces, as fast as they are taken. */
  body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** The streams that cross nodes: those of this node's worlds elsewhere, and of others' worlds here. */
export interface RelayService {
  /**
   * Watches a world of another node for a client: the frames come by `onFrames`. Throws as `World.watch`
   * does, and TwinError `unknown_world`.
   * @param known of a client that lives the world: see `World.lockstep`
   */
  watch(
    worldNumber: number,
    encoding: StreamEncoding,
    client: string,
    known?: KnownJournal,
  ): Promise<RelayedWorld>;

  /** Watches a world that leaves this node for a client, wherever it is served from now on. */
  follow(world: Watchable, encoding: StreamEncoding, client: string): RelayedWorld;

  /** Sets the receiver of frames of other nodes' worlds. Their bytes stay valid. */
  onFrames(sink: (frames: readonly WorldFrame[]) => void): void;

  /** Passes frames of this node's worlds to other nodes; their bytes are valid until it returns. */
  publish(frames: readonly WorldFrame[]): void;

  /** Sets what makes the hello of a world of this node, for clients of other nodes. */
  onHello(make: HelloOf): void;

  /** Sets who pays for what the clients of other nodes have this one do. */
  onAsker(askerOf: AskerOf): void;

  /** Passes a message for those who live a world of this node to other nodes. */
  tell(worldNumber: number, news: LockstepNews): void;

  /** Sets the receiver of such messages about worlds of other nodes. */
  onNews(receiver: NewsReceiver): void;

  /** Ends the streams that other nodes show of a world of this one. */
  end(worldNumber: number, why: StreamEnd): void;

  /** Sets what ends the streams of a world of another node. */
  onStreamEnd(end: (worldNumber: number, code: 1012 | 1013) => void): void;
}

/** Makes what a client begins with that lives a world. */
export type HelloOf = (world: World, known?: KnownJournal) => Promise<PackedHello>;

/** Who pays for a client, by its key in limits. */
export type AskerOf = (client: string) => Asker;

export interface NewsReceiver {
  tell(worldNumber: number, news: LockstepNews): void;
  /** A world is served again. What was told of it meanwhile is lost. */
  pulse(worldNumber: number, pulse: WorldPulse): void;
}

/** What a stream needs of a world of another node. */
export interface RelayedWorld extends Pick<World, 'number' | 'id' | 'unwatch'> {
  readonly fleet: readonly FleetEntry[];
  /** For a client that lives the world: whoever takes it removes it. */
  hello?: PackedHello | undefined;
  /** When it was asked for: never less than in an earlier answer of any node. */
  tick(): number;
}
