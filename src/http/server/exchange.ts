import { STATUS_CODES } from 'node:http';
import type { Encoding } from '../../codec/encoding.ts';
import { TwinError, type TwinErrorCode } from '../../errors.ts';
import type { RouteMeter } from '../../route-meter.ts';
import { addressKey, addressText } from './address-key.ts';
import type { BackpressureSampler } from './backpressure-sampler.ts';
import { Head } from './head.ts';
import { type PiecePort, PieceWriter } from './piece-writer.ts';
import type { Reply, StreamedReply, WholeReply } from './reply.ts';
import type { Call } from './router.ts';
import type { ServerOptions } from './server-options.ts';
import type { Span } from './traces.ts';

/** The part of a response of the library that an exchange uses. */
export interface ResponsePort extends Omit<PiecePort, 'end' | 'onWritable'> {
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
  end(body: string | Uint8Array, closeConnection: boolean): unknown;
  endWithoutBody(): unknown;
  /** Writes as many bytes as the operating system accepts. */
  tryEnd(rest: string | Uint8Array, totalLength: number): [isTaken: boolean, isDone: boolean];
  onWritable(resume: (offset: number) => boolean): unknown;
  getRemoteAddress(): ArrayBuffer;
}

/** The part of a request of the library that an exchange uses. Invalid after the handler returns. */
interface RequestPort {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(visit: (name: string, value: string) => void): void;
}

/** A larger answer is written as fast as the client reads. */
const COPIED_BYTES_MAX = 65_536;
/**
 * What an answer without a body counts to the sampler. It is longer, but it costs time to pick one:
 * this is about one of a thousand.
 */
const BODYLESS_BYTES = 128;
/** How long a picked answer without a body waits for the next request of its connection. */
const BODYLESS_WAIT_MS = 5;
/** About what the headers of an answer have. */
const HEADER_BYTES = 300;
const CLIENT_REQUEST_ID = /^[\w.:-]{1,128}$/;
const EMPTY = new Uint8Array(0);
const NO_PARAMS: readonly string[] = [];

/** What the exchanges of a server share. */
export interface ExchangeContext extends Pick<ServerOptions, 'time' | 'proxies' | 'traces'> {
  sampler: BackpressureSampler;
  /** Those that are answered, but whose answer the operating system has not accepted completely. */
  sending: Set<Exchange>;
}

/**
 * A request and its answer. It may outlive its connection; `isOpen` is true while it can be
 * answered.
 */
export class Exchange implements Call {
  readonly head = new Head();
  requestId: string;
  method = '';
  path = '';
  query = '';
  params = NO_PARAMS;
  encoding: Encoding = 'json';
  body: Uint8Array = EMPTY;
  meter: RouteMeter;
  /** Undefined: it is in no trace that is logged. */
  span: Span | undefined;
  isOpen = true;
  /** The connection has closed; the response must not be used. */
  isGone = false;
  /** The connection closes after the answer. */
  isLast = false;
  /**
   * The answer waits for the next turn of the event loop. If the packet has another request, the
   * library closes the connection meanwhile.
   */
  isDeferred = false;
  /** The library buffers writes, as it does during its own callbacks. */
  isCorked = true;
  deadlineMs = Number.POSITIVE_INFINITY;
  /** Error code of the answer after the deadline. */
  deadlineError: TwinErrorCode = 'overloaded';
  /** Bytes and parts of an unfinished body so far. */
  chunkBytes = 0;
  chunkCount = 0;
  /** Bytes of an unfinished body that are counted for an address, and the address. */
  heldBytes = 0;
  heldBy: string | undefined = undefined;
  /** The body so far, at the beginning of memory that doubles: a part may be one byte long. */
  #collected = EMPTY;
  #writer: PieceWriter | undefined;
  #addressKey: string | undefined;
  #isSent = false;
  /** When it began, by `Time.now`; 0: it is answered at once, and not timed. */
  #startMs = 0;
  #hasWaited = false;
  readonly #response: ResponsePort;
  readonly #context: ExchangeContext;

  constructor(
    response: ResponsePort,
    requestId: string,
    meter: RouteMeter,
    context: ExchangeContext,
  ) {
    this.#response = response;
    this.#context = context;
    this.requestId = requestId;
    this.meter = meter;
  }

  read(request: RequestPort): void {
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    request.forEach((name, value) => {
      this.head.add(name, value);
    });
    if (CLIENT_REQUEST_ID.test(this.head.requestId)) this.requestId = this.head.requestId;
    this.span = this.#context.traces.begin(this.head.traceparent);
  }

  /** Whether the request only reads, so that it may be sent again. */
  get isRead(): boolean {
    return this.method === 'GET' || this.method === 'HEAD';
  }

  /** A change that timed out may still be applied: the client has to read it back. */
  get deadlineHint(): string | undefined {
    if (this.isRead || this.deadlineError === 'request_timeout') return undefined;
    return 'The request timed out and may still complete: read the state to find out.';
  }

  /**
   * The client's key in limits. Throws TwinError if it is asked for the first time once nobody waits
   * for an answer: the library no longer knows the address then.
   */
  addressKey(): string {
    if (this.#addressKey === undefined) {
      if (!this.isOpen) throw new TwinError('request_timeout');
      this.#addressKey = this.#findAddressKey();
    }
    return this.#addressKey;
  }

  #findAddressKey(): string {
    const remote = addressText(new Uint8Array(this.#response.getRemoteAddress()));
    return addressKey(this.#context.proxies?.clientOf(remote, this.head) ?? remote);
  }

  /** Copies a part of the body: the library reuses its memory. */
  keepChunk(chunk: ArrayBuffer): void {
    const end = this.chunkBytes + chunk.byteLength;
    if (end > this.#collected.length) {
      const grown = new Uint8Array(Math.max(end, 2 * this.#collected.length));
      grown.set(this.#collected.subarray(0, this.chunkBytes));
      this.#collected = grown;
    }
    this.#collected.set(new Uint8Array(chunk), this.chunkBytes);
    this.chunkBytes = end;
  }

  /** The body has arrived. */
  takeBody(): void {
    this.body = this.#collected.subarray(0, this.chunkBytes);
    this.#collected = EMPTY;
  }

  /** Ends the connection at once, without an answer. */
  disconnect(): void {
    this.#response.close();
  }

  /** Its handler runs now. */
  markStart(): void {
    if (this.#startMs === 0 && this.meter.picks()) this.#startMs = this.#context.time.now();
  }

  /** It is not answered at once. */
  markWait(nowMs: number): void {
    this.#hasWaited = true;
    if (this.#startMs === 0) this.#startMs = nowMs;
  }

  /** Counts the answer that it gets now. */
  count(status: number): void {
    if (this.span !== undefined) {
      const { requestId, meter } = this;
      const { service, route } = meter;
      this.#context.traces.end(this.span, { requestId, service, route, status });
    }
    if (this.#startMs === 0) {
      this.meter.answered(status);
      return;
    }
    const ms = this.#context.time.now() - this.#startMs;
    if (this.#hasWaited) this.meter.waited(status, ms);
    else this.meter.timed(status, ms);
  }

  /** Answers, unless the exchange was answered or the client has disconnected. */
  answer(reply: WholeReply, commonHeaders: string): void {
    if (!this.isOpen) return;
    this.#begin(reply);
    if (this.isLast || this.isDeferred) {
      const kept = keep(reply);
      this.#context.time.immediate(() => this.#answerDeferred(kept, commonHeaders));
    } else if (this.isCorked) this.#write(reply, commonHeaders);
    else this.#response.cork(() => this.#write(reply, commonHeaders));
    this.#noteSending();
  }

  /** Begins an answer in pieces. Returns undefined if it has no body. */
  answerInPieces(reply: StreamedReply, commonHeaders: string): PieceWriter | undefined {
    this.#begin(reply);
    const isHead = this.method === 'HEAD';
    this.#response.cork(() => {
      this.#writeHead(reply, commonHeaders);
      if (isHead) this.#endHead();
      // At the end the library would write this header into the body. The client has to close.
      else if (this.isLast) this.#response.writeHeader('Connection', 'close');
    });
    this.#noteSending();
    if (isHead) return undefined;
    this.#writer = new PieceWriter(this.#response, this.#context.time);
    return this.#writer;
  }

  /** All pieces are written. */
  endPieces(): void {
    this.#writer?.end();
    this.#finish();
  }

  /** The connection has closed. */
  abandon(): void {
    this.isOpen = false;
    this.isGone = true;
    this.#context.sending.delete(this);
    this.#writer?.abandon();
  }

  #begin({ status }: Reply): void {
    this.isOpen = false;
    this.#collected = EMPTY;
    this.count(status);
  }

  // After an answer the library continues with the rest of the packet, and then it does not close
  // the connection. While an answer is pending, it closes a connection that sends another request.
  // So the last answer is sent after the library has processed the packet.
  #answerDeferred(reply: WholeReply, commonHeaders: string): void {
    if (!this.isGone) this.#response.cork(() => this.#write(reply, commonHeaders));
  }

  #write(reply: WholeReply, commonHeaders: string): void {
    this.#writeHead(reply, commonHeaders);
    this.#writeBody(reply);
  }

  // All headers as the value of one: each call of the library is costly.
  #writeHead({ status, type, headers }: Reply, commonHeaders: string): void {
    if (status !== 200) this.#response.writeStatus(`${status} ${STATUS_CODES[status]}`);
    let lines = this.requestId;
    if (type !== '') lines += `\r\nContent-Type: ${type}`;
    for (const [name, value] of headers) lines += `\r\n${name}: ${value}`;
    this.#response.writeHeader('X-Request-Id', `${lines}\r\n${commonHeaders}`);
  }

  #writeBody({ status, body }: WholeReply): void {
    const response = this.#response;
    const isBodyless = status === 204 || status === 304;
    if (isBodyless || this.method === 'HEAD') {
      // Given as a length of the body, the library would wait for that many bytes.
      if (!isBodyless) response.writeHeader('Content-Length', `${Buffer.byteLength(body)}`);
      this.#endHead();
    } else if (this.#isCopied(body.length)) {
      response.end(body, this.isLast);
      this.#finish();
    } else {
      if (this.isLast) response.writeHeader('Connection', 'close');
      this.#stream(body);
    }
  }

  // `end` keeps what the client does not read, for each pipelined request anew. An answer that is not
  // written completely by `tryEnd` is pending for the library, which then closes a connection that
  // sends another request. But `tryEnd` is slower.
  #isCopied(length: number): boolean {
    const isPicked = this.#context.sampler.picks(length + HEADER_BYTES);
    return length <= COPIED_BYTES_MAX && (this.isLast || !isPicked);
  }

  #endHead(): void {
    // The library cannot end the connection here.
    if (this.isLast) this.#response.writeHeader('Connection', 'close');
    this.#endWithoutBody();
  }

  // The library has no `tryEnd` without a body. So a picked answer is kept pending for a moment, which
  // a client that sends request after request without reading does not survive.
  #endWithoutBody(): void {
    const end = () => {
      this.#response.endWithoutBody();
      this.#finish();
    };
    if (this.isLast || !this.#context.sampler.picks(BODYLESS_BYTES)) end();
    else {
      this.#context.time.after(BODYLESS_WAIT_MS, () => {
        if (!this.isGone) this.#response.cork(end);
      });
    }
  }

  #stream(body: string | Uint8Array): void {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    const [, isDone] = this.#tryEnd(body, length);
    if (isDone) return;
    // A frame is overwritten by the next one; what is larger is not.
    const isFrame = typeof body !== 'string' && length <= COPIED_BYTES_MAX;
    const kept = typeof body === 'string' ? Buffer.from(body) : isFrame ? body.slice() : body;
    this.#response.onWritable((offset) => this.#tryEnd(kept.subarray(offset), length)[0]);
  }

  #tryEnd(rest: string | Uint8Array, length: number): [isTaken: boolean, isDone: boolean] {
    const result = this.#response.tryEnd(rest, length);
    if (result[1]) this.#finish();
    return result;
  }

  #noteSending(): void {
    if (!this.#isSent && !this.isGone) this.#context.sending.add(this);
  }

  #finish(): void {
    this.#isSent = true;
    this.#context.sending.delete(this);
  }
}

/** Copies a reply for later: the next frame overwrites the bytes of this one. */
function keep(reply: WholeReply): WholeReply {
  return typeof reply.body === 'string' ? reply : { ...reply, body: reply.body.slice() };
}
