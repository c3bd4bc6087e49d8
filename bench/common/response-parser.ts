/** One HTTP/1.1 answer. `head` is the status line and the header lines, as received. */
export interface Answer {
  status: number;
  head: string;
  body: Buffer;
}

const EMPTY = Buffer.alloc(0);
const HEAD_END = Buffer.from('\r\n\r\n');
const HEAD_BYTES_MAX = 16 * 1024;
const STATUS_LINE = /^HTTP\/1\.1 (\d{3})/;
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const TRANSFER_ENCODING = /\r\ntransfer-encoding:/i;

/**
 * Cuts a byte stream into answers. Answers need a Content-Length: throws an Error for chunked ones and
 * for those that end with the connection.
 */
export class ResponseParser {
  #pending: Buffer = EMPTY;
  readonly #answered: (answer: Answer) => void;

  constructor(answered: (answer: Answer) => void) {
    this.#answered = answered;
  }

  push(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (let answer = this.#take(); answer; answer = this.#take()) this.#answered(answer);
  }

  #take(): Answer | undefined {
    const headBytes = this.#pending.indexOf(HEAD_END);
    if (headBytes < 0) {
      if (this.#pending.length > HEAD_BYTES_MAX) throw new Error('an answer without end of head');
      return undefined;
    }
    const head = this.#pending.toString('latin1', 0, headBytes);
    const status = Number(STATUS_LINE.exec(head)?.[1]);
    if (!(status >= 200)) throw new Error(`not an HTTP/1.1 answer: ${head.slice(0, 40)}`);
    const bodyFrom = headBytes + HEAD_END.length;
    const bodyTo = bodyFrom + bodyBytes(status, head);
    if (this.#pending.length < bodyTo) return undefined;
    const body = this.#pending.subarray(bodyFrom, bodyTo);
    this.#pending = this.#pending.subarray(bodyTo);
    return { status, head, body };
  }
}

/** RFC 9112, 6.3, as far as this client goes. */
function bodyBytes(status: number, head: string): number {
  if (status === 204 || status === 304) return 0;
  const length = CONTENT_LENGTH.exec(head)?.[1];
  if (length === undefined || TRANSFER_ENCODING.test(head)) {
    throw new Error(`an answer without Content-Length: ${head.slice(0, 40)}`);
  }
  return Number(length);
}
