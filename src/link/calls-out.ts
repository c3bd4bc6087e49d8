import type { Time } from '../time.ts';
import { CALL_BYTES_MAX, CALLS_MAX, type LinkAnswer, LinkBroken } from './contract.ts';
import { MalformedMessage } from './msgpack-scan.ts';
import type { Outbox, Sending } from './outbox.ts';
import { PieceReader } from './piece-reader.ts';
import {
  ANSWER,
  BROKE,
  CALL,
  CANCEL,
  CREDIT,
  END,
  FAILED,
  type FromServer,
  PIECE,
  PIECED_ANSWERS_MAX,
  pack,
  VALUE_BYTES_MAX,
} from './wire.ts';

interface PendingCall {
  sending: Sending;
  bytes: number;
  deadlineMs: number;
  untilMs: number;
  resolve(answer: LinkAnswer): void;
  reject(error: LinkBroken): void;
}

/** The calls over one connection that this node has dialled. */
export class CallsOut {
  readonly #process: string;
  readonly #outbox: Outbox;
  readonly #time: Pick<Time, 'now'>;
  readonly #pending = new Map<number, PendingCall>();
  readonly #readers = new Map<number, PieceReader>();
  #bytes = 0;
  #lastId = 0;

  constructor(process: string, outbox: Outbox, time: Pick<Time, 'now'>) {
    this.#process = process;
    this.#outbox = outbox;
    this.#time = time;
  }

  /** As `call` of Link. Rejects with TypeError for a value that MessagePack cannot carry. */
  call(kind: string, value: unknown, deadlineMs: number): Promise<LinkAnswer> {
    return new Promise((resolve, reject) => {
      const wholeMs = Math.ceil(deadlineMs);
      if (!(wholeMs > 0)) throw this.#refusal('no time is left');
      if (this.#pending.size >= CALLS_MAX || this.#bytes >= CALL_BYTES_MAX) throw this.#overload();
      const id = this.#lastId + 1;
      const message = pack([CALL, id, wholeMs, kind, value]);
      const { length: bytes } = message;
      if (bytes > VALUE_BYTES_MAX) throw this.#refusal(`${bytes} bytes are too many`);
      if (this.#bytes + bytes > CALL_BYTES_MAX) throw this.#overload();
      this.#lastId = id;
      this.#bytes += bytes;
      const untilMs = this.#time.now() + deadlineMs;
      const sending = this.#outbox.send(message);
      this.#pending.set(id, { sending, bytes, deadlineMs, untilMs, resolve, reject });
    });
  }

  /** Takes what is about calls; returns false for any other message. */
  take(message: FromServer): boolean {
    switch (message[0]) {
      case ANSWER:
        this.#answered(message[1], message[2], message[3]);
        return true;
      case FAILED: {
        const [, id, text, isSent, isOverloaded] = message;
        this.#settle(id)?.reject(new LinkBroken(text, { isSent, isOverloaded }));
        return true;
      }
      case PIECE:
        this.#readerOf(message[1])?.push(message[2]);
        return true;
      case END:
        this.#readerOf(message[1])?.end();
        this.#readers.delete(message[1]);
        return true;
      case BROKE:
        this.#readerOf(message[1])?.fail(new LinkBroken(message[2], { isSent: true }));
        this.#readers.delete(message[1]);
        return true;
      default:
        return false;
    }
  }

  /** Gives up the calls whose time is over. */
  sweep(nowMs: number): void {
    for (const [id, { untilMs, deadlineMs, sending }] of this.#pending) {
      if (untilMs > nowMs) continue;
      const isSent = !sending.stop();
      if (isSent) this.#outbox.send(pack([CANCEL, id]));
      const text = `${this.#process} has not answered within ${deadlineMs} ms`;
      this.#settle(id)?.reject(new LinkBroken(text, { isSent }));
    }
  }

  /** The connection is gone. */
  end(reason: string): void {
    const text = `the link to ${this.#process} is broken: ${reason}`;
    for (const [id, { sending }] of this.#pending) {
      this.#settle(id)?.reject(new LinkBroken(text, { isSent: sending.isSent }));
    }
    for (const reader of this.#readers.values())
      reader.fail(new LinkBroken(text, { isSent: true }));
    this.#readers.clear();
  }

  #answered(id: number, value: unknown, hasPieces: boolean): void {
    const call = this.#settle(id);
    if (call === undefined) return;
    if (!hasPieces) {
      call.resolve({ value });
      return;
    }
    if (this.#readers.size >= PIECED_ANSWERS_MAX) throw new MalformedMessage('too many pieces');
    const pieces = new PieceReader(
      (bytes) => void this.#outbox.send(pack([CREDIT, id, bytes])),
      () => {
        this.#readers.delete(id);
        this.#outbox.send(pack([CANCEL, id]));
      },
    );
    this.#readers.set(id, pieces);
    call.resolve({ value, pieces });
  }

  /** Undefined for a call that was given up. */
  #settle(id: number): PendingCall | undefined {
    this.#check(id);
    const call = this.#pending.get(id);
    if (call === undefined) return undefined;
    this.#pending.delete(id);
    this.#bytes -= call.bytes;
    return call;
  }

  #readerOf(id: number): PieceReader | undefined {
    this.#check(id);
    return this.#readers.get(id);
  }

  #check(id: number): void {
    if (id > this.#lastId) throw new MalformedMessage('an answer to no call');
  }

  #refusal(text: string): LinkBroken {
    return new LinkBroken(`not sent to ${this.#process}: ${text}`, { isSent: false });
  }

  #overload(): LinkBroken {
    const text = `too many calls wait for ${this.#process}`;
    return new LinkBroken(text, { isSent: false, isOverloaded: true });
  }
}
