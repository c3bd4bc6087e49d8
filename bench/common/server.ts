import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, readyAddresses, spawnServer } from '../../src/testing/rigs/process.ts';
import { systemTime } from '../../src/time.ts';
import { onProcessEnd } from './process-end.ts';
import { UsageError } from './usage-error.ts';

const STOP_WITHIN_MS = 20_000;

/** A server under load. Without a `pid` its processor time is unknown. */
export interface Server {
  /** Of the twin. */
  url: URL;
  /** Undefined where it is unknown, as for the empty server. */
  dealerUrl: URL | undefined;
  opsUrl: URL | undefined;
  pid: number | undefined;
  /** Ends it if this process started it. */
  stop(): Promise<void>;
}

interface NodeOptions {
  /** Raised by default: a load comes from one address. The node counts, and nobody is refused. */
  rateLimits?: 'default' | 'raised';
  /** `cgroup.procs` of the control group that the process joins before the node starts. */
  groupFile?: string | undefined;
  /** Environment variables of the node, beside those of every load. */
  settings?: Readonly<Record<string, string>>;
}

const RAISED_BUCKETS = [
  ...['WORLDS', 'FEATURE_WRITES', 'MISSES', 'LOGINS', 'SIGN_UPS', 'CONNECTIONS'],
  ...['WORK_MS', 'EXPLANATIONS_MS'],
];
const RAISED_LIMITS = Object.fromEntries([
  ['LIMIT_SOCKETS', '1e6'],
  ['LIMIT_LIVING_WORLDS', '1e9'],
  ['LIMIT_FAILED_LOGINS', '1e6'],
  ...RAISED_BUCKETS.flatMap((name) => [
    [`LIMIT_${name}_BURST`, '1e12'],
    [`LIMIT_${name}_PER_S`, '1e12'],
  ]),
]);

/** A node of the product on free ports of the loopback, with an empty store. */
export async function startNode(options: NodeOptions = {}): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'twin-load-'));
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  try {
    const server = await startNodeOn(dataDir, options);
    // Registered behind the server's own: that has to be gone first.
    const keepData = onProcessEnd(() => rmSync(dataDir, { recursive: true, force: true }));
    return { ...server, stop: () => server.stop().then(removeData).finally(keepData) };
  } catch (error) {
    await removeData();
    throw error;
  }
}

/** The same with the store of a folder, which stays. */
export function startNodeOn(
  dataDir: string,
  { rateLimits = 'raised', groupFile, settings = {} }: NodeOptions = {},
): Promise<Server> {
  const environment = {
    HOST: '127.0.0.1',
    DEALER_PORT: '0',
    TWIN_PORT: '0',
    OPS_PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    ...(rateLimits === 'raised' ? RAISED_LIMITS : {}),
    ...settings,
  };
  const through = groupFile === undefined ? [] : [...JOIN, groupFile];
  return startProcess('src/main.ts', environment, through);
}

/** A shell that joins the group in its first argument and then becomes the command in the others. */
const JOIN = ['sh', '-c', 'echo $$ > "$0" && exec "$@"'];

/** The reference: uWebSockets.js with handlers that do nothing, in a process of its own. */
export function startEmptyServer(): Promise<Server> {
  return startProcess('bench/common/empty-server.ts', {});
}

/** Addresses of a running server; empty where not given. */
export interface Addresses {
  url: string;
  dealer: string;
  ops: string;
  /** 0: unknown. */
  pid: number;
}

/** A running server on this machine: load is never sent elsewhere. Throws UsageError. */
export function attach({ url, dealer, ops, pid }: Addresses): Server {
  return {
    url: addressOf(url),
    dealerUrl: dealer === '' ? undefined : addressOf(dealer),
    opsUrl: ops === '' ? undefined : addressOf(ops),
    pid: pid || undefined,
    stop: async () => {},
  };
}

function addressOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:' || !isLoopback(url.hostname)) {
    throw new UsageError(`${address} is not an http address of this machine`);
  }
  return url;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

async function startProcess(
  script: string,
  settings: Record<string, string>,
  through: readonly string[] = [],
): Promise<Server> {
  const child = spawnServer(script, settings, through);
  const kill = () => child.kill('SIGKILL');
  child.once('exit', onProcessEnd(kill));
  const { twin, dealer, ops } = await readyAddresses(child);
  return {
    url: new URL(twin),
    dealerUrl: dealer === undefined ? undefined : new URL(dealer),
    opsUrl: ops === undefined ? undefined : new URL(ops),
    pid: child.pid,
    stop: async () => {
      const stopInsisting = systemTime.after(STOP_WITHIN_MS, kill);
      await endProcess(child, 'SIGTERM');
      stopInsisting();
    },
  };
}
