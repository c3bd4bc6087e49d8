import type { Random } from '../../random.ts';
import type { Time } from '../../time.ts';
import {
  type Argument,
  LinkError,
  libraryClient,
  type MakeClient,
  type RedisClient,
} from './redis-client.ts';
import { SCRIPTS, type ScriptName } from './redis-scripts.ts';

/** Pause before another attempt to connect: doubles each time. */
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;
const RETRY_JITTER = 0.2;
/** How often `waitFor` tries. */
const ATTEMPT_MS = 10;
const NEVER = Number.NEGATIVE_INFINITY;
/** Errors of a Redis server that cannot execute commands now. Another attempt may succeed. */
const BROKEN = /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|UNBLOCKED|TRYAGAIN|NOSCRIPT|BUSY)\b/;

export interface LinkOptions {
  name: string;
  /** A command without an answer within this time ends the connection; see also `limitCommands`. */
  commandTimeoutMs: number;
  time: Time;
  random: Random;
  /** Runs on every new connection before it is used. If it rejects, another connection is made. */
  handshake?: (link: RedisLink) => Promise<void>;
  /** Called when the connection can be used. */
  up?: () => void;
  /** By default that of the library. */
  makeClient?: MakeClient | undefined;
}

/**
 * One connection to Redis, which is made again whenever it ends. No command waits for a connection,
 * and none is sent twice: it is answered, refused, or its outcome is unknown. If Redis does not
 * answer a command in time, the connection is closed.
 */
export class RedisLink {
  readonly #client: RedisClient;
  readonly #options: LinkOptions;
  readonly #underWay = new Set<(error: LinkError) => void>();
  #isUp = false;
  #isClosed = false;
  #upMs = NEVER;
  /** Counts the connections, so that events of an earlier one are ignored. */
  #connection = 0;
  #lastError: unknown = new Error('not connected yet');

  constructor(url: string, options: LinkOptions) {
    this.#options = options;
    const { name, commandTimeoutMs, makeClient = libraryClient } = options;
    this.#client = makeClient(url, {
      ...{ name, commandTimeoutMs },
      pauseMs: (attempt) => this.#pauseMs(attempt),
      ready: () => void this.#ready(),
      closed: () => this.#down(new Error('the connection was closed')),
      failed: (error) => {
        this.#lastError = error;
      },
    });
  }

  get lastError(): unknown {
    return this.#lastError;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** When the last connection was made, by `Time.now`; -Infinity: none was. */
  get upMs(): number {
    return this.#upMs;
  }

  /** Connects, and connects again after a failure, until `close`. */
  open(): void {
    this.#client.open();
  }

  async #ready(): Promise<void> {
    const connection = ++this.#connection;
    try {
      await this.#client.loadScripts(Object.values(SCRIPTS).map(({ text }) => text));
      await this.#options.handshake?.(this);
    } catch (error) {
      if (connection === this.#connection) this.renew(error);
      return;
    }
    if (connection !== this.#connection || this.#isClosed) return;
    this.#upMs = this.#options.time.now();
    this.#isUp = true;
    this.#options.up?.();
  }

  /** From now on a command has this long for its answer. */
  limitCommands(ms: number): void {
    this.#client.limitCommands(ms);
  }

  /**
   * Repeats `attempt` until it succeeds. Rejects with the last error of the connection after
   * `limitMs`, or if `attempt` rejects.
   */
  async waitFor(attempt: () => boolean | Promise<boolean>, limitMs: number): Promise<void> {
    const { time } = this.#options;
    const endMs = time.now() + limitMs;
    while (!(await attempt())) {
      if (time.now() > endMs) throw new Error(`no answer: ${messageOf(this.#lastError)}`);
      await time.sleep(ATTEMPT_MS);
    }
  }

  #down(error: unknown): void {
    this.#isUp = false;
    this.#connection++;
    for (const reject of this.#underWay) reject(new LinkError('unknown', error));
    this.#underWay.clear();
  }

  /** Ends this connection and makes a new one. */
  renew(error: unknown): void {
    this.#lastError = error;
    this.#down(error);
    if (!this.#isClosed) this.#client.disconnect('connect again');
  }

  /** Runs a script. Rejects with LinkError. */
  run(name: ScriptName, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (!this.#isUp) return Promise.reject(new LinkError('refused', this.#lastError));
    return this.runEarly(name, keys, args);
  }

  /** As `run`, during the handshake. */
  runEarly(name: ScriptName, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.#send('EVALSHA', [SCRIPTS[name].sha1, keys.length, ...keys, ...args]);
  }

  /** Sends a command; binary answers are Buffers. Rejects with LinkError. */
  async send(command: string, ...args: Argument[]): Promise<unknown> {
    if (!this.#isUp) throw new LinkError('refused', this.#lastError);
    return this.#send(command, args);
  }

  /** `args`: not one by one, as a long commit has more than fit on the stack. */
  #send(command: string, args: readonly Argument[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const connection = this.#connection;
      this.#underWay.add(reject);
      this.#client.send(command, args).then(
        (answer) => {
          this.#underWay.delete(reject);
          resolve(answer);
        },
        (error: LinkError) => {
          this.#underWay.delete(reject);
          reject(error);
          const isBroken = error.outcome === 'unknown' || BROKEN.test(error.message);
          if (isBroken && connection === this.#connection) this.renew(error.cause);
        },
      );
    });
  }

  /** Pause before the next attempt to connect; null: no further attempt. */
  #pauseMs(attempt: number): number | null {
    if (this.#isClosed) return null;
    const ms = Math.min(RETRY_MS_MIN * 2 ** (attempt - 1), RETRY_MS_MAX);
    // Random, so that nodes which lost the same Redis server do not connect at the same time.
    const [byte = 0] = this.#options.random.bytes(1);
    return ms * (1 + (RETRY_JITTER * byte) / 256);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#down(new Error('the link is closed'));
    this.#client.disconnect('for good');
  }
}

/** The message of an error, or of the first of several. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
