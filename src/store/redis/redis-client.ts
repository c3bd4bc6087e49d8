import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { accountOf, serversOf } from './redis-url.ts';

export type Argument = string | number | Buffer;

/** `refused`: Redis did not execute the command. `unknown`: Redis may have executed it. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
  readonly outcome: 'refused' | 'unknown';

  constructor(outcome: LinkError['outcome'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.outcome = outcome;
  }
}

export interface ClientOptions {
  /** Of the connection, for the operator of Redis. */
  name: string;
  /** A command without an answer within this time fails with an unknown outcome. */
  commandTimeoutMs: number;
  /** Pause before the next attempt to connect; null: no further attempt. */
  pauseMs: (attempt: number) => number | null;
  /** The connection is made. */
  ready: () => void;
  /** The connection has ended, whoever ended it. */
  closed: () => void;
  failed: (error: unknown) => void;
}

/** One connection to Redis, which is made again whenever it ends. It sends no command twice. */
export interface RedisClient {
  /** Connects. Events report the outcome. */
  open(): void;
  /** Has every server know scripts. */
  loadScripts(texts: readonly string[]): Promise<void>;
  /** Sends a command; binary answers are Buffers. Rejects with LinkError. */
  send(command: string, args: readonly Argument[]): Promise<unknown>;
  /** From now on a command has this long for its answer. */
  limitCommands(ms: number): void;
  /** Ends the connection. */
  disconnect(how: 'for good' | 'connect again'): void;
}

export type MakeClient = (url: string, options: ClientOptions) => RedisClient;

const CONNECT_TIMEOUT_MS = 2000;
/** If a hanging Redis server does not close the connection in time, this side closes it. */
const DISCONNECT_TIMEOUT_MS = 100;
const PORT = 6379;
const SENTINEL_PORT = 26_379;

/**
 * The client of the library for a URL:
 * - `redis://` and `rediss://` (TLS): one Redis server
 * - `redis+cluster://[user:password@]host[:port][,host[:port]…]`: some nodes of a Redis Cluster
 * - `redis+sentinel://[user:password@]host[:port][,host[:port]…]/name`: the Redis Sentinels of a
 *   server
 */
export const libraryClient: MakeClient = (url, options) => {
  const redis = libraryOf(url, options);
  redis.on('error', options.failed);
  redis.on('ready', options.ready);
  redis.on('close', options.closed);
  const servers = (role: 'master' | 'all'): Redis[] =>
    redis instanceof Cluster ? redis.nodes(role) : [redis];
  return {
    open() {
      // The events report the outcome.
      redis.connect().catch(() => {});
    },
    async loadScripts(texts) {
      const load = (each: Redis) => texts.map((text) => each.script('LOAD', text));
      await Promise.all(servers('master').flatMap(load));
    },
    async send(command, args) {
      try {
        return await redis.callBuffer(command, [...args]);
      } catch (error) {
        throw new LinkError(isRefusal(error) ? 'refused' : 'unknown', error);
      }
    },
    limitCommands(ms) {
      const limit = (each: Redis) => {
        each.options.commandTimeout = ms;
      };
      servers('all').forEach(limit);
      // Servers that a cluster gets later.
      redis.on('+node', limit);
    },
    disconnect: (how) => redis.disconnect(how === 'connect again'),
  };
};

/** Whether Redis refused the command, or never received it. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'ReplyError' || error.message.startsWith("Stream isn't writeable");
}

function libraryOf(
  url: string,
  { name, commandTimeoutMs, pauseMs }: ClientOptions,
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
