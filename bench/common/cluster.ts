import { PARTITION_COUNT } from '../../src/limits.ts';
import type { TestRedis } from '../../src/testing/rigs/redis.ts';
import { systemTime } from '../../src/time.ts';
import { inFreshDir } from './fresh-dir.ts';
import { onOwnRedis } from './own-redis.ts';
import { type Server, startNodeOn } from './server.ts';

const BALANCED_MS_MAX = 120_000;
const LOOK_MS = 500;
/** In a row. */
const LOOKS = 8;

/** Some nodes on a Redis of their own. */
export interface ClusterNodes {
  redis: TestRedis;
  /** In the order in which they have joined; a node that is started again takes its place. */
  nodes: Server[];
  /** Starts the node with an index. */
  start(index: number): Promise<Server>;
}

/** @param settings environment variables of every node */
export function onCluster<T>(
  count: number,
  settings: Readonly<Record<string, string>>,
  use: (cluster: ClusterNodes) => Promise<T>,
): Promise<T> {
  const onRedis = async (dir: string, redis: TestRedis) => {
    const own = { REDIS_URL: redis.url, LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal', ...settings };
    const start = (index: number) =>
      startNodeOn(dir, { settings: { ...own, NODE_NAME: `node-${index}` } });
    const nodes: Server[] = [];
    try {
      for (let i = 0; i < count; i++) nodes.push(await start(i));
      return await use({ redis, nodes, start });
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
  };
  return inFreshDir((dir) => onOwnRedis((redis) => onRedis(dir, redis)));
}

/** The value of a metric without labels, at each node; NaN where a node has none. */
export function metricOf(nodes: readonly Server[], name: string): Promise<number[]> {
  const pattern = new RegExp(`^${name} (\\S+)$`, 'm');
  return Promise.all(
    nodes.map(async ({ opsUrl }) => {
      const text = await (await fetch(new URL('/metrics', opsUrl))).text();
      return Number(pattern.exec(text)?.[1] ?? Number.NaN);
    }),
  );
}

/** Waits until the nodes share the partitions evenly, and nothing has moved for some seconds. */
export async function untilBalanced(nodes: readonly Server[]): Promise<void> {
  const endMs = systemTime.now() + BALANCED_MS_MAX;
  for (let looks = 0; looks < LOOKS; looks++) {
    const held = await metricOf(nodes, 'twin_partitions_held');
    const isWhole = held.reduce((a, b) => a + b, 0) === PARTITION_COUNT;
    if (!isWhole || Math.max(...held) - Math.min(...held) > 1) looks = 0;
    if (systemTime.now() > endMs) throw new Error(`not balanced: ${held.join(', ')} partitions`);
    await systemTime.sleep(LOOK_MS);
  }
}
