const HEAD_END = Buffer.from('\r\n\r\n');
const EMPTY = Buffer.alloc(0);
const STATUS_LINE = /^HTTP\/1\.1 (\d{3})/;
const LINE_END = Buffer.from('\r\n');
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const SWITCHING_PROTOCOLS = 101;

/**
 * Cuts a byte stream into HTTP/1.1 answers and keeps no body, however large. Behind an upgrade and
 * behind anything that is no answer it ignores the stream.
 */
export class AnswerCounter {
  /** The beginning of a head, or of the line before a chunk. */
  #head: Buffer = EMPTY;
  #status = 0;
  /** Of the body, or of a chunk of it. */
  #bodyBytesLeft = 0;
  /** Another chunk follows. */
  #isChunked = false;
  #isOver = false;
  readonly #answered: (status: number) => void;
  /** The answers that come have a length and no body. */
  isHeadAsked = false;

  /** @param answered is called when an answer has come completely */
  constructor(answered: (status: number) => void) {
    this.#answered = answered;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !this.#isOver) {
      if (this.#bodyBytesLeft > 0) rest = this.#skipBody(rest);
      else rest = this.#isChunked ? this.#takeChunkLine(rest) : this.#takeHead(rest);
    }
  }

  #skipBody(chunk: Buffer): Buffer {
    const skipped = Math.min(chunk.length, this.#bodyBytesLeft);
    this.#bodyBytesLeft -= skipped;
    if (this.#bodyBytesLeft === 0 && !this.#isChunked) this.#answered(this.#status);
    return chunk.subarray(skipped);
  }

  #takeChunkLine(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.#head, chunk]);
    const lineBytes = bytes.indexOf(LINE_END);
    this.#head = lineBytes < 0 ? bytes : EMPTY;
    if (lineBytes < 0) return EMPTY;
    const chunkBytes = Number.parseInt(bytes.toString('latin1', 0, lineBytes), 16);
    this.#isChunked = chunkBytes > 0;
    this.#bodyBytesLeft = chunkBytes + LINE_END.length;
    return bytes.subarray(lineBytes + LINE_END.length);
  }

  #takeHead(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.#head, chunk]);
    const headBytes = bytes.indexOf(HEAD_END);
    if (headBytes < 0) {
      this.#head = bytes;
      return EMPTY;
    }
    this.#head = EMPTY;
    const head = bytes.toString('latin1', 0, headBytes);
    this.#status = Number(STATUS_LINE.exec(head)?.[1] ?? 0);
    this.#isOver = this.#status <= SWITCHING_PROTOCOLS;
    this.#bodyBytesLeft = this.isHeadAsked ? 0 : Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
    this.#isChunked = !this.isHeadAsked && CHUNKED.test(head);
    if (this.#bodyBytesLeft === 0 && !this.#isChunked) this.#answered(this.#status);
    return bytes.subarray(headBytes + HEAD_END.length);
  }
}
