import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Random } from '../../random.ts';
import type { Time } from '../../time.ts';

export type Argument = string | number | Buffer;

const CONNECT_TIMEOUT_MS = 2000;
/** If a hanging Redis server does not close the connection in time, this side closes it. */
const DISCONNECT_TIMEOUT_MS = 100;
/** Pause before another attempt to connect: doubles each time. */
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;
const RETRY_JITTER = 0.2;
/** How often `waitFor` tries. */
const ATTEMPT_MS = 10;
/** Errors of a Redis server that cannot execute commands now. Another attempt may succeed. */
const BROKEN = /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|UNBLOCKED|TRYAGAIN|NOSCRIPT|BUSY)\b/;

function readScript(name: string): { text: string; sha1: string } {
  const text = readFileSync(new URL(`${name}.lua`, import.meta.url), 'utf8');
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

/** Each script has a file, whose first lines list its keys and arguments. */
const SCRIPTS = {
  commit: readScript('commit'),
  list: readScript('list'),
  lease: readScript('lease'),
  release: readScript('release'),
};

type ScriptName = keyof typeof SCRIPTS;

/** `refused`: Redis did not execute the command. `unknown`: Redis may have executed it. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
  readonly outcome: 'refused' | 'unknown';

  constructor(outcome: LinkError['outcome'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.outcome = outcome;
  }
}

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
}

/**
 * One connection to Redis, which is made again whenever it ends. No command waits for a connection,
 * and none is sent twice: it is answered, refused, or its outcome is unknown. If Redis does not
 * answer a command in time, the connection is closed.
 */
export class RedisLink {
  readonly #redis: Redis | Cluster;
  readonly #options: LinkOptions;
  readonly #underWay = new Set<(error: LinkError) => void>();
  #isUp = false;
  #isClosed = false;
  /** Counts the connections, so that events of an earlier one are ignored. */
  #connection = 0;
  #lastError: unknown = new Error('not connected yet');

  constructor(url: string, options: LinkOptions) {
    this.#options = options;
    this.#redis = clientOf(url, options, (attempt) => this.#pauseMs(attempt));
    this.#redis.on('error', (error: unknown) => {
      this.#lastError = error;
    });
    this.#redis.on('ready', () => void this.#ready());
    this.#redis.on('close', () => this.#down(new Error('the connection was closed')));
  }

  get lastError(): unknown {
    return this.#lastError;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Connects, and connects again after a failure, until `close`. */
  open(): void {
    // The events `ready` and `close` report the outcome.
    this.#redis.connect().catch(() => {});
  }

  async #ready(): Promise<void> {
    const connection = ++this.#connection;
    try {
      await this.#loadScripts();
      await this.#options.handshake?.(this);
    } catch (error) {
      if (connection === this.#connection) this.renew(error);
      return;
    }
    if (connection !== this.#connection || this.#isClosed) return;
    this.#isUp = true;
    this.#options.up?.();
  }

  async #loadScripts(): Promise<void> {
    const load = (each: Redis) =>
      Object.values(SCRIPTS).map(({ text }) => each.script('LOAD', text));
    await Promise.all(this.#servers('master').flatMap(load));
  }

  #servers(role: 'master' | 'all'): Redis[] {
    return this.#redis instanceof Cluster ? this.#redis.nodes(role) : [this.#redis];
  }

  /** From now on a command has this long for its answer. */
  limitCommands(ms: number): void {
    const limit = (each: Redis) => {
      each.options.commandTimeout = ms;
    };
    this.#servers('all').forEach(limit);
    // Servers that a cluster gets later.
    this.#redis.on('+node', limit);
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
    if (!this.#isClosed) this.#redis.disconnect(true);
  }

  /** Runs a script. Rejects with LinkError. */
  run(name: ScriptName, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (!this.#isUp) return Promise.reject(new LinkError('refused', this.#lastError));
    return this.runEarly(name, keys, args);
  }

  /** As `run`, during the handshake. */
  runEarly(name: ScriptName, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.#send('EVALSHA', SCRIPTS[name].sha1, keys.length, ...keys, ...args);
  }

  /** Sends a command; binary answers are Buffers. Rejects with LinkError. */
  async send(command: string, ...args: Argument[]): Promise<unknown> {
    if (!this.#isUp) throw new LinkError('refused', this.#lastError);
    return this.#send(command, ...args);
  }

  #send(command: string, ...args: Argument[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const connection = this.#connection;
      this.#underWay.add(reject);
      this.#redis.callBuffer(command, args).then(
        (answer) => {
          this.#underWay.delete(reject);
          resolve(answer);
        },
        (error: unknown) => {
          this.#underWay.delete(reject);
          const failure = new LinkError(isRefusal(error) ? 'refused' : 'unknown', error);
          reject(failure);
          const isBroken = failure.outcome === 'unknown' || BROKEN.test(failure.message);
          if (isBroken && connection === this.#connection) this.renew(error);
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
    this.#redis.disconnect();
  }
}

/** Whether Redis refused the command, or never received it. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'ReplyError' || error.message.startsWith("Stream isn't writeable");
}

/** The message of an error, or of the first of several. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

const PORT = 6379;
const SENTINEL_PORT = 26_379;

/**
 * A client for a URL:
 * - `redis://` and `rediss://` (TLS): one Redis server
 * - `redis+cluster://[user:password@]host[:port][,host[:port]…]`: some nodes of a Redis Cluster
 * - `redis+sentinel://[user:password@]host[:port][,host[:port]…]/name`: the Redis Sentinels of a
 *   server
 */
function clientOf(
  url: string,
  { name, commandTimeoutMs }: LinkOptions,
  pauseMs: (attempt: number) => number | null,
): Redis | Cluster {
  const common: RedisOptions & { replyMapping: 'legacy' } = {
    ...accountOf(url),
    replyMapping: 'legacy',
    connectionName: name,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: commandTimeoutMs,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: false,
  };
  const alone = { ...common, lazyConnect: true, enableOfflineQueue: false, retryStrategy: pauseMs };
  const kind = url.slice(0, url.indexOf(':'));
  if (kind === 'redis+sentinel') {
    const sentinels = serversOf(url, SENTINEL_PORT);
    return new Redis({ ...alone, sentinels, name: url.slice(url.lastIndexOf('/') + 1) });
  }
  if (kind === 'redis+cluster') {
    return new Cluster(serversOf(url, PORT), {
      lazyConnect: true,
      enableOfflineQueue: false,
      // Needs that queue; the handshake does the same check.
      enableReadyCheck: false,
      // Redis may have executed a command whose connection ended: it must not be sent again.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      retryDelayOnTryAgain: 0,
      clusterRetryStrategy: pauseMs,
      redisOptions: common,
    });
  }
  const [server] = serversOf(url, PORT);
  const db = Number(new URL(url).pathname.slice(1) || 0);
  return new Redis({ ...alone, ...server, db, ...(kind === 'rediss' && { tls: {} }) });
}

/** The part of a URL between `//` and the next slash. */
function authorityOf(url: string): string {
  return url.split('/')[2] ?? '';
}

function accountOf(url: string): { username?: string; password?: string } {
  const authority = authorityOf(url);
  const end = authority.lastIndexOf('@');
  if (end < 0) return {};
  const [username = '', password = ''] = authority.slice(0, end).split(':').map(decodeURIComponent);
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

function serversOf(url: string, standardPort: number): { host: string; port: number }[] {
  const authority = authorityOf(url);
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .split(',')
    .map((each) => {
      const { hostname, port } = new URL(`redis://${each}`);
      return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || standardPort) };
    });
}
