import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemTime } from '../../src/time.ts';
import { ROOT } from './places.ts';
import { onProcessEnd } from './process-end.ts';
import { UsageError } from './usage-error.ts';

const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--disable-proto=delete'];
const READY_WITHIN_MS = 30_000;
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

/** A node of the product on free ports of the loopback, with an empty store and no rate limits. */
export async function startNode(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'twin-load-'));
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  try {
    const server = await startNodeOn(dataDir);
    // Registered behind the server's own: that has to be gone first.
    const keepData = onProcessEnd(() => rmSync(dataDir, { recursive: true, force: true }));
    return { ...server, stop: () => server.stop().then(removeData).finally(keepData) };
  } catch (error) {
    await removeData();
    throw error;
  }
}

/** The same with the store of a folder, which stays. */
export function startNodeOn(dataDir: string): Promise<Server> {
  return startProcess(['src/main.ts'], {
    HOST: '127.0.0.1',
    DEALER_PORT: '0',
    TWIN_PORT: '0',
    OPS_PORT: '0',
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  });
}

/** The reference: uWebSockets.js with handlers that do nothing, in a process of its own. */
export function startEmptyServer(): Promise<Server> {
  return startProcess(['bench/common/empty-server.ts'], {});
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

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

async function startProcess(args: string[], env: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, [...NODE_FLAGS, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.once(
    'exit',
    onProcessEnd(() => child.kill('SIGKILL')),
  );
  try {
    return { ...(await ready(child)), pid: child.pid, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

/** The addresses in the line that a server prints when it listens. */
function ready(child: ChildProcess): Promise<Pick<Server, 'url' | 'dealerUrl' | 'opsUrl'>> {
  return new Promise((resolve, reject) => {
    const stopWaiting = systemTime.after(READY_WITHIN_MS, () =>
      reject(new Error(`no ready line within ${READY_WITHIN_MS / 1000} s`)),
    );
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before ready`)));
    if (!child.stdout) throw new Error('the server has no standard output');
    createInterface(child.stdout).on('line', (line) => {
      const addresses = readyAddresses(line);
      if (!addresses) return;
      stopWaiting();
      resolve(addresses);
    });
  });
}

function readyAddresses(line: string) {
  const named = (name: string) => {
    const address = new RegExp(`^ready .*\\b${name}=(\\S+)`).exec(line)?.[1];
    return address === undefined ? undefined : new URL(address);
  };
  const url = named('twin');
  return url && { url, dealerUrl: named('dealer'), opsUrl: named('ops') };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stopInsisting = systemTime.after(STOP_WITHIN_MS, () => child.kill('SIGKILL'));
  child.kill('SIGTERM');
  await ended;
  stopInsisting();
}
