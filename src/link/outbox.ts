import type { StopTimer, Time } from '../time.ts';
import type { LinkSocket } from './net.ts';
import { ABORT, CHUNK_BYTES, PART, pack } from './wire.ts';

/** Chunks are handed to the socket while fewer bytes wait there: what is short waits for no more. */
const AHEAD_BYTES = 2 * CHUNK_BYTES;
/** Messages of lanes in one turn of the event loop. */
const LANE_MESSAGES_PER_TURN = 8;
const FIRST_BATCH_BYTES = 4096;

const NOTHING = new Uint8Array(0);

/** A source of messages that takes turns with others. */
export interface Lane {
  /** The next message, of at most a chunk and what describes it; undefined: `wake` tells of the next. */
  take(): Uint8Array | undefined;
}

/** A message on its way. */
export interface Sending {
  /** Whether the socket may have it, whole. */
  readonly isSent: boolean;
  /** Sends no more of it, if it is cut into parts. Returns false if the socket may have it, whole. */
  stop(): boolean;
}

/**
 * What one connection still has to send. Short messages of one turn of the event loop go in one message
 * of the socket. Long ones are cut into parts, which take turns with those of others, so that nothing
 * short waits for them.
 */
export class Outbox {
  readonly #socket: LinkSocket;
  readonly #time: Pick<Time, 'immediate'>;
  readonly #relieved: () => void;
  readonly #batch = new Batch();
  /** Counts the batches that the socket has got. */
  #flushed = 0;
  #lanes: Lane[] = [];
  readonly #inOrder = new OrderedLane(() => this.#newStream());
  #laneBytes = 0;
  #streams = 0;
  #isScheduled = false;
  #stopTurn: StopTimer = () => {};

  /** @param relieved called whenever fewer bytes may wait than before */
  constructor(socket: LinkSocket, time: Pick<Time, 'immediate'>, relieved: () => void = () => {}) {
    this.#socket = socket;
    this.#time = time;
    this.#relieved = relieved;
  }

  /** Bytes that the operating system has not got yet. */
  get waitingBytes(): number {
    const { waitingBytes } = this.#inOrder;
    return this.#batch.byteLength + this.#laneBytes + waitingBytes + this.#socket.bufferedBytes;
  }

  /** Sends a message of any length. A long one is overtaken by shorter ones. */
  send(message: Uint8Array): Sending {
    if (message.length <= CHUNK_BYTES) {
      const batch = this.#flushed;
      this.#add(message);
      return new Batched(() => batch < this.#flushed);
    }
    this.#laneBytes += message.length;
    const lane: PartLane = new PartLane(message, this.#newStream(), (bytes) => {
      this.#laneBytes -= bytes;
    });
    this.wake(lane);
    return {
      get isSent() {
        return lane.isTaken;
      },
      stop: () => this.#abort(lane),
    };
  }

  /** Sends a message, which may come in two parts, behind all others that were sent so. */
  sendInOrder(message: Uint8Array, rest: Uint8Array = NOTHING): void {
    if (message.length + rest.length <= CHUNK_BYTES && this.#inOrder.waitingBytes === 0) {
      this.#add(message, rest);
      return;
    }
    this.#inOrder.push(rest.length === 0 ? message : Buffer.concat([message, rest]));
    this.wake(this.#inOrder);
  }

  /** A lane has a message. */
  wake(lane: Lane): void {
    this.#join(lane);
    this.#schedule();
  }

  /** A lane has no more messages. */
  remove(lane: Lane): void {
    this.#lanes = this.#lanes.filter((each) => each !== lane);
  }

  /** The socket has fewer bytes. */
  drained(): void {
    if (this.#lanes.length > 0) this.#schedule();
    this.#relieved();
  }

  /** Sends nothing any more. */
  end(): void {
    this.#stopTurn();
    this.#isScheduled = true;
    this.#lanes = [];
  }

  #join(lane: Lane): void {
    if (!this.#lanes.includes(lane)) this.#lanes.push(lane);
  }

  #newStream(): number {
    this.#streams += 1;
    return this.#streams;
  }

  #add(message: Uint8Array, rest: Uint8Array = NOTHING): void {
    this.#batch.add(message);
    if (rest.length > 0) this.#batch.add(rest);
    if (this.#batch.byteLength >= CHUNK_BYTES) this.#flush();
    else this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#stopTurn = this.#time.immediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    // First what is short.
    this.#flush();
    this.#takeFromLanes();
    this.#flush();
    this.#relieved();
  }

  #flush(): void {
    if (this.#batch.byteLength === 0) return;
    this.#flushed += 1;
    this.#socket.send(this.#batch.take());
  }

  #takeFromLanes(): void {
    for (let taken = 0; taken < LANE_MESSAGES_PER_TURN; taken += 1) {
      if (this.#socket.bufferedBytes + this.#batch.byteLength >= AHEAD_BYTES) return;
      const lane = this.#lanes.shift();
      const message = lane?.take();
      if (lane === undefined) return;
      if (message === undefined) continue;
      this.#join(lane);
      this.#add(message);
    }
    if (this.#lanes.length > 0) this.#schedule();
  }

  #abort(lane: PartLane): boolean {
    if (lane.isTaken) return false;
    this.remove(lane);
    this.#laneBytes -= lane.leftBytes;
    if (lane.isBegun) this.#add(pack([ABORT, lane.stream]));
    return true;
  }
}

/**
 * Messages that are sent together, in memory that is used again: what is allocated for each message would
 * have to be collected.
 */
class Batch {
  byteLength = 0;
  #memory = new Uint8Array(FIRST_BATCH_BYTES);

  add(bytes: Uint8Array): void {
    const end = this.byteLength + bytes.length;
    if (end > this.#memory.length) this.#grow(end);
    this.#memory.set(bytes, this.byteLength);
    this.byteLength = end;
  }

  /** Empties it. The result is valid until a message is added. */
  take(): Uint8Array {
    const bytes = this.#memory.subarray(0, this.byteLength);
    this.byteLength = 0;
    return bytes;
  }

  #grow(bytesMin: number): void {
    const larger = new Uint8Array(Math.max(bytesMin, 2 * this.#memory.length));
    larger.set(this.#memory.subarray(0, this.byteLength));
    this.#memory = larger;
  }
}

class Batched implements Sending {
  readonly #isSent: () => boolean;

  constructor(isSent: () => boolean) {
    this.#isSent = isSent;
  }

  get isSent(): boolean {
    return this.#isSent();
  }

  stop(): boolean {
    return false;
  }
}

/** One long message, in parts. */
class PartLane implements Lane {
  readonly stream: number;
  readonly #message: Uint8Array;
  readonly #taken: (bytes: number) => void;
  #position = 0;

  /** @param taken called with the bytes of each part */
  constructor(message: Uint8Array, stream: number, taken: (bytes: number) => void) {
    this.#message = message;
    this.stream = stream;
    this.#taken = taken;
  }

  get isBegun(): boolean {
    return this.#position > 0;
  }

  get isTaken(): boolean {
    return this.#position === this.#message.length;
  }

  get leftBytes(): number {
    return this.#message.length - this.#position;
  }

  take(): Uint8Array | undefined {
    if (this.isTaken) return undefined;
    const bytes = this.#message.subarray(this.#position, this.#position + CHUNK_BYTES);
    this.#position += bytes.length;
    this.#taken(bytes.length);
    return pack([PART, this.stream, this.isTaken, bytes]);
  }
}

/** Messages that keep their order. */
class OrderedLane implements Lane {
  waitingBytes = 0;
  readonly #newStream: () => number;
  readonly #messages: Uint8Array[] = [];
  #parts: PartLane | undefined;

  constructor(newStream: () => number) {
    this.#newStream = newStream;
  }

  push(message: Uint8Array): void {
    this.#messages.push(message);
    this.waitingBytes += message.length;
  }

  take(): Uint8Array | undefined {
    const part = this.#parts?.take();
    if (part !== undefined) return part;
    this.#parts = undefined;
    const message = this.#messages.shift();
    if (message === undefined) return undefined;
    if (message.length <= CHUNK_BYTES) {
      this.waitingBytes -= message.length;
      return message;
    }
    this.#parts = new PartLane(message, this.#newStream(), (bytes) => {
      this.waitingBytes -= bytes;
    });
    return this.#parts.take();
  }
}
