import { connect, type Socket } from 'node:net';
import { type Answer, ResponseParser } from './response-parser.ts';

/** The answer, or undefined where the connection ended before it came. */
type Answered = (answer: Answer | undefined) => void;

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

interface SocketOptions {
  /** Instead of 'data' events. Chunks share one buffer and are valid during the call only. */
  receive?: (chunk: Buffer) => void;
  /** Local address to connect from; without one the system chooses. */
  from?: string | undefined;
}

/** A connected socket without delay. Rejects where nothing listens. */
export function openSocket(url: URL, { receive, from }: SocketOptions = {}): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const onread = receive && {
      buffer: reading,
      callback: (length: number) => {
        receive(reading.subarray(0, length));
        return true;
      },
    };
    const to = { host: url.hostname, port: Number(url.port || 80), noDelay: true };
    const local = from !== undefined && { localAddress: from };
    const socket = connect({ ...to, ...local, ...(onread && { onread }) });
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
  #waiting: Answered | undefined;
  isOpen = true;

  static async open(url: URL, from: string | undefined): Promise<HttpConnection> {
    return new HttpConnection(await openSocket(url, { from }));
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    const parser = new ResponseParser((answer) => this.#settle(answer));
    socket.on('data', (chunk: Buffer) => {
      try {
        parser.push(chunk);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    // An error shows as a lost answer: the close event follows every error.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isOpen = false;
      this.#settle(undefined);
    });
  }

  /** `answered` is called exactly once, after which the next request may be sent. */
  send(request: Buffer, answered: Answered): void {
    this.#waiting = answered;
    this.#socket.write(request);
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
export async function askOnce(url: URL, request: Buffer, from?: string): Promise<Answer> {
  const pool = await HttpPool.open(url, 1, from);
  try {
    return await pool.ask(request);
  } finally {
    pool.close();
  }
}

/** A fixed number of connections; a request takes a free one or waits for it. */
export class HttpPool {
  readonly #url: URL;
  readonly #from: string | undefined;
  readonly #all: Set<HttpConnection>;
  readonly #idle: HttpConnection[];
  readonly #queue: { request: Buffer; answered: Answered }[] = [];
  /** Index of the next: to remove the first of a long array would move all others. */
  #queueHead = 0;
  #closed = false;

  /** @param from local address of the connections; without one the system chooses */
  static async open(url: URL, connectionCount: number, from?: string): Promise<HttpPool> {
    const opening = Array.from({ length: connectionCount }, () => HttpConnection.open(url, from));
    return new HttpPool(url, from, await Promise.all(opening));
  }

  private constructor(url: URL, from: string | undefined, connections: HttpConnection[]) {
    this.#url = url;
    this.#from = from;
    this.#idle = connections;
    this.#all = new Set(connections);
  }

  send(request: Buffer, answered: Answered): void {
    this.#queue.push({ request, answered });
    this.#serve();
  }

  /** The answer to one request, whatever its status. Throws where the connection ended first. */
  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.send(request, (answer) => {
        if (answer) resolve(answer);
        else reject(new Error('the server ended the connection without an answer'));
      });
    });
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#all) connection.close();
  }

  #serve(): void {
    while (this.#queueHead < this.#queue.length) {
      const connection = this.#idle.pop();
      if (!connection) return;
      // The server may have closed it while it was idle.
      if (connection.isOpen) this.#sendNext(connection);
      else this.#replace(connection);
    }
  }

  #sendNext(connection: HttpConnection): void {
    const next = this.#queue[this.#queueHead];
    if (!next) return;
    this.#queueHead += 1;
    if (this.#queueHead === this.#queue.length) {
      this.#queue.length = 0;
      this.#queueHead = 0;
    }
    connection.send(next.request, (answer) => {
      next.answered(answer);
      if (connection.isOpen) this.#release(connection);
      else this.#replace(connection);
    });
  }

  #release(connection: HttpConnection): void {
    this.#idle.push(connection);
    this.#serve();
  }

  #replace(connection: HttpConnection): void {
    this.#all.delete(connection);
    if (this.#closed) return;
    HttpConnection.open(this.#url, this.#from).then(
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
