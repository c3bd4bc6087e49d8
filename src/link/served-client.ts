import type { Log } from '../log.ts';
import type { Slices } from '../slices.ts';
import type { Time } from '../time.ts';
import { CallsIn } from './calls-in.ts';
import { Connection } from './connection.ts';
import { FRAME_BYTES_MAX, type LinkClient, type LinkHandlers } from './contract.ts';
import type { LinkSocket } from './net.ts';
import { asFromDialler, type FromDialler, NOTE, packBefore, VALUE_BYTES_MAX } from './wire.ts';

const NO_BYTES = new Uint8Array(0);

export interface ServedClientParts {
  handlers: LinkHandlers;
  slices: Slices;
  time: Pick<Time, 'now' | 'immediate'>;
  log: Log;
  /** Called once. */
  ended: (client: ServedClient) => void;
}

/** A node that has dialled this one and has proved that it is of the cluster. */
export class ServedClient implements LinkClient {
  readonly process: string;
  readonly connection: Connection<FromDialler>;
  readonly #by: ServedClientParts;
  readonly #calls: CallsIn;
  /** What is to be given back with the next ping: the stamp less the time at which it came. */
  #heldStampMs: number | null = null;
  /** A message was dropped since there was room. */
  #hasDropped = false;

  constructor(process: string, socket: LinkSocket, by: ServedClientParts) {
    this.process = process;
    this.#by = by;
    const { handlers, slices, time, log } = by;
    this.connection = new Connection<FromDialler>({
      socket,
      time,
      checked: asFromDialler,
      handle: (message, bytes) => this.#handle(message, bytes),
      pinged: (value, stamp) => {
        this.#heldStampMs = stamp === null ? null : stamp - time.now();
        handlers.pinged(process, value);
      },
      ended: (reason) => this.#ended(reason),
      relieved: () => this.#relieved(),
    });
    const { outbox } = this.connection;
    this.#calls = new CallsIn({ client: this, handlers, outbox, slices, time, log });
  }

  /** Throws TypeError for a value that MessagePack cannot carry, RangeError for more than 2 MiB. */
  send(kind: string, value: unknown, bytes = NO_BYTES): boolean {
    if (this.connection.isEnded) return false;
    const { outbox } = this.connection;
    if (outbox.waitingBytes > FRAME_BYTES_MAX) {
      this.#hasDropped = true;
      return false;
    }
    const head = packBefore(kind, value, bytes.length);
    const length = head.length + bytes.length;
    if (length > VALUE_BYTES_MAX) throw new RangeError(`a message of ${length} bytes is too long`);
    outbox.sendInOrder(head, bytes);
    return true;
  }

  ping(value: unknown): void {
    const held = this.#heldStampMs;
    this.#heldStampMs = null;
    this.connection.ping(value, held === null ? null : held + this.#by.time.now());
  }

  #handle(message: FromDialler, bytes: number): void {
    if (this.#calls.take(message, bytes)) return;
    if (message[0] === NOTE) this.#by.handlers.noted(this, message[1], message[2]);
  }

  #relieved(): void {
    if (!this.#hasDropped || this.connection.outbox.waitingBytes > FRAME_BYTES_MAX / 2) return;
    this.#hasDropped = false;
    // Not amid what has made the room.
    this.#by.time.immediate(() => {
      if (!this.connection.isEnded) this.#by.handlers.drained(this);
    });
  }

  #ended(reason: string): void {
    this.#calls.end();
    this.#by.log.info({ process: this.process, reason }, 'a node that had dialled is gone');
    this.#by.ended(this);
  }
}
