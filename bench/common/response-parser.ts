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
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
const LINE_END = Buffer.from('\r\n');

interface Body {
  bytes: Buffer;
  /** Where it ends. */
  end: number;
}

/** Cuts a byte stream into answers. Throws an Error for answers that end with the connection. */
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
    const body = CHUNKED.test(head)
      ? chunkedBody(this.#pending, bodyFrom)
      : wholeBody(this.#pending, bodyFrom, bodyBytes(status, head));
    if (body === undefined) return undefined;
    this.#pending = this.#pending.subarray(body.end);
    return { status, head, body: body.bytes };
  }
}

/** RFC 9112, 6.3, as far as this client goes. */
function bodyBytes(status: number, head: string): number {
  if (status === 204 || status === 304) return 0;
  const length = CONTENT_LENGTH.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer of unknown length: ${head.slice(0, 40)}`);
  return Number(length);
}

function wholeBody(bytes: Buffer, from: number, length: number): Body | undefined {
  const end = from + length;
  return bytes.length < end ? undefined : { bytes: bytes.subarray(from, end), end };
}

/** Undefined if it has not arrived completely. It has no trailers. */
function chunkedBody(bytes: Buffer, from: number): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf(LINE_END, at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(length)) throw new Error('a chunk without length');
    const chunkFrom = lineEnd + LINE_END.length;
    const end = chunkFrom + length + LINE_END.length;
    if (bytes.length < end) return undefined;
    if (length === 0) return { bytes: Buffer.concat(chunks), end };
    chunks.push(bytes.subarray(chunkFrom, chunkFrom + length));
    at = end;
  }
}
