import type { Slices } from '../slices.ts';
import { MalformedMessage } from './msgpack-scan.ts';
import type { Lane, Outbox } from './outbox.ts';
import { BROKE, CHUNK_BYTES, END, PIECE, pack, shortened, WINDOW_BYTES } from './wire.ts';

interface SenderParts {
  outbox: Outbox;
  /** One piece is made in a turn of the event loop. */
  slices: Pick<Slices, 'next'>;
  /** Called once there is nothing more to send. */
  ended: () => void;
}

/** Sends the pieces of one answer, as fast as they are read. The next one is made when it may be sent. */
export class PieceSender implements Lane {
  readonly #id: number;
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #by: SenderParts;
  #creditBytes = 0;
  #piece: Uint8Array = new Uint8Array();
  #isMaking = false;
  #last: Uint8Array | undefined;
  #isOver = false;

  constructor(id: number, pieces: AsyncIterable<Uint8Array>, by: SenderParts) {
    this.#id = id;
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#by = by;
  }

  /** The reader takes so many bytes more. */
  grant(bytes: number): void {
    this.#creditBytes += bytes;
    if (this.#creditBytes > WINDOW_BYTES) throw new MalformedMessage('more credit than was used');
    this.#goOn();
  }

  take(): Uint8Array | undefined {
    if (this.#piece.length > 0 && this.#creditBytes > 0) {
      const length = Math.min(this.#piece.length, CHUNK_BYTES, this.#creditBytes);
      const message = pack([PIECE, this.#id, this.#piece.subarray(0, length)]);
      this.#piece = this.#piece.subarray(length);
      this.#creditBytes -= length;
      this.#goOn();
      return message;
    }
    const last = this.#last;
    if (last !== undefined && !this.#isOver) {
      this.#isOver = true;
      this.#by.ended();
      return last;
    }
    return undefined;
  }

  /** Nobody reads any further. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#piece = new Uint8Array();
    this.#by.outbox.remove(this);
    // What goes wrong in a producer that nobody needs is nobody's concern.
    if (this.#last === undefined) void endOf(this.#pieces);
    this.#by.ended();
  }

  #goOn(): void {
    if (this.#creditBytes === 0 || this.#isOver) return;
    if (this.#piece.length > 0) this.#by.outbox.wake(this);
    else if (!this.#isMaking && this.#last === undefined) void this.#make();
  }

  async #make(): Promise<void> {
    this.#isMaking = true;
    await this.#by.slices.next();
    if (this.#isOver) return;
    try {
      const { done, value } = await this.#pieces.next();
      if (done) this.#last = pack([END, this.#id]);
      else this.#piece = value;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#last = pack([BROKE, this.#id, shortened(text)]);
    }
    this.#isMaking = false;
    if (this.#isOver) return;
    if (this.#last !== undefined) this.#by.outbox.wake(this);
    else this.#goOn();
  }
}

async function endOf(pieces: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    await pieces.return?.();
  } catch {
    // It is over in any case.
  }
}
