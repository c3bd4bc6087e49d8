import type { Time } from '../time.ts';
import { SILENCE_MS } from './contract.ts';
import { endOfValue, MalformedMessage } from './msgpack-scan.ts';
import type { LinkSocket } from './net.ts';
import { Outbox } from './outbox.ts';
import { PartsIn } from './parts-in.ts';
import { ABORT, PART, PING, pack, unpack, type WireMessage } from './wire.ts';

export interface ConnectionParts<Message extends WireMessage> {
  socket: LinkSocket;
  time: Pick<Time, 'immediate'>;
  /** Throws MalformedMessage for what the other end must not send. */
  checked: (message: unknown) => Message;
  /** Takes what is not about parts and pings. Throws MalformedMessage too. */
  handle: (message: Message, bytes: number) => void;
  /** @param stamp see `wire.ts` */
  pinged: (value: unknown, stamp: number | null) => void;
  /** Called once. */
  ended: (reason: string) => void;
  relieved?: () => void;
}

/**
 * A connection after its handshake, at either end: takes messages apart, puts parts together, and ends
 * when the other end falls silent or sends what it must not.
 */
export class Connection<Message extends WireMessage> {
  readonly outbox: Outbox;
  readonly #by: ConnectionParts<Message>;
  readonly #parts = new PartsIn();
  #silentMs = 0;
  #isEnded = false;

  constructor(by: ConnectionParts<Message>) {
    this.#by = by;
    this.outbox = new Outbox(by.socket, by.time, by.relieved);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  receive(bytes: Uint8Array): void {
    this.#silentMs = 0;
    try {
      for (let start = 0; start < bytes.length && !this.#isEnded; ) {
        const end = endOfValue(bytes, start);
        this.#take(this.#by.checked(unpack(bytes, start, end)), end - start);
        start = end;
      }
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.end(error.message);
    }
  }

  #take(message: Message, bytes: number): void {
    if (message[0] === PING) this.#by.pinged(message[1], message[2]);
    else if (message[0] === PART) {
      const whole = this.#parts.add(message[1], message[2], message[3]);
      if (whole !== undefined) this.#takeWhole(whole);
    } else if (message[0] === ABORT) this.#parts.abort(message[1]);
    else this.#by.handle(message, bytes);
  }

  #takeWhole(whole: Uint8Array): void {
    const end = endOfValue(whole, 0);
    const message = this.#by.checked(unpack(whole, 0, end));
    if (end !== whole.length || message[0] === PART) throw new MalformedMessage('parts of parts');
    this.#take(message, end);
  }

  ping(value: unknown, stamp: number | null): void {
    this.outbox.send(pack([PING, value, stamp]));
  }

  /** Ends the connection after too long a silence. @param passedMs since the last call */
  sweep(passedMs: number): void {
    this.#silentMs += passedMs;
    if (this.#silentMs >= SILENCE_MS) this.end(`no sign of life for ${SILENCE_MS} ms`);
  }

  end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.outbox.end();
    this.#by.socket.end();
    this.#by.ended(reason);
  }
}
