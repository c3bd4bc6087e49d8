import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onProcessEnd } from '../../bench/common/process-end.ts';
import { UsageError } from '../../bench/common/usage-error.ts';
import { freePort } from '../../src/testing/rigs/redis.ts';
import { until } from '../../src/testing/rigs/until.ts';

const RECIPE = fileURLToPath(new URL('../../docs/operating/recipes/haproxy.cfg', import.meta.url));
const PROGRAM = 'haproxy';
/** A process may not open more files on many machines, and each connection takes two. */
const CONNECTIONS_MAX = 4000;
/** Of its messages, what is shown where it does not start. */
const SAID_LENGTH_MAX = 2000;

/** Where one node listens. */
export interface NodePorts {
  twin: number;
  dealer: number;
  ops: number;
}

/** HAProxy in front of some nodes, by the recipe of the documentation. */
export interface Proxy {
  /** Of the twin. */
  url: URL;
  stop(): Promise<void>;
}

/** Throws UsageError where HAProxy is not installed, or does not take the recipe. */
export async function startProxy(dir: string, nodes: readonly NodePorts[]): Promise<Proxy> {
  if (spawnSync(PROGRAM, ['-v']).status !== 0) {
    throw new UsageError('HAProxy is needed: install it, such as with apt-get install haproxy');
  }
  const [twin, dealer] = [await freePort(), await freePort()];
  const file = join(dir, 'haproxy.cfg');
  const recipe = readFileSync(RECIPE, 'utf8');
  writeFileSync(file, configFor(recipe, nodes, { twin, dealer }));
  const checked = spawnSync(PROGRAM, ['-c', '-f', file]);
  if (checked.status !== 0) throw new UsageError(String(checked.stderr));
  const child = spawn(PROGRAM, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (text) => {
    said = `${said}${text}`.slice(-SAID_LENGTH_MAX);
  });
  child.once(
    'exit',
    onProcessEnd(() => void child.kill('SIGKILL')),
  );
  const url = new URL(`http://127.0.0.1:${twin}`);
  await until('HAProxy listens', () => {
    if (child.exitCode !== null) throw new UsageError(said);
    return isListening(url);
  });
  return { url, stop: () => ended(child) };
}

/** The recipe with addresses of this machine. Exported for the test. */
export function configFor(
  recipe: string,
  nodes: readonly NodePorts[],
  own: { twin: number; dealer: number },
): string {
  return recipe
    .replace(/maxconn \d+/, `maxconn ${CONNECTIONS_MAX}`)
    .replace(/bind \*:8080/, `bind 127.0.0.1:${own.twin}`)
    .replace(/bind \*:8000/, `bind 127.0.0.1:${own.dealer}`)
    .replaceAll(/^ *server node-(\d+) node-\d+:(8080|8000)(.*)$/gm, (_, number, port, rest) => {
      const ports = nodes[Number(number) - 1];
      if (ports === undefined) return '';
      const address = `127.0.0.1:${port === '8080' ? ports.twin : ports.dealer}`;
      const checked = port === '8080' ? ` port ${ports.ops}` : '';
      return `  server node-${number} ${address}${checked}${rest}`;
    });
}

async function isListening(url: URL): Promise<boolean> {
  try {
    await fetch(new URL('/api/v1/cities', url));
    return true;
  } catch {
    return false;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
