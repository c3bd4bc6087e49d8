import { CALL_BYTES_MAX } from './contract.ts';
import { MalformedMessage } from './msgpack-scan.ts';
import { CHUNK_BYTES, VALUE_BYTES_MAX } from './wire.ts';

/** Calls or answers, and one message of those that keep their order. */
const BYTES_MAX = CALL_BYTES_MAX + VALUE_BYTES_MAX;

interface Stream {
  parts: Uint8Array[];
  bytes: number;
}

/** Long messages of which parts have come. Throws MalformedMessage where they are too many or too long. */
export class PartsIn {
  readonly #streams = new Map<number, Stream>();
  #bytes = 0;

  /** Returns the whole message with its last part. */
  add(stream: number, isLast: boolean, part: Uint8Array): Uint8Array | undefined {
    // Or else the list of parts would be longer than what is in them.
    if (!isLast && part.length !== CHUNK_BYTES) throw new MalformedMessage('a short part');
    const known = this.#streams.get(stream) ?? { parts: [], bytes: 0 };
    known.parts.push(part);
    known.bytes += part.length;
    this.#bytes += part.length;
    if (known.bytes > VALUE_BYTES_MAX) throw new MalformedMessage('a message too long');
    if (this.#bytes > BYTES_MAX) throw new MalformedMessage('too many parts');
    if (!isLast) {
      this.#streams.set(stream, known);
      return undefined;
    }
    this.abort(stream, known.bytes);
    const whole = new Uint8Array(known.bytes);
    let position = 0;
    for (const each of known.parts) {
      whole.set(each, position);
      position += each.length;
    }
    return whole;
  }

  /** Forgets what has come of a message. */
  abort(stream: number, bytes = this.#streams.get(stream)?.bytes ?? 0): void {
    this.#bytes -= bytes;
    this.#streams.delete(stream);
  }
}
