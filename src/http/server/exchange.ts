import { STATUS_CODES } from 'node:http';
import type { Encoding } from '../../codec/encoding.ts';
import type { TwinErrorCode } from '../../errors.ts';
import type { RouteMeter } from '../../metrics.ts';
import type { Time } from '../../time.ts';
import { Head } from './head.ts';
import { addressKey } from './rate-limits.ts';
import type { Header, Reply } from './reply.ts';
import type { Call } from './router.ts';

/** What an exchange needs of a response of the server library. */
export interface ResponsePort {
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
  end(body: string | Uint8Array, closeConnection: boolean): unknown;
  endWithoutBody(): unknown;
  /** Writes what the operating system takes and says: no backlog is left; all is written. */
  tryEnd(body: Uint8Array, totalLength: number): [isTaken: boolean, isDone: boolean];
  onWritable(resume: (offset: number) => boolean): unknown;
  cork(write: () => void): unknown;
  getRemoteAddress(): ArrayBuffer;
}

/** What an exchange needs of a request of the server library; gone when its handler returns. */
export interface RequestPort {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(visit: (name: string, value: string) => void): void;
}

/** Bodies beyond this are written as fast as the client reads, without a copy. */
const COPIED_BYTES_MAX = 65_536;
/** What a client may call its request. */
const CLIENT_REQUEST_ID = /^[\w.:-]{1,128}$/;
const EMPTY = new Uint8Array(0);
const NO_PARAMS: readonly string[] = [];

/**
 * One request and its answer, from the first byte to the last. It may outlive the connection;
 * `isOpen` says whether an answer can still be given.
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
  isOpen = true;
  /** The connection is no more; nothing may be asked of the response. */
  isGone = false;
  /** The connection ends with the answer. */
  isLast = false;
  /** Some of the answer has not been handed to the operating system yet. */
  isSending = false;
  /** Called when that has been done, where somebody waits for it. */
  sent: (() => void) | undefined = undefined;
  /** The library is collecting what is written, as it does within its own callbacks. */
  isCorked = true;
  startMs = 0;
  deadlineMs = Number.POSITIVE_INFINITY;
  /** What is answered when the deadline has passed. */
  deadlineError: TwinErrorCode = 'overloaded';
  /** Parts of a body that is still coming. */
  chunks: Uint8Array[] | undefined = undefined;
  chunkBytes = 0;
  /** Bytes that are counted as held for an address while the body is coming, and which. */
  heldBytes = 0;
  heldBy: string | undefined = undefined;
  readonly #response: ResponsePort;
  readonly #time: Time;

  constructor(response: ResponsePort, requestId: string, meter: RouteMeter, time: Time) {
    this.#response = response;
    this.#time = time;
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
  }

  addressKey(): string {
    return addressKey(this.#response.getRemoteAddress());
  }

  /** Copies a part of the body: the library takes its memory back. */
  keepChunk(chunk: ArrayBuffer): void {
    this.chunks ??= [];
    this.chunks.push(new Uint8Array(chunk.slice(0)));
    this.chunkBytes += chunk.byteLength;
  }

  /** The body is complete. */
  joinChunks(): void {
    if (this.chunks === undefined) return;
    this.body = Buffer.concat(this.chunks);
    this.chunks = undefined;
  }

  /** Answers, unless that has happened or the client has gone. */
  answer(reply: Reply, commonHeaders: Header): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.isSending = true;
    this.meter.answered(reply.status);
    if (this.isLast) {
      const kept = keep(reply);
      this.#time.immediate(() => this.#answerLast(kept, commonHeaders));
    } else if (this.isCorked) this.#write(reply, commonHeaders);
    else this.#response.cork(() => this.#write(reply, commonHeaders));
  }

  // The library goes on with whatever came in the same packet, and then forgets that the
  // connection was to end; but while an answer is due it ends a connection that asks for more. So
  // a last answer waits until the packet has been gone through.
  #answerLast(reply: Reply, commonHeaders: Header): void {
    if (!this.isGone) this.#response.cork(() => this.#write(reply, commonHeaders));
  }

  #write(reply: Reply, commonHeaders: Header): void {
    const response = this.#response;
    if (reply.status !== 200) {
      response.writeStatus(`${reply.status} ${STATUS_CODES[reply.status]}`);
    }
    if (reply.type !== '') response.writeHeader('Content-Type', reply.type);
    response.writeHeader('X-Request-Id', this.requestId);
    for (const [name, value] of reply.headers) response.writeHeader(name, value);
    response.writeHeader(commonHeaders[0], commonHeaders[1]);
    this.#writeBody(reply);
  }

  #writeBody({ status, body }: Reply): void {
    const response = this.#response;
    if (this.method === 'HEAD' || status === 204 || status === 304) {
      // With a length the library would wait for the body; it cannot end the connection here.
      if (this.isLast) response.writeHeader('Connection', 'close');
      response.endWithoutBody();
      this.#finish();
    } else if (body.length <= COPIED_BYTES_MAX) {
      response.end(body, this.isLast);
      this.#finish();
    } else {
      this.#stream(typeof body === 'string' ? Buffer.from(body) : body);
    }
  }

  #stream(body: Uint8Array): void {
    const [, isDone] = this.#tryEnd(body, 0);
    if (!isDone) this.#response.onWritable((offset) => this.#tryEnd(body, offset)[0]);
  }

  #tryEnd(body: Uint8Array, offset: number): [isTaken: boolean, isDone: boolean] {
    const result = this.#response.tryEnd(body.subarray(offset), body.byteLength);
    if (result[1]) this.#finish();
    return result;
  }

  #finish(): void {
    this.isSending = false;
    this.sent?.();
  }
}

/** A reply for later: a frame's bytes are written over by the next. */
function keep(reply: Reply): Reply {
  return typeof reply.body === 'string' ? reply : { ...reply, body: reply.body.slice() };
}
