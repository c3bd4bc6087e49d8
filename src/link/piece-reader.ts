import type { LinkBroken } from './contract.ts';
import { MalformedMessage } from './msgpack-scan.ts';
import { CHUNK_BYTES, WINDOW_BYTES } from './wire.ts';

interface Waiting {
  resolve(result: IteratorResult<Uint8Array>): void;
  reject(error: LinkBroken): void;
}

const DONE = { done: true, value: undefined } as const;

/** The pieces of an answer, for one reader. What is sent ahead of it is bounded. */
export class PieceReader implements AsyncIterableIterator<Uint8Array> {
  readonly #grant: (bytes: number) => void;
  readonly #cancel: () => void;
  #pieces: Uint8Array[] = [];
  #waiting: Waiting[] = [];
  #unreadBytes = 0;
  #readBytes = 0;
  #error: LinkBroken | undefined;
  #isEnded = false;

  /**
   * @param grant lets the other end send so many bytes more
   * @param cancel called if the reader wants no more before the end
   */
  constructor(grant: (bytes: number) => void, cancel: () => void) {
    this.#grant = grant;
    this.#cancel = cancel;
    grant(WINDOW_BYTES);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  push(piece: Uint8Array): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      this.#read(piece);
      waiting.resolve({ done: false, value: piece });
      return;
    }
    this.#unreadBytes += piece.length;
    if (this.#unreadBytes > WINDOW_BYTES) throw new MalformedMessage('pieces nobody asked for');
    this.#pieces.push(piece);
  }

  end(): void {
    this.#isEnded = true;
    for (const { resolve } of this.#waiting) resolve(DONE);
    this.#waiting = [];
  }

  fail(error: LinkBroken): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const [first, ...others] = this.#waiting;
    if (first === undefined) this.#error = error;
    else first.reject(error);
    for (const { resolve } of others) resolve(DONE);
    this.#waiting = [];
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#unreadBytes -= piece.length;
      this.#read(piece);
      return Promise.resolve({ done: false, value: piece });
    }
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) return Promise.reject(error);
    if (this.#isEnded) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#pieces = [];
    this.#error = undefined;
    if (!this.#isEnded) {
      this.end();
      this.#cancel();
    }
    return Promise.resolve(DONE);
  }

  #read(piece: Uint8Array): void {
    this.#readBytes += piece.length;
    if (this.#isEnded || this.#readBytes < CHUNK_BYTES) return;
    this.#grant(this.#readBytes);
    this.#readBytes = 0;
  }
}
