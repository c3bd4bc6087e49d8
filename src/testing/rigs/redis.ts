import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

/** Whether tests start Redis servers. In CI they must, and fail if there is none. */
export const HAS_REDIS =
  process.env.CI === 'true' || spawnSync('redis-server', ['--version']).status === 0;

/** A Redis server of a test's own, on a free port of 127.0.0.1 with a folder of its own. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Ends the server; what it logged stays. */
  kill(): Promise<void>;
  /** Starts the server again, where it does not run, on the same port and folder. */
  start(): Promise<void>;
  /** Halts the process, and lets it go on. */
  pause(): void;
  resume(): void;
  /** Sends commands and resolves with what the server answers. */
  ask(...commands: string[]): Promise<string>;
  /** Lets every lease of a database expire at once, as if its time had passed. */
  endLeases(database?: number): Promise<void>;
  /** Ends the server and removes its folder. */
  discard(): Promise<void>;
}

const END_LEASES =
  "EVAL \"for _, key in ipairs(redis.call('KEYS', 'dt:*:lease')) do redis.call('DEL', key) end\" 0";

/** Starts a server that logs every write before it answers. `settings` are `redis-server`'s. */
export async function startRedis(...settings: string[]): Promise<TestRedis> {
  const dir = mkdtempSync(join(tmpdir(), 'twin-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  const start = async () => {
    if (!isRunning()) child = await serve(port, dir, settings);
  };
  const kill = async () => {
    if (child === undefined || !isRunning()) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    ask: (...commands) => ask(port, commands),
    async endLeases(database = 0) {
      await ask(port, [`SELECT ${database}`, END_LEASES]);
    },
    async discard() {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function serve(port: number, dir: string, settings: string[]): Promise<ChildProcess> {
  const wanted = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir];
  const args = [...where, ...wanted, '--daemonize', 'no', ...settings];
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const failed = once(child, 'error').then(([error]) => {
    throw error;
  });
  const answers = async () => (await ask(port, ['PING']).catch(() => '')).startsWith('+PONG');
  await Promise.race([until(`redis-server on port ${port}`, answers), failed]);
  return child;
}

/** Inline commands, each on a connection's line; the raw answers. */
function ask(port: number, commands: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.end([...commands, 'QUIT', ''].join('\r\n'));
    });
    socket.setEncoding('latin1').on('data', (some) => {
      answer += some;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      server.close(() => resolve(port));
    });
  });
}
