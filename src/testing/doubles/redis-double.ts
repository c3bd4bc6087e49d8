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

/** Where the clients of a process run, and how they are connected with the server. */
export interface ClientPlace {
  /** For their timers. */
  time: Time;
  /** Has the process run a task, when it comes to it. */
  run(task: () => void): void;
  /** How long messages to the server, and from it, take; Infinity: they are lost. */
  toServerMs(): number;
  fromServerMs(): number;
  /** Whether a connection can be made now. */
  canConnect(): boolean;
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
  /** Makes clients of this server. */
  readonly makeClient: MakeClient;
  /** It executes nothing, as a server that has just started. */
  isLoading = false;
  readonly #time: Time;
  readonly #connections = new Set<Connection>();
  #isUp = true;
  /** Counts the starts of the server. */
  #run = 0;
  /** What arrives while the server is paused. */
  #paused: (() => void)[] | undefined;

  constructor({ time, delayMs = () => 0 }: RedisDoubleOptions) {
    this.#time = time;
    this.makeClient = this.clientsAt({
      ...{ time, toServerMs: delayMs, fromServerMs: delayMs },
      run: (task) => task(),
      canConnect: () => true,
    });
    // As fine as the clock of a server.
    this.data = new RedisData(
      () => time.wallMs() + (Math.floor(time.now() * 1000) % 1000) / 1000 + this.clockAheadMs,
    );
  }

  /** Makes clients of this server in a process. */
  clientsAt(place: ClientPlace): MakeClient {
    return (_, options) => new ClientDouble(options, place, (ended) => this.#connect(place, ended));
  }

  #connect(place: ClientPlace, ended: () => void): Connection | undefined {
    if (!this.#isUp || !place.canConnect()) return undefined;
    const run = this.#run;
    const connection = new Connection({
      time: this.#time,
      place,
      arrived: (work) => this.#arrived(run, work),
      execute: (command, args) => this.execute(command, args),
      ended: () => {
        this.#connections.delete(connection);
        place.run(ended);
      },
    });
    this.#connections.add(connection);
    return connection;
  }

  #arrived(run: number, work: () => void): void {
    if (!this.#isUp || run !== this.#run) return;
    if (this.#paused !== undefined) this.#paused.push(work);
    else work();
  }

  /** Executes a command. Throws Error as the server answers. */
  execute(command: string, args: readonly RedisArgument[]): RedisReply {
    if (this.isLoading) throw new Error('LOADING Redis is loading the dataset in memory');
    this.data.begin();
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
      case 'HSET':
        this.data.setField(first, second, Buffer.from(text(args[2]), 'latin1'));
        return 1;
      case 'DEL':
        return this.data.delete(first) ? 1 : 0;
      case 'GET': {
        const value = this.data.get(first);
        return value === undefined ? null : Buffer.from(value, 'latin1');
      }
      case 'ZLEXCOUNT':
        return this.data.memberCount(first, second.slice(1), text(args[2]).slice(1));
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
    this.#run++;
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
  place: ClientPlace;
  arrived: (work: () => void) => void;
  execute: RedisDouble['execute'];
  ended: () => void;
}

interface Command {
  command: string;
  args: readonly RedisArgument[];
  answered: (reply: RedisReply | Error) => void;
}

/**
 * Messages in both directions, each in the order in which they were sent. What is sent at the same time
 * travels together.
 */
class Connection {
  isOpen = true;
  readonly #parts: ConnectionParts;
  /** What is sent now, and when. */
  #packet: Command[] = [];
  #packetMs = Number.NEGATIVE_INFINITY;
  #lastAskedMs = 0;
  #lastAnsweredMs = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  send(command: Command): void {
    if (!this.isOpen) return;
    const { time, place, arrived } = this.#parts;
    const nowMs = time.now();
    if (nowMs === this.#packetMs) {
      this.#packet.push(command);
      return;
    }
    const packet = [command];
    this.#packet = packet;
    this.#packetMs = nowMs;
    this.#lastAskedMs = Math.max(this.#lastAskedMs, nowMs + place.toServerMs());
    later(time, this.#lastAskedMs, () => {
      // What is sent while it arrives is the next one.
      if (packet === this.#packet) this.#packetMs = Number.NEGATIVE_INFINITY;
      arrived(() => this.#execute(packet));
    });
  }

  #execute(packet: readonly Command[]): void {
    const { time, place, execute } = this.#parts;
    const replies = packet.map(({ command, args }) => outcomeOf(() => execute(command, args)));
    this.#lastAnsweredMs = Math.max(this.#lastAnsweredMs, time.now() + place.fromServerMs());
    later(time, this.#lastAnsweredMs, () =>
      place.run(() => {
        for (const [i, { answered }] of packet.entries()) {
          if (this.isOpen) answered(replies[i] ?? null);
        }
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
  if (atMs === Number.POSITIVE_INFINITY) return;
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
    place: ClientPlace,
    connect: (ended: () => void) => Connection | undefined,
  ) {
    this.#options = options;
    this.#time = place.time;
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
      const answered = (reply: RedisReply | Error) => {
        end();
        if (reply instanceof Error) reject(new LinkError('refused', reply));
        else resolve(reply);
      };
      connection.send({ command, args, answered });
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
