import { availableParallelism } from 'node:os';
import { isPublished } from './dealer/demo.ts';
import type { Random } from './random.ts';
import { isReadable } from './store/redis/redis-url.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/** A token bucket: its size, and tokens added per second. */
export interface BucketSize {
  burst: number;
  perS: number;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_HOST = '127.0.0.1';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** All settings of a node; docs/operating.md lists them. */
export type Config = ReturnType<typeof readConfig>;

/** Reads and checks all settings. Throws a ConfigError that names the variable and its fault. */
export function readConfig(env: Environment, random: Random) {
  return {
    host: text(env, 'HOST', DEFAULT_HOST),
    dealerPort: whole(env, 'DEALER_PORT', 8000, [0, 65_535]),
    twinPort: whole(env, 'TWIN_PORT', 8080, [0, 65_535]),
    opsHost: text(env, 'OPS_HOST', '127.0.0.1'),
    opsPort: whole(env, 'OPS_PORT', 9090, [0, 65_535]),
    /** Base URL without a trailing slash; undefined: built from the listening address. */
    publicTwinUrl: url(env, 'PUBLIC_TWIN_URL'),
    /** As above. Undefined beside a public URL of the twin: the viewer does not mention the console. */
    publicDealerUrl: url(env, 'PUBLIC_DEALER_URL'),
    dataDir: text(env, 'DATA_DIR', './data'),
    /** Undefined: the embedded store. */
    redisUrl: redisUrl(env),
    leaseMs: number(env, 'LEASE_SECONDS', 6, [1, 60]) * 1000,
    /** How long a node that has given its worlds to others passes requests on before it stops. */
    drainMs: number(env, 'DRAIN_SECONDS', 5, [0, 60]) * 1000,
    /** How other nodes on the same Redis reach this one. */
    link: link(env),
    /** Base of this node's own public URLs; undefined: streams of other nodes' worlds are relayed. */
    nodeTwinUrl: url(env, 'NODE_TWIN_URL'),
    nodeName: text(env, 'NODE_NAME', `node-${Buffer.from(random.bytes(4)).toString('hex')}`),
    /** Threads that step worlds, one per core. Watched worlds may use up to 75 % of each. */
    shards: whole(env, 'SHARDS', availableParallelism(), [1, 256]),
    /** Worlds in memory per shard. */
    shardWorlds: whole(env, 'SHARD_WORLDS', 8192, [16, 200_000]),
    worldIdleMs: number(env, 'WORLD_IDLE_SECONDS', 1800, [1, 1e8]) * 1000,
    rateLimits: rateLimits(env),
    /** Undefined: as many as the system allows. */
    connectionsMax: connectionsMax(env),
    /** Undefined: the address of a client is that of its connection. */
    proxies: proxies(env),
    /** '*' or the allowed origins. */
    corsOrigins: origins(env),
    tls: tls(env),
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', LOG_LEVELS),
    demo: demo(env),
    fleetCarsMax: whole(env, 'FLEET_CARS_MAX', 10_000, [1, 1e6]),
    /** Customers of one dealer. */
    dealerCustomersMax: whole(env, 'DEALER_CUSTOMERS_MAX', 10_000, [1, 1e6]),
    /** Customers of all dealers and of none. */
    customersMax: whole(env, 'CUSTOMERS_MAX', 100_000, [1, 1e7]),
    tokenLifetimeS: whole(env, 'TOKEN_SECONDS', 28_800, [1, 1e8]),
    /** Encrypts sensitive profile fields; undefined: use the key in the store. */
    fieldKey: fieldKey(env),
  };
}

export type RateLimitSettings = typeof DEFAULT_RATE_LIMITS;

export const DEFAULT_RATE_LIMITS = {
  /** Worlds created by one address. */
  worlds: { burst: 60, perS: 1 },
  /** Changes of one vehicle's features. */
  featureWrites: { burst: 50, perS: 50 },
  /** Requests of one address for unknown ids and VINs. */
  misses: { burst: 20, perS: 20 },
  /**
   * Processor time that one address may cause, ms: at once ten worlds that begin half an hour old,
   * then 5 % of one core.
   */
  workMs: { burst: 3000, perS: 50 },
  /**
   * Processor time for the explanations of one world before clients pay for what they ask for, ms:
   * at once some hundred usual ones, then one in two seconds.
   */
  explanationsMs: { burst: 10_000, perS: 20 },
  /** Open streams of one address. */
  socketsPerAddress: 2000,
  livingWorldsPerAddress: 4000,
  /** Connections opened by one address. */
  connections: { burst: 2000, perS: 100 },
  /** Log-ins of one address. */
  logins: { burst: 60, perS: 1 },
  /** Accounts created by one address. */
  signUps: { burst: 10, perS: 10 / 60 },
  /** Failed log-ins of one name from one address without a wait. */
  failedLogins: 5,
  /** The longest wait between log-ins of a name from an address. */
  failedLoginWaitS: 60,
};

function rateLimits(env: Environment): RateLimitSettings | 'off' {
  if (!onOff(env, 'RATE_LIMITS', true)) return 'off';
  const bucket = (name: string, standard: BucketSize): BucketSize => ({
    burst: whole(env, `${name}_BURST`, standard.burst, [1, 1e12]),
    perS: number(env, `${name}_PER_S`, standard.perS, [0.001, 1e12]),
  });
  const standard = DEFAULT_RATE_LIMITS;
  return {
    worlds: bucket('LIMIT_WORLDS', standard.worlds),
    featureWrites: bucket('LIMIT_FEATURE_WRITES', standard.featureWrites),
    misses: bucket('LIMIT_MISSES', standard.misses),
    workMs: bucket('LIMIT_WORK_MS', standard.workMs),
    explanationsMs: bucket('LIMIT_EXPLANATIONS_MS', standard.explanationsMs),
    socketsPerAddress: whole(env, 'LIMIT_SOCKETS', standard.socketsPerAddress, [1, 1e9]),
    livingWorldsPerAddress: whole(
      env,
      'LIMIT_LIVING_WORLDS',
      standard.livingWorldsPerAddress,
      [1, 1e9],
    ),
    connections: bucket('LIMIT_CONNECTIONS', standard.connections),
    logins: bucket('LIMIT_LOGINS', standard.logins),
    signUps: bucket('LIMIT_SIGN_UPS', standard.signUps),
    failedLogins: whole(env, 'LIMIT_FAILED_LOGINS', standard.failedLogins, [1, 1e6]),
    failedLoginWaitS: number(
      env,
      'LIMIT_FAILED_LOGIN_WAIT_S',
      standard.failedLoginWaitS,
      [0.001, 3600],
    ),
  };
}

function connectionsMax(env: Environment): number | undefined {
  return env.MAX_CONNECTIONS ? whole(env, 'MAX_CONNECTIONS', 0, [1, 1e9]) : undefined;
}

const ADMIN_PASSWORD_LENGTH_MIN = 8;
const FIELD_KEY_BYTES = 32;

/** Demo data and published log-ins, but for the admin where it has a password of its own. */
function demo(
  env: Environment,
): { demo: true; adminPassword?: string } | { demo: false; adminPassword: string } {
  if (!onOff(env, 'DEMO', true)) {
    return { demo: false, adminPassword: adminPassword(env, 'DEMO=off') };
  }
  if (onOff(env, 'DEMO_PUBLIC', false)) {
    return { demo: true, adminPassword: adminPassword(env, 'DEMO_PUBLIC=on') };
  }
  const host = text(env, 'HOST', DEFAULT_HOST);
  if (isLoopback(host) && !env.TRUSTED_PROXIES) return { demo: true };
  throw new ConfigError(
    'DEMO: the log-ins of the demo data are public, and others reach this node, by ' +
      `${isLoopback(host) ? 'TRUSTED_PROXIES' : `HOST=${host}`}: ` +
      'set DEMO=off, or DEMO_PUBLIC=on to keep the demo data with an admin password of your own',
  );
}

/** The password of the admin where it must not be the published one. */
function adminPassword(env: Environment, setting: string): string {
  const given = env.ADMIN_PASSWORD ?? '';
  if (given === '') {
    throw new ConfigError(`ADMIN_PASSWORD: set the password of the admin; ${setting} requires it`);
  }
  if ([...given].length < ADMIN_PASSWORD_LENGTH_MIN) {
    throw new ConfigError(`ADMIN_PASSWORD: use at least ${ADMIN_PASSWORD_LENGTH_MIN} characters`);
  }
  if (isPublished(given)) {
    throw new ConfigError('ADMIN_PASSWORD: use another password; this one is public');
  }
  return given;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function fieldKey(env: Environment): Uint8Array | undefined {
  const given = env.FIELD_KEY;
  if (!given) return undefined;
  const key = Buffer.from(given, 'base64');
  if (key.length !== FIELD_KEY_BYTES || key.toString('base64') !== given) {
    throw new ConfigError(`FIELD_KEY: use ${FIELD_KEY_BYTES} bytes in base64`);
  }
  return key;
}

function tls(env: Environment): { certFile: string; keyFile: string } | undefined {
  const { TLS_CERT: certFile, TLS_KEY: keyFile } = env;
  if (!certFile && !keyFile) return undefined;
  if (!certFile || !keyFile) throw new ConfigError('TLS_CERT and TLS_KEY: set both or neither');
  return { certFile, keyFile };
}

function origins(env: Environment): '*' | readonly string[] {
  const given = text(env, 'CORS_ORIGINS', '*');
  if (given === '*') return '*';
  return given.split(',').map((origin) => {
    const trimmed = origin.trim();
    if (!URL.canParse(trimmed) || new URL(trimmed).origin !== trimmed) {
      throw new ConfigError(
        `CORS_ORIGINS: "${trimmed}" is not an origin such as https://example.org`,
      );
    }
    return trimmed;
  });
}

function proxies(env: Environment): TrustedProxies | undefined {
  const given = env.TRUSTED_PROXIES || undefined;
  if (given === undefined) return undefined;
  try {
    return new TrustedProxies(given.split(',').map((range) => range.trim()));
  } catch (error) {
    throw new ConfigError(`TRUSTED_PROXIES: ${(error as Error).message}`);
  }
}

function text(env: Environment, name: string, standard: string): string {
  return env[name] || standard;
}

type Range = readonly [least: number, most: number];

function number(env: Environment, name: string, standard: number, range: Range): number {
  const given = env[name];
  if (!given?.trim()) return standard;
  const [least, most] = range;
  const value = Number(given);
  if (!(value >= least && value <= most)) {
    throw new ConfigError(`${name}: "${given}" is not a number from ${least} to ${most}`);
  }
  return value;
}

function whole(env: Environment, name: string, standard: number, range: Range): number {
  const value = number(env, name, standard, range);
  if (!Number.isInteger(value))
    throw new ConfigError(`${name}: "${env[name]}" is not a whole number`);
  return value;
}

function oneOf(env: Environment, name: string, standard: string, known: string[]): string {
  const value = text(env, name, standard);
  if (!known.includes(value)) {
    throw new ConfigError(`${name}: "${value}" is not one of ${known.join(', ')}`);
  }
  return value;
}

function onOff(env: Environment, name: string, standard: boolean): boolean {
  return oneOf(env, name, standard ? 'on' : 'off', ['on', 'off']) === 'on';
}

/** A Redis server without or with TLS, nodes of a Redis Cluster, or Redis Sentinels. */
const REDIS_URL =
  /^(rediss?:\/\/[^/,]+(\/\d*)?|redis\+cluster:\/\/[^/]+|redis\+sentinel:\/\/[^/]+\/[^/]+)$/;

function redisUrl(env: Environment): string | undefined {
  const given = env.REDIS_URL || undefined;
  if (given !== undefined && !REDIS_URL.test(given)) {
    // The message leaves out the value: it may contain a password.
    throw new ConfigError(
      'REDIS_URL: use redis://host:port, rediss://…, redis+cluster://… or redis+sentinel://…',
    );
  }
  if (given !== undefined && !isReadable(given)) {
    throw new ConfigError(
      'REDIS_URL: it cannot be read; write special characters of its password as %23, %25 and so on',
    );
  }
  return given;
}

/** Hosts that listen on all addresses: none of them is an address to dial. */
const ANY_HOST = ['0.0.0.0', '::'];

function link(env: Environment): { host: string; port: number; url: string | undefined } {
  const host = text(env, 'LINK_HOST', '127.0.0.1');
  const port = whole(env, 'LINK_PORT', 0, [0, 65_535]);
  const url = env.LINK_URL || undefined;
  if (url === undefined) {
    if (!ANY_HOST.includes(host)) return { host, port, url };
    throw new ConfigError(
      `LINK_URL: set the address at which other nodes reach this one; LINK_HOST=${host} is none`,
    );
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['ws:', 'wss:'].includes(parsed.protocol)) {
    throw new ConfigError(`LINK_URL: "${url}" is not a ws or wss URL`);
  }
  if (parsed.protocol === 'wss:' && !env.TLS_CERT) {
    throw new ConfigError('LINK_URL: wss needs TLS_CERT and TLS_KEY');
  }
  if (parsed.protocol === 'ws:' && env.TLS_CERT) {
    throw new ConfigError('LINK_URL: use wss, as the link has the certificate of TLS_CERT');
  }
  return { host, port, url: url.replace(/\/+$/, '') };
}

function url(env: Environment, name: string): string | undefined {
  const given = env[name];
  if (!given) return undefined;
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new ConfigError(`${name}: "${given}" is not an http or https URL`);
  }
  return given.replace(/\/+$/, '');
}
