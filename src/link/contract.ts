import type { Histogram } from '../histogram.ts';

/**
 * The connections between the nodes of a cluster. Each node dials every other one. Over the connection
 * that it has dialled, a node sends calls and notes, and gets answers and messages; the other end serves
 * them. Values are what MessagePack can carry.
 */
export interface Link {
  /** Where other nodes reach this one. */
  readonly url: string;

  /** Of pings to the other nodes, each with its answer. */
  readonly roundTrips: Histogram;

  /** Bytes that wait to be sent to a node, of the connection on which most do. */
  waitingBytes(): number;

  /** Connects with these nodes, and with no others. Never waits. */
  connect(peers: readonly PeerAddress[]): void;

  /** Whether a node answers: pings within SILENCE_MS. */
  isUp(process: string): boolean;

  /**
   * Asks a node. Rejects with LinkBroken: `isSent` false means that the node did nothing. An answer
   * in pieces that breaks off rejects where it is read. Rejects with TypeError for a value that
   * MessagePack cannot carry. Calls may overtake each other.
   * @param deadlineMs how long the answer may take
   */
  call(process: string, kind: string, value: unknown, deadlineMs: number): Promise<LinkAnswer>;

  /**
   * Tells a node something without an answer. Lost if the link is down. Notes keep their order. Throws
   * TypeError for a value that MessagePack cannot carry, RangeError for more than 2 MiB.
   */
  note(process: string, kind: string, value: unknown): void;

  /** Tells a node, over the connection that it has dialled. See `send` of LinkClient. */
  clientOf(process: string): LinkClient | undefined;

  close(): Promise<void>;
}

export interface PeerAddress {
  process: string;
  /** ws://host:port or wss://host:port */
  url: string;
}

export interface LinkAnswer {
  value: unknown;
  /**
   * What follows the value, as fast as it is read; no deadline applies. Whoever does not read it to its
   * end calls `return` of the iterator, as a `for await` that is left does.
   */
  pieces?: AsyncIterable<Uint8Array> | undefined;
}

/** A node that has dialled this one. */
export interface LinkClient {
  readonly process: string;
  /**
   * Sends a message that is due now; false if more than FRAME_BYTES_MAX wait to be sent: then it is
   * dropped, and `drained` tells when there is room. Messages keep their order, and those of one turn of
   * the event loop are one write, or one per 64 KiB. Throws as `note` of Link.
   * @param bytes follow the value; valid until this returns
   */
  send(kind: string, value: unknown, bytes?: Uint8Array): boolean;
}

/** What a node does for the nodes that have dialled it, and what it hears. */
export interface LinkHandlers {
  /** Answers a call. What it throws becomes LinkBroken at the caller, with `isSent` true. */
  called(from: LinkClient, kind: string, value: unknown): Promise<LinkAnswer>;
  noted(from: LinkClient, kind: string, value: unknown): void;
  /** There is room for messages again. */
  drained(to: LinkClient): void;
  /** The connection that this node had dialled is gone. */
  clientGone(client: LinkClient): void;

  /** A message over a connection that this node has dialled. `bytes`: empty unless some were sent. */
  received(process: string, kind: string, value: unknown, bytes: Uint8Array): void;
  /** What each ping carries, and the other node's, whichever has dialled. */
  pingValue(): unknown;
  /** @param saidMs the other node has said it then or later, by `Time.now`; undefined: that is not known */
  pinged(process: string, value: unknown, saidMs?: number): void;
  /** The connection that this node dials is made, or is lost: what was under way there is broken. */
  up(process: string): void;
  down(process: string): void;
}

/** `isSent`: the other node may have done what it was asked. */
export class LinkBroken extends Error {
  override readonly name = 'LinkBroken';
  readonly isSent: boolean;
  /**
   * Too many calls or bytes wait: nothing is wrong with the link. With `isSent` it is the answer that was
   * given up.
   */
  readonly isOverloaded: boolean;

  constructor(
    message: string,
    { isSent, isOverloaded = false }: { isSent: boolean; isOverloaded?: boolean },
  ) {
    super(message);
    this.isSent = isSent;
    this.isOverloaded = isOverloaded;
  }
}

/** Messages to one node that may wait to be sent, but for those that are dropped instead. */
export const CALL_BYTES_MAX = 8 * 2 ** 20;
/** Calls to one node without an answer. */
export const CALLS_MAX = 10_000;
/** Frames that may wait to be sent to one node. */
export const FRAME_BYTES_MAX = 256 * 1024;
export const PING_MS = 250;
/** A link without a sign of life for so long is down: no call waits for a second. */
export const SILENCE_MS = 900;
