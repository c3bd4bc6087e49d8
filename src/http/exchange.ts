import { STATUS_CODES } from 'node:http';
import type { TwinErrorCode } from '../errors.ts';
import type { RouteMeter } from '../metrics.ts';
import type { Encoding } from '../twin/service.ts';
import { Head } from './head.ts';
import { addressKey } from './rate-limits.ts';
import type { Header, Reply } from './reply.ts';
import type { Call } from './router.ts';

/** What an exchange needs of a response of the server library. */
export interface ResponsePort {
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
  end(body: string | Uint8Array, closeConnection: boolean): unknown;
  endWithoutBody(reportedLength?: number, closeConnection?: boolean): unknown;
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
const EMPTY = new Uint8Array(0);
const NO_PARAMS: readonly string[] = [];

/**
 * One request and its answer, from the first byte to the last. It may outlive the connection;
 * `isOpen` says whether an answer can still be given.
 */
export class Exchange implements Call {
  readonly head = new Head();
  readonly requestId: string;
  method = '';
  path = '';
  query = '';
  params = NO_PARAMS;
  encoding: Encoding = 'json';
  body: Uint8Array = EMPTY;
  meter: RouteMeter;
  isOpen = true;
  /** The connection ends with the answer. */
  isLast = false;
  /** The library is collecting what is written, as it does within its own callbacks. */
  isCorked = true;
  startMs = 0;
  deadlineMs = Number.POSITIVE_INFINITY;
  /** What is answered when the deadline has passed. */
  deadlineError: TwinErrorCode = 'overloaded';
  /** Parts of a body that is still coming. */
  chunks: Uint8Array[] = [];
  chunkBytes = 0;
  readonly #response: ResponsePort;

  constructor(response: ResponsePort, requestId: string, meter: RouteMeter) {
    this.#response = response;
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
  }

  addressKey(): string {
    return addressKey(this.#response.getRemoteAddress());
  }

  /** Copies a part of the body: the library takes its memory back. */
  keepChunk(chunk: ArrayBuffer): void {
    this.chunks.push(new Uint8Array(chunk.slice(0)));
    this.chunkBytes += chunk.byteLength;
  }

  joinChunks(): void {
    this.body =
      this.chunks.length === 1 ? (this.chunks[0] as Uint8Array) : Buffer.concat(this.chunks);
    this.chunks = [];
  }

  /** Answers, unless that has happened or the client has gone. True where it did. */
  answer(reply: Reply, commonHeaders: readonly Header[]): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.meter.answered(reply.status);
    if (this.isCorked) this.#write(reply, commonHeaders);
    else this.#response.cork(() => this.#write(reply, commonHeaders));
    return true;
  }

  #write(reply: Reply, commonHeaders: readonly Header[]): void {
    const response = this.#response;
    if (reply.status !== 200) {
      response.writeStatus(`${reply.status} ${STATUS_CODES[reply.status]}`);
    }
    if (reply.type !== '') response.writeHeader('Content-Type', reply.type);
    response.writeHeader('X-Request-Id', this.requestId);
    for (const [name, value] of reply.headers) response.writeHeader(name, value);
    for (const [name, value] of commonHeaders) response.writeHeader(name, value);
    this.#writeBody(reply);
  }

  #writeBody({ status, body }: Reply): void {
    const response = this.#response;
    if (this.method === 'HEAD') {
      response.endWithoutBody(Buffer.byteLength(body), this.isLast);
    } else if (status === 204 || status === 304) {
      // The library cannot end such an answer and the connection too, nor take an absent length.
      if (this.isLast) response.writeHeader('Connection', 'close');
      response.endWithoutBody();
    } else if (body.length <= COPIED_BYTES_MAX) {
      response.end(body, this.isLast);
    } else {
      this.#stream(typeof body === 'string' ? Buffer.from(body) : body);
    }
  }

  #stream(body: Uint8Array): void {
    const response = this.#response;
    const [, isDone] = response.tryEnd(body, body.byteLength);
    if (isDone) return;
    response.onWritable((offset) => response.tryEnd(body.subarray(offset), body.byteLength)[0]);
  }
}
