import { connect, type Socket } from 'node:net';
import { type Answer, ResponseParser } from './response-parser.ts';

/** The answer, or undefined where the connection ended before it came. */
export type Answered = (answer: Answer | undefined) => void;

/** The bytes of a request, ready to be sent as often as wanted. A body is JSON by default. */
export function formatRequest(
  url: URL,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${url.host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== '') {
    if (!('Content-Type' in headers)) lines.push('Content-Type: application/json');
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  } else if (method !== 'GET') {
    lines.push('Content-Length: 0');
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Bytes of one read, as many as Node reads by default. */
const READ_BYTES_MAX = 64 * 1024;
/** Shared by all sockets with a `receive`. */
const reading = Buffer.alloc(READ_BYTES_MAX);

/**
 * A connected socket without delay. Rejects where nothing listens. With `receive` there is no 'data'
 * event: chunks share one buffer and are valid during the call only.
 */
export function openSocket(url: URL, receive?: (chunk: Buffer) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const onread = receive && {
      buffer: reading,
      callback: (length: number) => {
        receive(reading.subarray(0, length));
        return true;
      },
    };
    const to = { host: url.hostname, port: Number(url.port || 80), noDelay: true };
    const socket = connect({ ...to, ...(onread && { onread }) });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** One keep-alive connection that carries one request at a time. */
class HttpConnection {
  readonly #socket: Socket;
  readonly #parser: ResponseParser;
  #waiting: Answered | undefined;
  #open = true;

  static async open(url: URL): Promise<HttpConnection> {
    return new HttpConnection(await openSocket(url));
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#parser = new ResponseParser((answer) => this.#settle(answer));
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#parser.push(chunk);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    // An error shows as a lost answer: the close event follows every error.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#open = false;
      this.#settle(undefined);
    });
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** `answered` is called exactly once, after which the next request may be sent. */
  send(request: Buffer, answered: Answered): void {
    if (this.#waiting) throw new Error('a request is under way on this connection');
    if (this.#open) {
      this.#waiting = answered;
      this.#socket.write(request);
    } else {
      answered(undefined);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #settle(answer: Answer | undefined): void {
    const answered = this.#waiting;
    this.#waiting = undefined;
    answered?.(answer);
  }
}

/** The answer to one request on a connection of its own. */
export async function askOnce(url: URL, request: Buffer): Promise<Answer> {
  const pool = await HttpPool.open(url, 1);
  try {
    return await pool.ask(request);
  } finally {
    pool.close();
  }
}

/** Requests that may wait for a free connection; more are refused. */
const QUEUE_MAX = 100_000;

interface QueuedRequest {
  request: Buffer;
  answered: Answered;
}

/** A fixed number of connections; a request takes a free one or waits for it. */
export class HttpPool {
  readonly #url: URL;
  readonly #idle: HttpConnection[];
  readonly #queue: QueuedRequest[] = [];
  #queueHead = 0;
  #closed = false;
  readonly #all: Set<HttpConnection>;

  static async open(url: URL, connectionCount: number): Promise<HttpPool> {
    const opening = Array.from({ length: connectionCount }, () => HttpConnection.open(url));
    return new HttpPool(url, await Promise.all(opening));
  }

  private constructor(url: URL, connections: HttpConnection[]) {
    this.#url = url;
    this.#idle = connections;
    this.#all = new Set(connections);
  }

  /** False where too many requests wait already; `answered` is never called then. */
  send(request: Buffer, answered: Answered): boolean {
    const connection = this.#takeIdle();
    if (connection) {
      this.#sendOn(connection, { request, answered });
      return true;
    }
    if (this.#queue.length - this.#queueHead >= QUEUE_MAX) return false;
    this.#queue.push({ request, answered });
    return true;
  }

  /** The answer to one request, whatever its status. Throws where the connection ended first. */
  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const refused = () => reject(new Error('the server ended the connection without an answer'));
      const taken = this.send(request, (answer) => (answer ? resolve(answer) : refused()));
      if (!taken) refused();
    });
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#all) connection.close();
  }

  /** Replaces connections that the server closed while they were idle. */
  #takeIdle(): HttpConnection | undefined {
    let connection = this.#idle.pop();
    while (connection && !connection.isOpen) {
      this.#replace(connection);
      connection = this.#idle.pop();
    }
    return connection;
  }

  #sendOn(connection: HttpConnection, { request, answered }: QueuedRequest): void {
    connection.send(request, (answer) => {
      answered(answer);
      if (connection.isOpen) this.#release(connection);
      else this.#replace(connection);
    });
  }

  #release(connection: HttpConnection): void {
    const next = this.#queue[this.#queueHead];
    if (!next) {
      this.#idle.push(connection);
      return;
    }
    this.#queueHead += 1;
    if (this.#queueHead === this.#queue.length) {
      this.#queue.length = 0;
      this.#queueHead = 0;
    }
    this.#sendOn(connection, next);
  }

  #replace(connection: HttpConnection): void {
    this.#all.delete(connection);
    if (this.#closed) return;
    HttpConnection.open(this.#url).then(
      (fresh) => {
        this.#all.add(fresh);
        if (this.#closed) fresh.close();
        else this.#release(fresh);
      },
      // Nothing listens any more: waiting requests stay unanswered, and the run reports it.
      () => {},
    );
  }
}
