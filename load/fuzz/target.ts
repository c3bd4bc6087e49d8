import { connect } from 'node:net';
import { formatRequest, HttpPool } from '../../bench/common/http-pool.ts';
import { type OpenApi, type Published, readOpenApi } from '../../src/testing/rigs/published.ts';
import { systemTime } from '../../src/time.ts';
import { type Caller, type Input, SERVICES, type Service, TOKENS, VIN, WORLD_ID } from './input.ts';

/** What inputs are sent to. */
export interface Target {
  urls: Readonly<Record<Service, string>>;
  /** What its services say of themselves. */
  published: Readonly<Record<Service, Published<OpenApi>>>;
  /** What the names in inputs stand for. */
  world: string;
  vin: string;
  tokens: Readonly<Record<Caller, string>>;
  /** How many worlds and changes there are: only accepted requests may add to it. */
  effects(): Promise<number>;
  /** What the node logged as its own mistake. */
  faults(): readonly string[];
}

/** What became of one input. */
export interface Outcome {
  received: Buffer;
  /** False: the node keeps the connection although its client has gone. */
  isClosed: boolean;
}

/** A request whose answer must never change. */
const HEALTHY: Readonly<Record<Service, string>> = { twin: '/api/v1/features', dealer: '/' };

interface HealthyRequest {
  pool: HttpPool;
  request: Buffer;
  body: Buffer;
}

/** After this complete requests must be answered and connections closed: a busy disk takes seconds. */
const PATIENCE_MS = 30_000;

/** Sends inputs to a target, many at once. */
export class Sender {
  readonly #target: Target;
  readonly #healthy: readonly HealthyRequest[];

  static async to(target: Target): Promise<Sender> {
    const asking = SERVICES.map(async (service) => {
      const url = new URL(target.urls[service]);
      const pool = await HttpPool.open(url, 1);
      const request = formatRequest(url, 'GET', HEALTHY[service]);
      return { pool, request, body: (await pool.ask(request)).body };
    });
    return new Sender(target, await Promise.all(asking));
  }

  private constructor(target: Target, healthy: readonly HealthyRequest[]) {
    this.#target = target;
    this.#healthy = healthy;
  }

  close(): void {
    for (const { pool } of this.#healthy) pool.close();
  }

  /**
   * By the time at which this resolves, the node has read what was sent before. Throws where a
   * healthy request is not answered as before.
   */
  async round(): Promise<void> {
    for (const { pool, request, body } of this.#healthy) {
      const answer = await pool.ask(request);
      if (answer.status === 200 && answer.body.equals(body)) continue;
      throw new Error(`a healthy request was answered with ${answer.head}`);
    }
  }

  /** Sends inputs at once, each on a connection of its own. Throws where healthy requests suffer. */
  async send(inputs: readonly Input[]): Promise<Outcome[]> {
    const sockets = inputs.map((input) => this.#open(input));
    const parts = Math.max(...inputs.map((input) => input.parts.length));
    for (let i = 0; i < parts; i += 1) {
      for (const socket of sockets) socket.write(i);
      await this.round();
    }
    await this.#rounds(() => sockets.every(({ isPending }) => !isPending()));
    for (const socket of sockets) socket.end();
    await this.#rounds(() => sockets.every(({ isClosed }) => isClosed));
    for (const socket of sockets) socket.destroy();
    return sockets.map(({ received, isClosed }) => ({
      received: Buffer.concat(received),
      isClosed,
    }));
  }

  /** One round at least, and more until `isOver`. */
  async #rounds(isOver: () => boolean): Promise<void> {
    const endMs = systemTime.now() + PATIENCE_MS;
    do {
      await this.round();
    } while (!isOver() && systemTime.now() < endMs);
  }

  #withNames(part: string): string {
    const { world, vin, tokens } = this.#target;
    const named = part.replaceAll(WORLD_ID, world).replaceAll(VIN, vin);
    return Object.entries(TOKENS).reduce(
      (text, [caller, name]) => text.replaceAll(name, tokens[caller as Caller]),
      named,
    );
  }

  #open({ service, parts, leaves, expects }: Input) {
    const { urls } = this.#target;
    const socket = connect(Number(new URL(urls[service]).port), '127.0.0.1');
    const opened = {
      received: [] as Buffer[],
      isClosed: false,
      write: (index: number) => {
        const part = parts[index];
        if (part === undefined || !socket.writable) return;
        socket.write(this.#withNames(part), 'latin1');
        if (leaves && index === parts.length - 1) socket.end();
      },
      isPending: () => expects !== undefined && !opened.isClosed && opened.received.length === 0,
      end: () => socket.end(),
      destroy: () => socket.destroy(),
    };
    socket.on('data', (chunk: Buffer) => opened.received.push(chunk));
    // The close event follows every error.
    socket.on('error', () => {});
    socket.on('close', () => {
      opened.isClosed = true;
    });
    return opened;
  }
}

export async function publishedBy({ twin, dealer }: Target['urls']): Promise<Target['published']> {
  return { twin: await readOpenApi(twin), dealer: await readOpenApi(dealer) };
}
