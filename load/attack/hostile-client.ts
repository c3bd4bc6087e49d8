import type { Socket } from 'node:net';
import { HttpPool, openSocket } from '../../bench/common/http-pool.ts';
import { systemTime } from '../../src/time.ts';
import { type Achievement, noAchievement } from './achievement.ts';
import { AnswerCounter } from './answer-counter.ts';

/** Before a client tries again where the node refused a connection. */
const REOPEN_MS = 100;

/** What a hostile client is told. */
export interface Order {
  twin: string;
  dealer: string;
  /** Local address that all connections come from. */
  from: string;
  /** How long it attacks. */
  seconds: number;
}

/** One way to attack a node. */
export interface Attack {
  summary: string;
  /** The node lets its worlds in, and keeps them in memory until they are idle. */
  keepsWorlds?: boolean;
  /** Awaits `client.begin` once all is prepared, and returns when the time is over. */
  run(client: HostileClient): Promise<void>;
}

/** A client that means harm: where it goes, how long, and what it has achieved. */
export class HostileClient {
  readonly twin: URL;
  readonly dealer: URL;
  readonly seconds: number;
  readonly achieved: Achievement = noAchievement();
  readonly #from: string;
  readonly #mayBegin: () => Promise<void>;
  readonly #over = Promise.withResolvers<void>();
  isOver = false;

  /** @param mayBegin is told that all is prepared; resolves when all others of the case are, too */
  constructor({ twin, dealer, from, seconds }: Order, mayBegin: () => Promise<void>) {
    this.twin = new URL(twin);
    this.dealer = new URL(dealer);
    this.seconds = seconds;
    this.#from = from;
    this.#mayBegin = mayBegin;
  }

  /** The time of the attack runs from when this resolves. */
  async begin(): Promise<void> {
    await this.#mayBegin();
    systemTime.after(this.seconds * 1000, () => {
      this.isOver = true;
      this.#over.resolve();
    });
  }

  /** Resolves when the time is over. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** For preparations: it counts nothing. */
  pool(url: URL, connectionCount: number, from = this.#from): Promise<HttpPool> {
    return HttpPool.open(url, connectionCount, from);
  }

  /** A connection, or undefined where the node refuses it. */
  async open(url: URL, from = this.#from): Promise<HostileSocket | undefined> {
    try {
      const socket = await openSocket(url, { from });
      this.achieved.connections += 1;
      return new HostileSocket(socket, this);
    } catch {
      this.achieved.refused += 1;
      await systemTime.sleep(REOPEN_MS);
      return undefined;
    }
  }

  /**
   * Keeps `count` connections busy until the time is over: whenever `use` returns, another connection
   * replaces its own.
   */
  async keepOpen(
    url: URL,
    count: number,
    use: (socket: HostileSocket, index: number) => Promise<void>,
  ): Promise<void> {
    const keepOne = async (_: unknown, index: number) => {
      while (!this.isOver) {
        const socket = await this.open(url);
        if (socket === undefined) continue;
        await Promise.race([use(socket, index), this.over]);
        socket.close();
      }
    };
    await Promise.all(Array.from({ length: count }, keepOne));
  }
}

/** A connection without manners: it sends what it is told, and keeps nothing of what comes. */
export class HostileSocket {
  readonly #socket: Socket;
  readonly #client: HostileClient;
  readonly #counter: AnswerCounter;
  readonly #closed = Promise.withResolvers<void>();
  #answered: ((status: number | undefined) => void) | undefined;
  isOpen = true;

  constructor(socket: Socket, client: HostileClient) {
    this.#socket = socket;
    this.#client = client;
    const { achieved } = client;
    this.#counter = new AnswerCounter((status) => {
      achieved.statuses[status] = (achieved.statuses[status] ?? 0) + 1;
      this.#answered?.(status);
    });
    socket.on('data', (chunk: Buffer) => {
      achieved.receivedBytes += chunk.length;
      this.#counter.push(chunk);
    });
    // The close event follows every error.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.isOpen) achieved.closed += 1;
      this.isOpen = false;
      this.#answered?.(undefined);
      this.#closed.resolve();
    });
  }

  /** Resolves when the connection has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** From here on nothing is read. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Resolves when the socket takes more, or has closed. */
  async write(bytes: Buffer): Promise<void> {
    if (!this.isOpen) return;
    await new Promise<void>((resolve) => {
      this.#socket.write(bytes, () => resolve());
    });
    this.#client.achieved.sentBytes += bytes.length;
    // A socket that takes everything at once would keep this thread from reading.
    await new Promise<void>((resolve) => systemTime.immediate(resolve));
  }

  /** Writes the same bytes again and again until the connection or the time is over. */
  async flood(bytes: Buffer, bytesPerS = Number.POSITIVE_INFINITY): Promise<void> {
    const startMs = systemTime.now();
    for (let sent = 0; this.isOpen && !this.#client.isOver; sent += bytes.length) {
      const earlyMs = startMs + (sent / bytesPerS) * 1000 - systemTime.now();
      if (earlyMs > 0) await systemTime.sleep(earlyMs);
      await this.write(bytes);
    }
  }

  /** Sends a request; returns the status of its answer, undefined if the connection ended first. */
  ask(request: Buffer): Promise<number | undefined> {
    this.#counter.isHeadAsked = request.toString('latin1', 0, 5) === 'HEAD ';
    this.#client.achieved.requests += 1;
    return this.finish(request);
  }

  /** Sends the end of a request; returns the same. */
  async finish(lastBytes: Buffer): Promise<number | undefined> {
    if (!this.isOpen) return undefined;
    const answer = new Promise<number | undefined>((resolve) => {
      this.#answered = resolve;
    });
    await this.write(lastBytes);
    return answer;
  }

  close(): void {
    this.isOpen = false;
    this.#socket.destroy();
  }
}
