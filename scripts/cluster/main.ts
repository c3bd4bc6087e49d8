import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { type NodeProcess, startNodeProcess } from '../../src/testing/rigs/process.ts';
import { startRedis, type TestRedis } from '../../src/testing/rigs/redis.ts';

const HELP = `npm run cluster -- [options]

Starts nodes on one Redis, each on free ports of 127.0.0.1, and prints a line for each that is ready.
SIGINT, SIGTERM and SIGHUP end all of them. The environment is passed on: every setting works.

  --nodes <1..16>    how many nodes; 3 by default
  --redis <url>      a Redis that runs already; by default one of its own is started, and its data
                     ends with it
  --lease <seconds>  LEASE_SECONDS of all nodes
  --help
`;

const OPTIONS = {
  nodes: { type: 'string', default: '3' },
  redis: { type: 'string' },
  lease: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;
const NODES_MAX = 16;

interface Asked {
  count: number;
  redis: string | undefined;
  settings: Record<string, string>;
}

/** Throws Error with a message for the user. */
function readArguments(): Asked | 'help' {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) return 'help';
  const count = Number(values.nodes);
  if (!Number.isInteger(count) || count < 1 || count > NODES_MAX) {
    throw new Error(`--nodes: use a whole number from 1 to ${NODES_MAX}`);
  }
  const settings = values.lease === undefined ? {} : { LEASE_SECONDS: values.lease };
  return { count, redis: values.redis, settings };
}

async function startOwnRedis(): Promise<TestRedis> {
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    throw new Error('there is no redis-server on the PATH: install it, or name one with --redis');
  }
  return startRedis();
}

/** Runs the nodes until a signal comes. */
async function run({ count, redis, settings }: Asked, stop: AbortSignal): Promise<void> {
  const own = redis === undefined ? await startOwnRedis() : undefined;
  const url = redis ?? own?.url ?? '';
  process.stdout.write(`redis ${url.replace(/\/\/.*@/, '//')}\n`);
  const nodes: NodeProcess[] = [];
  try {
    for (let i = 1; i <= count && !stop.aborted; i++) {
      const node = await startNodeProcess({
        RATE_LIMITS: process.env.RATE_LIMITS ?? 'on',
        LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
        NODE_NAME: `node-${i}`,
        REDIS_URL: url,
        ...settings,
      });
      nodes.push(node);
      process.stdout.write(
        `node-${i} pid=${node.pid} dealer=${node.dealerUrl} twin=${node.twinUrl} ops=${node.opsUrl}\n`,
      );
    }
    if (!stop.aborted) {
      process.stdout.write('ready\n');
      await once(stop, 'abort');
    }
  } finally {
    await Promise.all(nodes.map(({ end }) => end('SIGTERM')));
    await own?.discard();
  }
}

async function main(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stop.abort());
  try {
    const asked = readArguments();
    if (asked === 'help') process.stdout.write(HELP);
    else await run(asked, stop.signal);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}

await main();
