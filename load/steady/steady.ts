import {
  type ClusterNodes,
  metricOf,
  onCluster,
  untilBalanced,
} from '../../bench/common/cluster.ts';
import { type Figure, figure } from '../../bench/common/figures.ts';
import { HttpPool } from '../../bench/common/http-pool.ts';
import { formatFailures, openLoop } from '../../bench/common/loops.ts';
import { type MadeWorld, makeWorlds } from '../../bench/common/made-worlds.ts';
import type { Options } from '../../bench/common/options.ts';
import { progress } from '../../bench/common/progress.ts';
import type { Server } from '../../bench/common/server.ts';
import { PARTITION_SLOTS } from '../../src/store/redis/slots.ts';
import type { TestRedis } from '../../src/testing/rigs/redis.ts';
import { systemTime } from '../../src/time.ts';
import { carsOf, changesOf } from '../changes.ts';
import { commandWithNodes, type Outcome } from '../command.ts';
import { gather } from '../crowd.ts';
import { clockBounds } from './clock-bounds.ts';
import { RedisCalls } from './redis-calls.ts';

const CONNECTIONS = 32;
const CHANGED_WORLDS = 24;
/** Worlds that were just made are not at rest. */
const SETTLE_MS = 10_000;
const CLOCKS_MS = 10_000;
/** Of the clocks of two nodes. */
const APART_MS_MAX = 5;
/** Of all nodes together, at rest. */
const CALLS_PER_S_MAX = 60;

const options = {
  nodes: { fallback: 3, min: 1, max: 8, help: 'nodes on one Redis' },
  minutes: { fallback: 10, min: 1, max: 600, help: 'duration' },
  worlds: { fallback: 100, min: 24, max: 1_000_000, help: 'worlds in the store' },
  rate: { fallback: 100, min: 0, max: 10_000, help: 'changes a second; 0: nobody asks or watches' },
} as const;

type Chosen = Options<typeof options>;

/** Nodes that nothing happens to: what moves, what they ask of Redis, and how far apart their clocks are. */
export const steady = commandWithNodes({
  summary: 'leave some nodes in peace: what moves all the same, calls of Redis, clocks of nodes',
  options,
  measures: [],
  run: (chosen) => onCluster(chosen.nodes, {}, (cluster) => measure(chosen, cluster)),
});

async function measure(chosen: Chosen, { nodes, redis }: ClusterNodes): Promise<Outcome> {
  await untilBalanced(nodes);
  const share = Math.ceil(chosen.worlds / nodes.length);
  const made: MadeWorld[][] = [];
  for (const { url } of nodes) made.push(await makeWorlds(url, share));
  await systemTime.sleep(SETTLE_MS);
  const before = await grantsIn(redis);
  const stopProgress = progress(() => 'in peace');
  const calls = new RedisCalls(redis.port);
  const startMs = systemTime.now();
  const load = await runLoad(chosen, nodes, made);
  const seconds = (systemTime.now() - startMs) / 1000;
  const counts = calls.stop();
  stopProgress();
  const after = await grantsIn(redis);
  const moved = after.filter((grant, i) => grant !== before[i]).length;
  const lost = (await metricOf(nodes, 'twin_partitions_lost_total')).reduce((a, b) => a + b, 0);
  const ofNodes = nodes.map((node, i) => ({ node, world: made[i]?.[0] as MadeWorld }));
  const bounds = await clockBounds(ofNodes, CLOCKS_MS);
  const middles = bounds.map(({ middleMs }) => middleMs);
  const found = { moved, lost, apartMs: Math.max(...middles) - Math.min(...middles), ...load };
  const total = Object.values(counts).reduce((a, b) => a + b, 0);
  const byCommand = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const rows: Outcome['rows'] = [
    ['duration, worlds, nodes', `${Math.round(seconds)} s, ${chosen.worlds}, ${nodes.length}`],
    ['calls of Redis', byCommand.map(([name, count]) => `${count} ${name}`).join(', ')],
    [
      'clocks ahead of this process',
      bounds
        .map(
          ({ atLeastMs, atMostMs }) =>
            `${(atLeastMs - (middles[0] ?? 0)).toFixed(1)} to ${(atMostMs - (middles[0] ?? 0)).toFixed(1)}`,
        )
        .join(', '),
    ],
  ];
  return {
    rows,
    judged: judgedOf(found, total / seconds, chosen),
    figures: { ...found, seconds, counts, bounds },
  };
}

/** What holds each partition: the name of the grant, which never comes again. */
async function grantsIn(redis: TestRedis): Promise<string[]> {
  const answer = await redis.ask(...PARTITION_SLOTS.map(({ owner }) => `GET ${owner}`));
  return answer.split('\r\n').filter((line) => /^\S+#\d+ \d+/.test(line));
}

interface Load {
  failed: number;
  closed: number;
  changes: number;
  frames: number;
}

/** Changes by one node, and a watched world at each, for so long. */
async function runLoad(
  { minutes, rate }: Chosen,
  nodes: readonly Server[],
  made: readonly (readonly MadeWorld[])[],
): Promise<Load> {
  const seconds = minutes * 60;
  if (rate === 0) {
    await systemTime.sleep(seconds * 1000);
    return { failed: 0, closed: 0, changes: 0, frames: 0 };
  }
  const all = made.flat();
  const changed = all.filter((_, i) => i % Math.ceil(all.length / CHANGED_WORLDS) === 0);
  const [{ url }] = nodes as [Server, ...Server[]];
  const pool = await HttpPool.open(url, CONNECTIONS);
  const paths = changed.map(({ id }) => `/ws/worlds/${id}`);
  const crowds = await Promise.all(nodes.map((node) => gather(node.url, paths)));
  for (const { tally } of crowds) tally.record();
  const plan = { ...changesOf(url, carsOf(changed)), ratePerS: rate, seconds };
  const { ok, failed } = await openLoop(pool, plan);
  const summaries = crowds.map(({ tally }) => tally.summary());
  for (const crowd of crowds) crowd.close();
  pool.close();
  if (Object.keys(failed).length > 0) console.log(`failed: ${formatFailures(failed)}`);
  return {
    failed: Object.values(failed).reduce((a, b) => a + b, 0),
    closed: summaries.flatMap(({ closed }) => Object.values(closed)).reduce((a, b) => a + b, 0),
    changes: ok,
    frames: summaries.reduce((sum, { frames }) => sum + frames, 0),
  };
}

function judgedOf(
  found: Load & { moved: number; lost: number; apartMs: number },
  callsPerS: number,
  { rate }: Chosen,
): Figure[] {
  const none = { atMost: 0 };
  const calls = rate === 0 ? { atMost: CALLS_PER_S_MAX, isScaled: false } : undefined;
  const judged = [
    figure('partitions that have moved', found.moved, '', none),
    figure('partitions that were lost', found.lost, '', none),
    figure('calls of Redis', callsPerS, '/s', calls),
    figure('clocks of nodes apart', found.apartMs, 'ms', { atMost: APART_MS_MAX }),
  ];
  if (rate === 0) return judged;
  return [
    ...judged,
    figure('changes acknowledged', found.changes, ''),
    figure('changes that failed', found.failed, '', none),
    figure('frames delivered', found.frames, ''),
    figure('streams that ended', found.closed, '', none),
  ];
}
