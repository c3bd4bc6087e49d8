import type { Log } from '../log.ts';
import type { Slices } from '../slices.ts';
import type { Time } from '../time.ts';
import {
  CALL_BYTES_MAX,
  CALLS_MAX,
  type LinkAnswer,
  type LinkClient,
  type LinkHandlers,
} from './contract.ts';
import { MalformedMessage } from './msgpack-scan.ts';
import type { Outbox } from './outbox.ts';
import { PieceSender } from './piece-sender.ts';
import {
  ANSWER,
  CALL,
  CANCEL,
  CREDIT,
  FAILED,
  type FromDialler,
  PIECED_ANSWERS_MAX,
  pack,
  shortened,
  VALUE_BYTES_MAX,
} from './wire.ts';

/** Calls that are answered or given up, and those whose handlers still run although they were given up. */
const RUNNING_MAX = 2 * CALLS_MAX;

/** Answers, and refusals where those are too many. */
const WAITING_BYTES_MAX = 2 * CALL_BYTES_MAX;

interface ServedCall {
  id: number;
  bytes: number;
  untilMs: number;
}

interface CallsInParts {
  client: LinkClient;
  handlers: Pick<LinkHandlers, 'called'>;
  outbox: Outbox;
  slices: Slices;
  time: Pick<Time, 'now'>;
  log: Log;
}

/** The calls of a node that has dialled this one. Throws MalformedMessage where it breaks its bounds. */
export class CallsIn {
  readonly #by: CallsInParts;
  readonly #calls = new Map<number, ServedCall>();
  readonly #senders = new Map<number, PieceSender>();
  #bytes = 0;
  #runningCount = 0;
  #highestId = 0;

  constructor(by: CallsInParts) {
    this.#by = by;
  }

  /** Takes what is about calls; returns false for any other message. */
  take(message: FromDialler, bytes: number): boolean {
    switch (message[0]) {
      case CALL: {
        const [, id, deadlineMs, kind, value] = message;
        this.#called({ id, bytes, untilMs: this.#by.time.now() + deadlineMs }, kind, value);
        return true;
      }
      case CANCEL: {
        const id = this.#known(message[1]);
        this.#settle(id);
        this.#senders.get(id)?.stop();
        return true;
      }
      case CREDIT:
        this.#senders.get(this.#known(message[1]))?.grant(message[2]);
        return true;
      default:
        return false;
    }
  }

  /** The connection is gone. */
  end(): void {
    this.#calls.clear();
    for (const sender of this.#senders.values()) sender.stop();
  }

  #called(call: ServedCall, kind: string, value: unknown): void {
    const { id, bytes } = call;
    if (this.#calls.has(id) || this.#senders.has(id)) throw new MalformedMessage('a call twice');
    this.#highestId = Math.max(this.#highestId, id);
    this.#bytes += bytes;
    if (this.#calls.size >= CALLS_MAX || this.#bytes > CALL_BYTES_MAX) {
      throw new MalformedMessage('too many calls');
    }
    if (this.#by.outbox.waitingBytes > WAITING_BYTES_MAX) {
      throw new MalformedMessage('calls without reading their answers');
    }
    this.#calls.set(id, call);
    if (this.#runningCount >= RUNNING_MAX) {
      const refusal = { isSent: false, isOverloaded: true };
      this.#fail(call, 'too many calls that were given up still run', refusal);
      return;
    }
    this.#runningCount += 1;
    void this.#serve(call, kind, value);
  }

  async #serve(call: ServedCall, kind: string, value: unknown): Promise<void> {
    const { client, handlers, log } = this.#by;
    try {
      const answer = await handlers.called(client, kind, value);
      this.#answer(call, answer);
    } catch (error) {
      log.error({ err: error, kind, from: client.process }, 'a call of another node failed');
      this.#fail(call, error instanceof Error ? error.message : String(error));
    }
    this.#runningCount -= 1;
  }

  #answer(call: ServedCall, { value, pieces }: LinkAnswer): void {
    const { outbox } = this.#by;
    if (!this.#isWanted(call)) {
      void discard(pieces);
      return;
    }
    const message = pack([ANSWER, call.id, value, pieces !== undefined]);
    const isTooLong = message.length > VALUE_BYTES_MAX;
    const isTooMuch =
      outbox.waitingBytes + message.length > CALL_BYTES_MAX ||
      (pieces !== undefined && this.#senders.size >= PIECED_ANSWERS_MAX);
    if (isTooLong || isTooMuch) {
      void discard(pieces);
      const text = isTooLong ? `an answer of ${message.length} bytes` : 'too many answers wait';
      this.#fail(call, text, { isSent: true, isOverloaded: isTooMuch });
      return;
    }
    this.#settle(call.id);
    if (pieces !== undefined) this.#sendPieces(call.id, pieces);
    outbox.send(message);
  }

  #sendPieces(id: number, pieces: AsyncIterable<Uint8Array>): void {
    const { outbox, slices } = this.#by;
    const ended = () => void this.#senders.delete(id);
    this.#senders.set(id, new PieceSender(id, pieces, { outbox, slices, ended }));
  }

  #fail(call: ServedCall, text: string, how = { isSent: true, isOverloaded: false }): void {
    if (!this.#isWanted(call)) return;
    this.#settle(call.id);
    const { isSent, isOverloaded } = how;
    this.#by.outbox.send(pack([FAILED, call.id, shortened(text), isSent, isOverloaded]));
  }

  /** Not once the caller has given up, or the connection is gone. */
  #isWanted(call: ServedCall): boolean {
    return this.#calls.get(call.id) === call && this.#by.time.now() < call.untilMs;
  }

  #settle(id: number): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    this.#bytes -= call.bytes;
  }

  #known(id: number): number {
    if (id > this.#highestId) throw new MalformedMessage('about a call that never came');
    return id;
  }
}

/** Ends a producer that nobody reads. */
async function discard(pieces: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  try {
    await pieces?.[Symbol.asyncIterator]().return?.();
  } catch {
    // It is over in any case.
  }
}
