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
  /** Ends every lease of a database at once, as if its holder had left. */
  endLeases(database?: number): Promise<void>;
  /** Has the clock of the server jump, or its time pass, for what the store keeps there. */
  moveClock(ms: number): Promise<void>;
  /** Keeps all data as it is now; `loseTail` goes back to that. */
  keepData(): Promise<void>;
  loseTail(): Promise<void>;
  /** Ends the server and removes its folder. */
  discard(): Promise<void>;
}

/** What a node leaves behind that ends: then there is nobody to wait for. */
const END_LEASES = `
  for _, key in ipairs(redis.call('KEYS', 'dt:*')) do
    if string.find(key, ':lease$') or string.find(key, ':writer:') or string.find(key, ':nodes$') then
      redis.call('DEL', key)
    elseif string.find(key, ':owner$') and not string.find(redis.call('GET', key), ' released$') then
      redis.call('APPEND', key, ' released')
    end
  end`;

/** A server cannot tell whether its clock went on, or all that it knows of times went back. */
const MOVE_CLOCK = `
  local ms = tonumber(ARGV[1])
  for _, key in ipairs(redis.call('KEYS', 'dt:*')) do
    local left = redis.call('PTTL', key)
    if left >= 0 and left <= ms then redis.call('DEL', key)
    elseif left >= 0 then redis.call('PEXPIRE', key, left - ms)
    elseif string.find(key, ':nodes$') then
      local all = redis.call('HGETALL', key)
      for i = 1, #all, 2 do
        local seen = struct.unpack('>d', all[i + 1])
        local moved = struct.pack('>d', seen - ms) .. string.sub(all[i + 1], 9)
        redis.call('HSET', key, all[i], moved)
      end
    elseif string.find(key, '{dp}:clock$') then
      redis.call('HINCRBYFLOAT', key, 'correction', ms)
      redis.call('HINCRBYFLOAT', key, 'at', -ms)
    end
  end`;

const COPY_ALL = `
  redis.call('SELECT', ARGV[2])
  redis.call('FLUSHDB')
  redis.call('SELECT', ARGV[1])
  for _, key in ipairs(redis.call('KEYS', '*')) do
    redis.call('COPY', key, key, 'DB', ARGV[2])
  end`;
/** Where `keepData` keeps it. */
const KEPT_DATABASE = 15;

/** A script in one line, as an inline command. */
function evalOf(script: string, ...args: number[]): string {
  return `EVAL "${script.replaceAll(/\s*\n\s*/g, ' ')}" 0 ${args.join(' ')}`;
}

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
      await ask(port, [`SELECT ${database}`, evalOf(END_LEASES)]);
    },
    async moveClock(ms) {
      expectDone(await ask(port, [evalOf(MOVE_CLOCK, ms)]));
    },
    async keepData() {
      expectDone(await ask(port, [evalOf(COPY_ALL, 0, KEPT_DATABASE)]));
    },
    async loseTail() {
      expectDone(await ask(port, [evalOf(COPY_ALL, KEPT_DATABASE, 0)]));
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
  // Rejects by itself if there is no such program.
  const failed = once(child, 'exit').then(() => {
    throw new Error(`redis-server has ended: does another one answer on port ${port}?`);
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

function expectDone(answer: string): void {
  if (answer.startsWith('-')) throw new Error(answer);
}

/** A port of 127.0.0.1 that nobody listens on. */
export function freePort(): Promise<number> {
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
