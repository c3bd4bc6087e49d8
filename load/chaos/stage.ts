import { makeWorlds } from '../../bench/common/made-worlds.ts';
import { FaultyProxy } from '../../src/testing/rigs/faulty-proxy.ts';
import { freePort, startRedis, type TestRedis } from '../../src/testing/rigs/redis.ts';
import { systemTime } from '../../src/time.ts';
import { ClusterLoad } from '../cluster/cluster-load.ts';
import { ClusterNodes } from '../cluster/cluster-nodes.ts';
import { LeaseLog } from '../cluster/lease-log.ts';
import { Probes } from './probes.ts';

const NODE_COUNT = 3;

type Environment = Readonly<Record<string, string>>;

export interface StageOptions {
  dir: string;
  lease: number;
  worlds: number;
  /** By default one that the stage starts and ends. */
  redis?: TestRedis;
  /** Where the nodes find it. By default each has a proxy of its own to it. */
  redisUrl?: string;
  /** Variables of the processes of nodes. */
  nodeEnvironment?: (index: number) => Environment;
}

/** Nodes on a Redis of their own, with proxies between them, and their clients. */
export interface Stage {
  redis: TestRedis;
  nodes: ClusterNodes;
  /** By node: its way to Redis, and the way of the others to it. */
  toRedis: readonly FaultyProxy[];
  links: readonly FaultyProxy[];
  load: ClusterLoad;
  probes: Probes;
  leases: LeaseLog;
}

/** Ends what was started, the last first. */
class Ends {
  readonly #ends: (() => unknown)[] = [];

  add<T>(thing: T, end: (thing: T) => unknown): T {
    this.#ends.push(() => end(thing));
    return thing;
  }

  async all(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
  }
}

/** Makes a stage for some work, and ends it. */
export async function onStage<T>(
  options: StageOptions,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const ends = new Ends();
  try {
    return await work(await setUp(options, ends));
  } finally {
    await ends.all();
  }
}

async function setUp(options: StageOptions, ends: Ends): Promise<Stage> {
  const redis = options.redis ?? ends.add(await startRedis(), (it) => it.discard());
  const leases = ends.add(await LeaseLog.open(redis.port), (it) => it.close());
  const ports = await Promise.all(Array.from({ length: NODE_COUNT }, freePort));
  const proxies = (targets: readonly string[]) =>
    Promise.all(
      targets.map(async (target) => {
        return ends.add(await FaultyProxy.open(target), (it) => it.close());
      }),
    );
  const toRedis = await proxies(ports.map(() => redis.url));
  const links = await proxies(ports.map((port) => `ws://127.0.0.1:${port}`));
  const settingsOf = (index: number) => ({
    REDIS_URL: options.redisUrl ?? `redis://${toRedis[index]?.host}`,
    LEASE_SECONDS: String(options.lease),
    LINK_PORT: String(ports[index]),
    LINK_URL: `ws://${links[index]?.host}`,
    ...options.nodeEnvironment?.(index),
  });
  const nodes = await ClusterNodes.start(NODE_COUNT, options.dir, settingsOf);
  ends.add(nodes, (it) => it.end());
  await nodes.untilBalanced();
  const made = await makeSpread(nodes, options.worlds);
  const load = ends.add(await ClusterLoad.start(nodes, made), (it) => it.end());
  const probes = await Probes.start(nodes.living, made, load.changes);
  ends.add(probes, (it) => it.stop());
  return { redis, nodes, toRedis, links, load, probes, leases };
}

/** A node makes worlds in partitions that it holds, so each makes some. */
async function makeSpread(nodes: ClusterNodes, count: number) {
  const each = Math.ceil(count / nodes.count);
  const made = await Promise.all(nodes.living.map(({ url }) => makeWorlds(url, each)));
  return made.flat();
}

export const sleepS = (seconds: number): Promise<void> => systemTime.sleep(seconds * 1000);
