import type { ClientOptions, MakeClient, RedisClient } from '../../store/redis/redis-client.ts';
import { LinkError } from '../../store/redis/redis-client.ts';
import { SCRIPTS } from '../../store/redis/redis-scripts.ts';
import type { StopTimer, Time } from '../../time.ts';
import {
  type RedisArgument,
  RedisData,
  type RedisReply,
  SCRIPT_TWINS,
  text,
} from './redis-scripts.ts';

export interface RedisDoubleOptions {
  time: Time;
  /** How long a message takes to the server, or back; 0 by default. */
  delayMs?: () => number;
}

type ScriptName = keyof typeof SCRIPT_TWINS;

const NAMES = new Map(
  Object.entries(SCRIPTS).map(([name, { sha1 }]) => [sha1, name as ScriptName]),
);

/**
 * A Redis server in memory. Its connections keep their order, but a command may arrive after the client
 * gave it up, and an answer that is lost does not undo what was done.
 */
export class RedisDouble {
  readonly data: RedisData;
  /** Its clock less that of `Time.wallMs`; tests move it. */
  clockAheadMs = 0;
  readonly #time: Time;
  readonly #delayMs: () => number;
  readonly #connections = new Set<Connection>();
  #isUp = true;
  /** What arrives while the server is paused. */
  #paused: (() => void)[] | undefined;

  constructor({ time, delayMs = () => 0 }: RedisDoubleOptions) {
    this.#time = time;
    this.#delayMs = delayMs;
    // As fine as the clock of a server.
    this.data = new RedisData(
      () => time.wallMs() + (Math.floor(time.now() * 1000) % 1000) / 1000 + this.clockAheadMs,
    );
  }

  /** Makes clients of this server. */
  readonly makeClient: MakeClient = (_, options) =>
    new ClientDouble(options, this.#time, (ended) => this.#connect(ended));

  #connect(ended: () => void): Connection | undefined {
    if (!this.#isUp) return undefined;
    const connection = new Connection({
      time: this.#time,
      delayMs: this.#delayMs,
      arrived: (work) => this.#arrived(work),
      execute: (command, args) => this.execute(command, args),
      ended: () => {
        this.#connections.delete(connection);
        ended();
      },
    });
    this.#connections.add(connection);
    return connection;
  }

  #arrived(work: () => void): void {
    if (this.#paused !== undefined) this.#paused.push(work);
    else if (this.#isUp) work();
  }

  /** Executes a command. Throws Error as the server answers. */
  execute(command: string, args: readonly RedisArgument[]): RedisReply {
    const [first, second] = [text(args[0]), text(args[1])];
    switch (command) {
      case 'EVALSHA': {
        const name = NAMES.get(first);
        if (name === undefined) throw new Error('NOSCRIPT No matching script');
        const keyCount = Number(second);
        const keys = args.slice(2, 2 + keyCount).map(text);
        return SCRIPT_TWINS[name](this.data, keys, args.slice(2 + keyCount));
      }
      case 'HGET':
        return this.data.field(first, second) ?? null;
      case 'GET': {
        const value = this.data.get(first);
        return value === undefined ? null : Buffer.from(value, 'latin1');
      }
      default:
        throw new Error(`ERR unknown command '${command}'`);
    }
  }

  /** It executes nothing until `resume`. */
  pause(): void {
    this.#paused ??= [];
  }

  resume(): void {
    const arrived = this.#paused ?? [];
    this.#paused = undefined;
    for (const work of arrived) work();
  }

  /** Ends all connections; what is on the way to the server is lost. */
  kill(): void {
    this.#isUp = false;
    this.#paused = undefined;
    this.endConnections();
  }

  start(): void {
    this.#isUp = true;
  }

  /** Ends the connections. What was sent before may still arrive, if the server lives. */
  endConnections(): void {
    for (const connection of [...this.#connections]) connection.end();
  }
}

interface ConnectionParts {
  time: Time;
  delayMs: () => number;
  arrived: (work: () => void) => void;
  execute: RedisDouble['execute'];
  ended: () => void;
}

/** Messages in both directions, each in the order in which they were sent. */
class Connection {
  isOpen = true;
  readonly #parts: ConnectionParts;
  #lastAskedMs = 0;
  #lastAnsweredMs = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  send(
    command: string,
    args: readonly RedisArgument[],
    answered: (reply: RedisReply | Error) => void,
  ): void {
    const { time, delayMs, arrived, execute } = this.#parts;
    this.#lastAskedMs = Math.max(this.#lastAskedMs, time.now() + delayMs());
    later(time, this.#lastAskedMs, () =>
      arrived(() => {
        const reply = outcomeOf(() => execute(command, args));
        this.#lastAnsweredMs = Math.max(this.#lastAnsweredMs, time.now() + delayMs());
        later(time, this.#lastAnsweredMs, () => {
          if (this.isOpen) answered(reply);
        });
      }),
    );
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#parts.ended();
  }
}

function outcomeOf(work: () => RedisReply): RedisReply | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function later(time: Time, atMs: number, task: () => void): void {
  if (atMs <= time.now()) time.immediate(task);
  else time.after(atMs - time.now(), task);
}

/** A client as that of the library: it connects again by itself, and sends no command twice. */
class ClientDouble implements RedisClient {
  readonly #options: ClientOptions;
  readonly #time: Time;
  readonly #connect: (ended: () => void) => Connection | undefined;
  readonly #pending = new Set<(error: LinkError) => void>();
  #connection: Connection | undefined;
  #commandTimeoutMs: number;
  #attempt = 0;
  #isClosed = false;
  #stopRetry: StopTimer = () => {};

  constructor(
    options: ClientOptions,
    time: Time,
    connect: (ended: () => void) => Connection | undefined,
  ) {
    this.#options = options;
    this.#time = time;
    this.#connect = connect;
    this.#commandTimeoutMs = options.commandTimeoutMs;
  }

  open(): void {
    this.#time.immediate(() => this.#tryToConnect());
  }

  #tryToConnect(): void {
    if (this.#isClosed || this.#connection !== undefined) return;
    this.#attempt++;
    this.#connection = this.#connect(() => this.#ended());
    if (this.#connection === undefined) {
      this.#options.failed(new Error('connect ECONNREFUSED'));
      this.#ended();
      return;
    }
    this.#attempt = 0;
    this.#options.ready();
  }

  #ended(): void {
    this.#connection = undefined;
    for (const reject of this.#pending) {
      reject(new LinkError('unknown', new Error('Connection is closed.')));
    }
    this.#pending.clear();
    this.#options.closed();
    this.#connectLater();
  }

  #connectLater(): void {
    const pauseMs = this.#isClosed ? null : this.#options.pauseMs(Math.max(1, this.#attempt));
    if (pauseMs === null) return;
    this.#stopRetry();
    this.#stopRetry = this.#time.after(pauseMs, () => this.#tryToConnect());
  }

  async loadScripts(): Promise<void> {}

  send(command: string, args: readonly RedisArgument[]): Promise<unknown> {
    const connection = this.#connection;
    if (connection === undefined) {
      return Promise.reject(new LinkError('refused', new Error("Stream isn't writeable")));
    }
    return new Promise((resolve, reject) => {
      const end = () => {
        stopTimer();
        this.#pending.delete(reject);
      };
      const stopTimer = this.#time.after(this.#commandTimeoutMs, () => {
        end();
        reject(new LinkError('unknown', new Error('Command timed out')));
      });
      this.#pending.add(reject);
      // What the caller changes later is not sent.
      connection.send(command, args, (reply) => {
        end();
        if (reply instanceof Error) reject(new LinkError('refused', reply));
        else resolve(reply);
      });
    });
  }

  limitCommands(ms: number): void {
    this.#commandTimeoutMs = ms;
  }

  disconnect(how: 'for good' | 'connect again'): void {
    if (how === 'for good') this.#isClosed = true;
    const connection = this.#connection;
    if (connection === undefined) return;
    // Later, as the library tells it.
    this.#time.immediate(() => connection.end());
  }
}
