import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));

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
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--disable-proto=delete', MAIN],
    {
      env: {
        ...process.env,
        TWIN_PORT: '0',
        DEALER_PORT: '0',
        OPS_PORT: '0',
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'error',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [dealerUrl = '', twinUrl = '', opsUrl = ''] = await readyLine(child);
  return {
    twinUrl,
    dealerUrl,
    opsUrl,
    pid: child.pid ?? 0,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exit = once(child, 'exit');
      child.kill(signal);
      const [code] = await exit;
      return code;
    },
  };
}

async function readyLine(child: ChildProcess): Promise<string[]> {
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += chunk;
    const match = /^ready dealer=(\S+) twin=(\S+) ops=(\S+)$/m.exec(output);
    if (match) {
      child.stdout?.resume();
      return match.slice(1);
    }
  }
  throw new Error(`the node ended before it was ready: ${output}`);
}
