import { createHash } from 'node:crypto';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { SCRIPT_NAMES, type ScriptName, scriptTexts } from './scripts.ts';

export type Argument = string | number | Buffer;

const CONNECT_TIMEOUT_MS = 2000;
/** A server that hangs does not close its end: then ours is closed alone. */
const DISCONNECT_TIMEOUT_MS = 100;
/** Pauses before attempts to connect again: doubled each time. */
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;
const RETRY_JITTER = 0.2;
/** What a server answers that cannot serve now, but may elsewhere or later. */
const BROKEN = /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|UNBLOCKED|TRYAGAIN|NOSCRIPT|BUSY)\b/;

const TEXTS = scriptTexts();
const HASHES = new Map(
  SCRIPT_NAMES.map((name) => [name, createHash('sha1').update(TEXTS[name]).digest('hex')]),
);

/** `refused`: the server did not do it, and never will. `unknown`: it may have done it. */
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
  /** A command without an answer for so long ends the connection. */
  commandTimeoutMs: number;
  /** Runs on every new connection before others may use it; where it throws, another is made. */
  handshake?: (link: RedisLink) => Promise<void>;
  /** The link came up. */
  up?: () => void;
}

/**
 * One connection to Redis, made anew for ever when it ends. Nothing waits for a connection that
 * is not there, and nothing is sent twice: a command is answered, refused, or its outcome is
 * unknown. A server that does not answer in time loses its connection.
 */
export class RedisLink {
  readonly #redis: Redis | Cluster;
  readonly #options: LinkOptions;
  readonly #underWay = new Set<(error: LinkError) => void>();
  #isUp = false;
  #isClosed = false;
  /** Counts the connections: what belongs to an earlier one does not concern the current one. */
  #connection = 0;
  #lastError: unknown = new Error('not connected yet');

  constructor(url: string, options: LinkOptions) {
    this.#options = options;
    this.#redis = clientOf(url, options, (times) => (this.#isClosed ? null : pauseMs(times)));
    this.#redis.on('error', (error: unknown) => {
      this.#lastError = error;
    });
    this.#redis.on('ready', () => void this.#ready());
    this.#redis.on('close', () => this.#down(new Error('the connection was closed')));
  }

  /** Why the link is not up. */
  get lastError(): unknown {
    return this.#lastError;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Begins to connect, and goes on until `close`. */
  open(): void {
    // How it went is told by events.
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
    const servers = this.#redis instanceof Cluster ? this.#redis.nodes('master') : [this.#redis];
    const texts = SCRIPT_NAMES.map((name) => TEXTS[name]);
    await Promise.all(servers.flatMap((each) => texts.map((text) => each.script('LOAD', text))));
  }

  #down(error: unknown): void {
    this.#isUp = false;
    this.#connection++;
    for (const reject of this.#underWay) reject(new LinkError('unknown', error));
    this.#underWay.clear();
  }

  /** Ends this connection and makes another. */
  renew(error: unknown): void {
    this.#lastError = error;
    this.#down(error);
    if (!this.#isClosed) this.#redis.disconnect(true);
  }

  /** Runs a script. Rejects with LinkError. */
  run(name: ScriptName, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (!this.#isUp) return Promise.reject(new LinkError('refused', this.#lastError));
    return this.#run(name, keys, args);
  }

  /** As `run`, on a connection that is not open to others yet. */
  early(name: ScriptName, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.#run(name, keys, args);
  }

  #run(name: ScriptName, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.send('EVALSHA', HASHES.get(name) ?? '', keys.length, ...keys, ...args);
  }

  /** The value of a hash's field, or null. Rejects with LinkError. */
  async field(key: string, field: Buffer): Promise<Buffer | null> {
    if (!this.#isUp) throw new LinkError('refused', this.#lastError);
    return (await this.send('HGET', key, field)) as Buffer | null;
  }

  /** Sends a command; binary answers are Buffers. Rejects with LinkError. */
  send(command: string, ...args: Argument[]): Promise<unknown> {
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

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isUp = false;
    this.#down(new Error('the link is closed'));
    this.#redis.disconnect();
  }
}

/** Whether the server said no, or was never asked. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'ReplyError' || error.message.startsWith("Stream isn't writeable");
}

function pauseMs(times: number): number {
  const ms = Math.min(RETRY_MS_MIN * 2 ** (times - 1), RETRY_MS_MAX);
  // Nodes that lost the same server do not all come back at once.
  return ms * (1 + (RETRY_JITTER * (performance.now() % 100)) / 100);
}

const PORT = 6379;
const SENTINEL_PORT = 26_379;

/**
 * A client of what a URL names: `redis://` and `rediss://` (TLS) a server,
 * `redis+cluster://[user:password@]host[:port][,host[:port]…]` some servers of a cluster,
 * `redis+sentinel://[user:password@]host[:port][,host[:port]…]/name` the sentinels of a server.
 */
function clientOf(
  url: string,
  { name, commandTimeoutMs }: LinkOptions,
  pause: (times: number) => number | null,
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
  const alone = { ...common, lazyConnect: true, enableOfflineQueue: false, retryStrategy: pause };
  const kind = url.slice(0, url.indexOf(':'));
  if (kind === 'redis+sentinel') {
    const sentinels = serversOf(url, SENTINEL_PORT);
    return new Redis({ ...alone, sentinels, name: url.slice(url.lastIndexOf('/') + 1) });
  }
  if (kind === 'redis+cluster') {
    return new Cluster(serversOf(url, PORT), {
      lazyConnect: true,
      enableOfflineQueue: false,
      // It would be refused for want of that queue; the handshake tells as much.
      enableReadyCheck: false,
      // A command whose connection ended may have been done: it is not sent again.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      retryDelayOnTryAgain: 0,
      clusterRetryStrategy: pause,
      redisOptions: common,
    });
  }
  const [server] = serversOf(url, PORT);
  const db = Number(new URL(url).pathname.slice(1) || 0);
  return new Redis({ ...alone, ...server, db, ...(kind === 'rediss' && { tls: {} }) });
}

/** The part of a URL between the slashes. */
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
