import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { systemTime } from '../../time.ts';

const FLAGS = ['--disable-warning=ExperimentalWarning', '--disable-proto=delete'];
const READY_WITHIN_MS = 30_000;

/** A server ended, or its time was over, before it served. */
export class NotReadyError extends Error {}

/**
 * Runs a server in a process of its own, with the flags of `npm start`.
 * @param script from the root of the repository
 * @param through a command that takes the command of the server as its last arguments, and becomes it
 */
export function spawnServer(
  script: string,
  settings: NodeJS.ProcessEnv,
  through: readonly string[] = [],
): ChildProcess {
  const path = fileURLToPath(new URL(`../../../${script}`, import.meta.url));
  const [program = '', ...args] = [...through, process.execPath, ...FLAGS, path];
  return spawn(program, args, {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** What a server prints when it serves: its addresses, by name. */
type ReadyAddresses = Record<string, string> & { twin: string };

/**
 * Resolves when a server serves. It throws NotReadyError where the server ends or hangs before; the
 * server has ended whenever it throws.
 */
export async function readyAddresses(
  child: ChildProcess,
  withinMs = READY_WITHIN_MS,
): Promise<ReadyAddresses> {
  const failure = Promise.withResolvers<never>();
  child.once('error', failure.reject);
  const stopWaiting = systemTime.after(withinMs, () =>
    failure.reject(new NotReadyError(`no ready line within ${withinMs / 1000} s`)),
  );
  try {
    return await Promise.race([addressesIn(child.stdout), failure.promise]);
  } catch (error) {
    await endProcess(child, 'SIGKILL');
    throw error;
  } finally {
    stopWaiting();
  }
}

async function addressesIn(output: Readable | null): Promise<ReadyAddresses> {
  if (output === null) throw new Error('the server has no standard output');
  for await (const line of createInterface(output)) {
    const [, text] = /^ready (.*)$/.exec(line) ?? [];
    if (text === undefined) continue;
    output.resume();
    const addresses = Object.fromEntries(text.split(' ').map((each) => each.split('=')));
    if (!URL.canParse(addresses.twin)) throw new Error(`no address of the twin in: ${line}`);
    return addresses;
  }
  throw new NotReadyError('the server ended before it was ready');
}

/** Resolves with the exit code, or null where a signal ended the process. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exit) as [number | null];
  return code;
}

/** A node in a process of its own, as `npm start` runs it. */
export interface NodeProcess {
  twinUrl: string;
  dealerUrl: string;
  opsUrl: string;
  pid: number;
  /** Ends the process and resolves with its exit code, or null where a signal ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** Starts a node on free ports and resolves once it is ready. Throws where it exits before. */
export async function startNodeProcess(settings: Record<string, string>): Promise<NodeProcess> {
  const child = spawnServer('src/main.ts', {
    TWIN_PORT: '0',
    DEALER_PORT: '0',
    OPS_PORT: '0',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
    ...settings,
  });
  const { dealer = '', twin, ops = '' } = await readyAddresses(child);
  return {
    twinUrl: twin,
    dealerUrl: dealer,
    opsUrl: ops,
    pid: child.pid ?? 0,
    end: (signal) => endProcess(child, signal),
  };
}
