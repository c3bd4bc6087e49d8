import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const FLAGS = ['--disable-warning=ExperimentalWarning', '--disable-proto=delete'];

/**
 * Runs a server in a process of its own, with the flags of `npm start`.
 * @param script from the root of the repository
 */
export function spawnServer(script: string, settings: NodeJS.ProcessEnv): ChildProcess {
  const path = fileURLToPath(new URL(`../../../${script}`, import.meta.url));
  return spawn(process.execPath, [...FLAGS, path], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** The addresses in the line that a server prints when it serves, by name. Throws where it ends before. */
export async function readyAddresses({ stdout }: ChildProcess): Promise<Record<string, string>> {
  if (stdout === null) throw new Error('the server has no standard output');
  for await (const line of createInterface(stdout)) {
    const [, addresses] = /^ready (.*)$/.exec(line) ?? [];
    if (addresses === undefined) continue;
    stdout.resume();
    return Object.fromEntries(addresses.split(' ').map((each) => each.split('=')));
  }
  throw new Error('the server ended before it was ready');
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
  const { dealer = '', twin = '', ops = '' } = await readyAddresses(child);
  return {
    twinUrl: twin,
    dealerUrl: dealer,
    opsUrl: ops,
    pid: child.pid ?? 0,
    end: (signal) => endProcess(child, signal),
  };
}
