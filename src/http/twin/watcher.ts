import type { Encoding } from '../../codec/encoding.ts';
import type { StreamSocket } from '../server/server-options.ts';

/**
 * A reader gets no more frames while this many are unread. Operating systems buffer megabytes for a
 * connection, so without this limit a slow reader would get frames that are a minute old.
 */
const UNREAD_FRAMES_MAX = 50;
/**
 * Number of frames between two pings, which measure how many frames the reader has read. A pong
 * costs half as much as a frame, so only a lagging reader gets pings more often.
 */
const PING_FRAMES = 25;
const LAGGING_FRAMES = 30;
const LAGGING_PING_FRAMES = 5;

/** One open stream. */
export class Watcher {
  readonly topic: Topic;
  readonly socket: StreamSocket;
  /** Tick of the last frame sent, or of the hello. */
  lastTick: number;
  framesSent = 0;
  /** Frames that the reader has read, by its answers to pings (RFC 6455 requires them). */
  framesRead = 0;
  framesAtPing = 0;
  /** Part of a frame is buffered because the operating system did not accept it. */
  isBlocked = false;
  /** When a lagging reader last read something, as far as known. */
  progressMs = 0;

  constructor(topic: Topic, socket: StreamSocket, tick: number) {
    this.topic = topic;
    this.socket = socket;
    this.lastTick = tick;
  }

  get isOpen(): boolean {
    return this.topic.watchers.has(this);
  }

  #framesUnread(): number {
    return this.framesSent - this.framesRead;
  }

  /** Returns true if the operating system accepted the whole frame. */
  send(bytes: Uint8Array, isBinary: boolean): boolean {
    const { socket } = this;
    this.framesSent++;
    if (!this.#isPingDue()) return socket.send(bytes, isBinary) === 1;
    this.framesAtPing = this.framesSent;
    socket.cork(() => {
      socket.send(bytes, isBinary);
      socket.ping(String(this.framesSent));
    });
    return socket.getBufferedAmount() === 0;
  }

  isBehind(): boolean {
    return this.isBlocked || this.#framesUnread() >= UNREAD_FRAMES_MAX;
  }

  #isPingDue(): boolean {
    const interval = this.#framesUnread() < LAGGING_FRAMES ? PING_FRAMES : LAGGING_PING_FRAMES;
    return this.framesSent - this.framesAtPing >= interval;
  }
}

/** The streams of one world in one encoding. */
export interface Topic {
  readonly worldNumber: number;
  readonly encoding: Encoding;
  readonly watchers: Set<Watcher>;
  /** When its last frame or its first watcher arrived. */
  frameMs: number;
}
