/**
 * What many nodes would cost: Redis for each node, world, change and image, and how partitions spread over 2
 * to 100 nodes. `docs/operating/capacity.md` multiplies these. Needs redis-server.
 */

import { carsOf, changesOf } from '../load/changes.ts';
import { gather } from '../load/crowd.ts';
import { Dice } from '../src/testing/rigs/dice.ts';
import type { TestRedis } from '../src/testing/rigs/redis.ts';
import { systemTime } from '../src/time.ts';
import { type ClusterNodes, metricOf, onCluster, untilBalanced } from './common/cluster.ts';
import { type Figure, figure } from './common/figures.ts';
import { HttpPool } from './common/http-pool.ts';
import { openLoop } from './common/loops.ts';
import { type MadeWorld, makeWorlds } from './common/made-worlds.ts';
import { parseOptions } from './common/options.ts';
import type { Server } from './common/server.ts';
import { type RedisUse, useEach, useOf } from './scale/redis-use.ts';
import { spreadOf } from './scale/spread.ts';

const OPTIONS = {
  seconds: { fallback: 20, min: 1, max: 600, help: 'at rest, and with watched worlds' },
  worlds: { fallback: 3000, min: 100, max: 1_000_000, help: 'that are made' },
  watched: { fallback: 100, min: 1, max: 1000, help: 'worlds' },
};
const NODE_COUNTS = [2, 3, 5, 10, 20, 32, 50, 64, 100];
/** Worlds whose cars are changed, and how often. */
const CHANGED = 100;
const CHANGES_PER_S = 200;
const CONNECTIONS = 32;
const SHARES = 2 ** 31;
const SETTLE_MS = 10_000;
/** Images of watched worlds are stored a little more often. */
const IMAGES_MS = 20_000;
/** As short as a world may be idle, and what it takes to delete all that is. */
const IDLE_S = 20;
const DROP_MS = 60_000;

export async function run(options: string[]): Promise<Figure[]> {
  const chosen = parseOptions(OPTIONS, options);
  const nodes = await onCluster(1, {}, (cluster) => measureNodes(cluster, chosen.seconds));
  const worlds = await onCluster(3, {}, (cluster) => measureWorlds(cluster, chosen));
  const idle = { WORLD_IDLE_SECONDS: String(IDLE_S) };
  const drops = await onCluster(1, idle, (cluster) => measureDrops(cluster, chosen.worlds));
  const dice = new Dice(1);
  const random = () => dice.below(SHARES) / SHARES;
  const spreads = NODE_COUNTS.flatMap((count) => spreadFigures(count, random));
  return [...nodes, ...worlds, ...drops, ...spreads];
}

function useFigures(what: string, { cpuUs, inBytes, outBytes, scripts }: RedisUse): Figure[] {
  return [
    figure(`${what}: processor time of Redis`, cpuUs, 'µs'),
    figure('  scripts', scripts, ''),
    figure('  bytes to Redis', inBytes, 'bytes'),
    figure('  bytes from Redis', outBytes, 'bytes'),
  ];
}

/** Nodes without worlds, of which more and more come: each second. */
async function measureNodes(
  { redis, nodes, start }: ClusterNodes,
  seconds: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (let count = 1; count <= 3; count++) {
    if (count > 1) nodes.push(await start(count - 1));
    await untilBalanced(nodes);
    await systemTime.sleep(SETTLE_MS);
    const before = await useOf(redis);
    await systemTime.sleep(seconds * 1000);
    const use = useEach(before, await useOf(redis), seconds);
    figures.push(...useFigures(`a second of ${count} nodes at rest`, use));
  }
  return figures;
}

interface Chosen {
  seconds: number;
  worlds: number;
  watched: number;
}

/** What Redis does for some work, beyond what nodes at rest ask of it. */
class WorkMeter {
  readonly #redis: TestRedis;
  /** Each second. */
  readonly #atRest: RedisUse;

  static async of(redis: TestRedis, seconds: number): Promise<WorkMeter> {
    const before = await useOf(redis);
    await systemTime.sleep(seconds * 1000);
    return new WorkMeter(redis, useEach(before, await useOf(redis), seconds));
  }

  private constructor(redis: TestRedis, atRest: RedisUse) {
    this.#redis = redis;
    this.#atRest = atRest;
  }

  /** For each of `count` things that the work does. */
  async measure(count: number, work: () => Promise<unknown>): Promise<RedisUse> {
    const [startMs, before] = [systemTime.now(), await useOf(this.#redis)];
    await work();
    const use = useEach(before, await useOf(this.#redis), count);
    const restS = (systemTime.now() - startMs) / 1000 / count;
    const beyond = (name: keyof RedisUse) => use[name] - this.#atRest[name] * restS;
    const { memoryBytes } = use;
    const [cpuUs, scripts] = [beyond('cpuUs'), beyond('scripts')];
    return {
      cpuUs,
      inBytes: beyond('inBytes'),
      outBytes: beyond('outBytes'),
      scripts,
      memoryBytes,
    };
  }
}

async function measureWorlds({ redis, nodes }: ClusterNodes, chosen: Chosen): Promise<Figure[]> {
  const { seconds, worlds, watched } = chosen;
  await untilBalanced(nodes);
  const [{ url }] = nodes as [Server, ...Server[]];
  const meter = await WorkMeter.of(redis, seconds);
  const made: MadeWorld[] = [];
  const creation = await meter.measure(worlds, async () => {
    made.push(...(await makeWorlds(url, worlds)));
  });
  const pool = await HttpPool.open(url, CONNECTIONS);
  const plan = { ...changesOf(url, carsOf(made.slice(0, CHANGED))), ratePerS: CHANGES_PER_S };
  const changes = () => openLoop(pool, { ...plan, seconds });
  const change = await meter.measure(CHANGES_PER_S * seconds, changes);
  pool.close();
  const paths = made.slice(-watched).map(({ id }) => `/ws/worlds/${id}`);
  const watchS = (3 * IMAGES_MS) / 1000;
  const watching = await meter.measure(watched * watchS, async () => {
    const crowds = await Promise.all(
      nodes.map((node, i) =>
        gather(
          node.url,
          paths.filter((_, j) => j % nodes.length === i),
        ),
      ),
    );
    await systemTime.sleep(3 * IMAGES_MS);
    for (const crowd of crowds) crowd.close();
  });
  return [
    ...useFigures('a world that is made', creation),
    figure('  memory of Redis', creation.memoryBytes, 'bytes'),
    ...useFigures(`a change, of ${CHANGES_PER_S} a second`, change),
    ...useFigures('a second of a watched world', watching),
    figure('  memory of Redis for its image', watching.memoryBytes * watchS, 'bytes'),
  ];
}

/** Worlds that nobody uses any more: the node deletes each once its idle time is over. */
async function measureDrops({ redis, nodes }: ClusterNodes, worlds: number): Promise<Figure[]> {
  await untilBalanced(nodes);
  const meter = await WorkMeter.of(redis, IDLE_S);
  const [{ url }] = nodes as [Server, ...Server[]];
  await makeWorlds(url, worlds);
  const drop = await meter.measure(worlds, () => systemTime.sleep(DROP_MS));
  const left = (await metricOf(nodes, 'twin_worlds_stored')).reduce((a, b) => a + b, 0);
  return [
    ...useFigures('a world that is deleted', drop),
    figure('  worlds that were left', left, ''),
  ];
}

function spreadFigures(count: number, random: () => number): Figure[] {
  const spread = spreadOf(count, random);
  return [
    figure(`partitions of ${count} nodes, most / mean`, spread.partitions, '×'),
    figure('  watched worlds alike, most / mean', spread.even, '×'),
    figure('  skewed, most / mean', spread.skewed, '×'),
    figure('  moves when a node comes', spread.joins, ''),
    figure('  moves when a node goes', spread.leaves, ''),
  ];
}
