import { BACKPRESSURE_BYTES_MAX } from '../../limits.ts';
import type { EncodedHello, LockstepNews, WorldPulse } from '../../twin/lockstep.ts';
import type { StreamSocket } from '../server/server-options.ts';

/** A reader may leave so many bytes unread, in addition to its hello. */
const UNREAD_BYTES_MAX = 64 * 1024;
/** Messages that may come while a stream opens. */
const WAITING_MAX = 1000;

/** Of a change with its number in the journal: who has it already does not get it again. */
export type LockstepSend = Pick<LockstepNews, 'bytes' | 'seq'>;

/** One stream of a client that lives its world itself. */
export class LockstepWatcher {
  readonly topic: LockstepTopic;
  #socket: StreamSocket | undefined;
  /** What came before the stream was open; then what the socket takes later, in order. */
  #waiting: LockstepSend[] = [];
  /** Of an open stream. */
  #waitingBytes = 0;
  /** Ends the stream as soon as it opens. */
  #endEarly: ((socket: StreamSocket) => void) | undefined;
  #seq = 0;
  #unreadMax = UNREAD_BYTES_MAX;
  /** When the reader last read something while bytes waited; undefined: none wait. */
  blockedMs: number | undefined;

  constructor(topic: LockstepTopic) {
    this.topic = topic;
  }

  get isOpen(): boolean {
    return this.#socket !== undefined && this.topic.watchers.has(this);
  }

  /** Of an open stream. */
  get socket(): StreamSocket {
    if (this.#socket === undefined) throw new Error('the stream is not open yet');
    return this.#socket;
  }

  /** Sends the hello, and what came since it was made. Returns the number of bytes. */
  open(socket: StreamSocket, hello: EncodedHello, nowMs: number): number {
    this.#socket = socket;
    this.#seq = hello.pulse.seq;
    this.#unreadMax += hello.bytes.byteLength;
    const waiting = this.#waiting.splice(0);
    if (this.#endEarly !== undefined) {
      this.#endEarly(socket);
      return 0;
    }
    const sends = [{ bytes: hello.bytes, seq: undefined }, ...waiting];
    return sends.reduce((sum, each) => sum + this.send(each, nowMs), 0);
  }

  /** Ends the stream, or has it end as soon as it opens. */
  end(code: 1012 | 1013, reason: string): void {
    if (this.#socket === undefined) this.#endEarly ??= (socket) => socket.end(code, reason);
    else if (this.isOpen) this.#socket.end(code, reason);
  }

  /** Returns the number of bytes that were sent. */
  send(message: LockstepSend, nowMs: number): number {
    const { bytes, seq } = message;
    if (this.#socket === undefined) {
      if (this.#waiting.length < WAITING_MAX) this.#waiting.push(message);
      else this.end(1012, 'too many changes while the stream opened');
      return 0;
    }
    if (seq !== undefined && seq <= this.#seq) return 0;
    if (seq !== undefined) this.#seq = seq;
    // None may be left out: a client that cannot keep up begins anew.
    if (this.#socket.getBufferedAmount() + this.#waitingBytes > this.#unreadMax) {
      this.#socket.end(1013, 'the client does not read');
      return 0;
    }
    if (this.#waiting.length === 0 && this.#hasRoom) return this.#write(bytes, nowMs);
    this.#waiting.push(message);
    this.#waitingBytes += bytes.byteLength;
    return 0;
  }

  /** Without it the socket would drop a message, such as while its reader takes a long hello. */
  get #hasRoom(): boolean {
    return this.socket.getBufferedAmount() <= BACKPRESSURE_BYTES_MAX;
  }

  #write(bytes: Uint8Array, nowMs: number): number {
    if (this.socket.send(bytes, true) !== 1) this.blockedMs ??= nowMs;
    return bytes.byteLength;
  }

  /** The operating system accepted some of the bytes that waited. Returns the number of bytes that were sent. */
  drained(nowMs: number): number {
    let sent = 0;
    while (this.#waiting.length > 0 && this.#hasRoom) {
      const [{ bytes }] = this.#waiting.splice(0, 1) as [LockstepSend];
      this.#waitingBytes -= bytes.byteLength;
      sent += this.#write(bytes, nowMs);
    }
    this.blockedMs = this.socket.getBufferedAmount() > 0 ? nowMs : undefined;
    return sent;
  }
}

/** The lockstep streams of one world. */
export interface LockstepTopic {
  readonly worldNumber: number;
  readonly watchers: Set<LockstepWatcher>;
  /** Under delivery; the first one partly. */
  readonly queue: Delivery[];
  /** The last that is known of the world, at a time of `Time.now`. */
  pulse: WorldPulse & { atMs: number };
}

export interface Delivery {
  readonly message: LockstepSend;
  readonly watchers: Iterator<LockstepWatcher>;
}
