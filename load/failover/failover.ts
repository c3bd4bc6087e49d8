import { figure } from '../../bench/common/figures.ts';
import { inFreshDir } from '../../bench/common/fresh-dir.ts';
import { formatRequest, HttpPool } from '../../bench/common/http-pool.ts';
import { formatMs } from '../../bench/common/latencies.ts';
import { openLoop } from '../../bench/common/loops.ts';
import { type MadeWorld, makeWorlds } from '../../bench/common/made-worlds.ts';
import type { Options } from '../../bench/common/options.ts';
import { median } from '../../bench/common/report.ts';
import { type Server, startNodeOn } from '../../bench/common/server.ts';
import { WatchSocket } from '../../bench/common/watch-socket.ts';
import { PARTITION_COUNT } from '../../src/limits.ts';
import { startRedis } from '../../src/testing/rigs/redis.ts';
import { systemTime } from '../../src/time.ts';
import { type Car, carsOf, changesOf, type ReadBack, readBack } from '../changes.ts';
import { commandWithNodes, type Outcome } from '../command.ts';
import { differing, type Journal } from './lived-world.ts';
import { WorldWatcher } from './world-watcher.ts';

const CONNECTIONS = 32;
/** Changes go on for so long before a kill. */
const BEFORE_MS = 3000;
/** Beyond the lease: time in which everything must be served again, and the node is back. */
const AFTER_MS = 4000;
/** At leases of 6 s, and for each second more or less of lease so much more or less. */
const SERVED_MS_MAX = 2000;
const BALANCED_MS_MAX = 120_000;
const BALANCED_LOOK_MS = 500;
/** In a row. */
const BALANCED_LOOKS = 8;
const METRIC_HELD = /^partitions_held (\d+)/m;
const METRIC_LOST = /^partitions_lost_total (\d+)/m;

const options = {
  nodes: { fallback: 3, min: 2, max: 8, help: 'nodes on one Redis' },
  kills: { fallback: 20, min: 1, max: 1000, help: 'how often a node is killed and started again' },
  lease: { fallback: 6, min: 1, max: 60, help: 'LEASE_SECONDS' },
  worlds: { fallback: 24, min: 1, max: 1000, help: 'watched worlds, whose cars are changed' },
  rate: { fallback: 100, min: 1, max: 10_000, help: 'changes a second' },
} as const;

type Chosen = Options<typeof options>;

/** What a kill of one of several nodes costs, and whether anything is lost or wrong. */
export const failover = commandWithNodes({
  summary:
    'kill one of several nodes again and again: how soon its worlds are served, what is lost',
  options,
  measures: [],
  run: (chosen) => inFreshDir((dir) => onRedis(chosen, dir)),
});

async function onRedis(chosen: Chosen, dir: string): Promise<Outcome> {
  const redis = await startRedis();
  const start = (index: number) =>
    startNodeOn(dir, {
      settings: {
        REDIS_URL: redis.url,
        NODE_NAME: `node-${index}`,
        LEASE_SECONDS: String(chosen.lease),
        LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal',
      },
    });
  const nodes: Server[] = [];
  try {
    for (let i = 0; i < chosen.nodes; i++) nodes.push(await start(i));
    return await measure(chosen, nodes, start);
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await redis.discard();
  }
}

interface Round {
  /** From the kill until the slowest watched world was served again. */
  servedMs: number;
  acknowledged: number;
  verified: ReadBack;
  /** Partitions that nodes which were not killed have lost. */
  lost: number;
  snapshots: number;
  wrongSnapshots: number;
  ticksBack: number;
}

async function measure(
  chosen: Chosen,
  nodes: Server[],
  start: (index: number) => Promise<Server>,
): Promise<Outcome> {
  const rounds: Round[] = [];
  const made = await makeWorlds((nodes[0] as Server).url, chosen.worlds);
  for (let kill = 0; kill < chosen.kills; kill++) {
    const victim = kill % nodes.length;
    await untilBalanced(nodes);
    const living = nodes.filter((_, i) => i !== victim);
    const round = await killOne(chosen, { nodes, living, victim, made });
    await nodes[victim]?.stop();
    nodes[victim] = await start(victim);
    rounds.push(round);
    console.log(`kill ${kill + 1} of ${chosen.kills}: ${formatRound(round)}`);
  }
  return outcomeOf(rounds, chosen);
}

interface Scene {
  nodes: readonly Server[];
  living: readonly Server[];
  victim: number;
  made: readonly MadeWorld[];
}

async function killOne(
  { rate, lease }: Chosen,
  { nodes, living, victim, made }: Scene,
): Promise<Round> {
  const lostBefore = await lostPartitions(living);
  const watchers = await watchAll(living, made);
  const cars = carsOf(made);
  const other = living[0] as Server;
  const pool = await HttpPool.open(other.url, CONNECTIONS);
  const over = new AbortController();
  const plan = { ...changesOf(other.url, cars), ratePerS: rate, seconds: Number.POSITIVE_INFINITY };
  const changing = openLoop(pool, plan, over.signal);
  await systemTime.sleep(BEFORE_MS);
  for (const watcher of watchers) watcher.begin();
  process.kill(nodes[victim]?.pid as number, 'SIGKILL');
  await systemTime.sleep(lease * 1000 + AFTER_MS);
  const servedMs = Math.max(...watchers.map(({ largestGapMs }) => largestGapMs));
  over.abort();
  const { ok } = await changing;
  for (const watcher of watchers) watcher.close();
  const verified = await readBackAnywhere(living, cars);
  const checked = await checkSnapshots(other, pool, watchers);
  pool.close();
  return {
    ...{ servedMs, acknowledged: ok, verified, ...checked },
    lost: (await lostPartitions(living)) - lostBefore,
    ticksBack: watchers.reduce((sum, each) => sum + each.ticksBack, 0),
  };
}

/** Every world from every node that lives on. */
function watchAll(living: readonly Server[], made: readonly MadeWorld[]): Promise<WorldWatcher[]> {
  return Promise.all(
    living.flatMap(({ url }) =>
      made.map(async ({ id }) => {
        const watcher = new WorldWatcher(id);
        watcher.socket = await WatchSocket.open(url, `/ws/worlds/${id}`, watcher);
        return watcher;
      }),
    ),
  );
}

async function lostPartitions(nodes: readonly Server[]): Promise<number> {
  const counts = await metricOf(nodes, METRIC_LOST);
  return counts.reduce((a, b) => a + b, 0);
}

function metricOf(nodes: readonly Server[], pattern: RegExp): Promise<number[]> {
  return Promise.all(
    nodes.map(async ({ opsUrl }) => {
      const text = await (await fetch(new URL('/metrics', opsUrl))).text();
      return Number(pattern.exec(text)?.[1] ?? Number.NaN);
    }),
  );
}

/** Streams of partitions that move end: their clients would have to connect again. */
async function untilBalanced(nodes: readonly Server[]): Promise<void> {
  const endMs = systemTime.now() + BALANCED_MS_MAX;
  for (let looks = 0; looks < BALANCED_LOOKS; looks++) {
    const held = await metricOf(nodes, METRIC_HELD);
    const isWhole = held.reduce((a, b) => a + b, 0) === PARTITION_COUNT;
    if (!isWhole || Math.max(...held) - Math.min(...held) > 1) looks = 0;
    if (systemTime.now() > endMs) throw new Error(`not balanced: ${held.join(', ')} partitions`);
    await systemTime.sleep(BALANCED_LOOK_MS);
  }
}

async function readBackAnywhere(
  living: readonly Server[],
  cars: readonly Car[],
): Promise<ReadBack> {
  const verified = { right: 0, wrong: 0, skipped: 0 };
  for (const { url } of living) {
    const pool = await HttpPool.open(url, CONNECTIONS);
    const found = await readBack(url, pool, cars);
    pool.close();
    verified.right += found.right;
    verified.wrong += found.wrong;
    verified.skipped += found.skipped;
  }
  return verified;
}

/** Each snapshot that was shown must be that of the world lived from its seed and journal. */
async function checkSnapshots(
  { url }: Server,
  pool: HttpPool,
  watchers: readonly WorldWatcher[],
): Promise<Pick<Round, 'snapshots' | 'wrongSnapshots'>> {
  let [snapshots, wrongSnapshots] = [0, 0];
  for (const [id, ofWorld] of Map.groupBy(watchers, (watcher) => watcher.world)) {
    const { body } = await pool.ask(formatRequest(url, 'GET', `/api/v1/worlds/${id}/journal`));
    const shown = ofWorld.flatMap((watcher) => watcher.shown);
    snapshots += shown.length;
    wrongSnapshots += differing(id, JSON.parse(body.toString()) as Journal, shown).length;
  }
  return { snapshots, wrongSnapshots };
}

function formatRound(round: Round): string {
  const { right, wrong, skipped } = round.verified;
  return (
    `served again in ${formatMs(round.servedMs)}, ${round.acknowledged} changes answered, ` +
    `${right} cars as answered, ${wrong} NOT, ${skipped} with a change that was not answered, ` +
    `${round.snapshots} snapshots, ${round.wrongSnapshots} WRONG, ${round.ticksBack} ticks back, ` +
    `${round.lost} partitions lost by others`
  );
}

function outcomeOf(rounds: readonly Round[], { lease }: Chosen): Outcome {
  const all = (of: (round: Round) => number) => rounds.map(of);
  const sum = (of: (round: Round) => number) => all(of).reduce((a, b) => a + b, 0);
  const atMost = (most: number) => ({ atMost: most });
  const judged = [
    figure(
      'served again, slowest',
      Math.max(...all(({ servedMs }) => servedMs)),
      'ms',
      atMost(lease * 1000 + SERVED_MS_MAX),
    ),
    figure(
      'cars that lost a change',
      sum(({ verified }) => verified.wrong),
      'cars',
      atMost(0),
    ),
    figure(
      'snapshots of another world',
      sum((each) => each.wrongSnapshots),
      '',
      atMost(0),
    ),
    figure(
      'ticks that went back',
      sum(({ ticksBack }) => ticksBack),
      '',
      atMost(0),
    ),
    figure(
      'partitions lost by living nodes',
      sum(({ lost }) => lost),
      '',
      atMost(0),
    ),
  ];
  const rows: Outcome['rows'] = [
    ['kills', String(rounds.length)],
    ['changes that were answered', String(sum(({ acknowledged }) => acknowledged))],
    ['cars read back', String(sum(({ verified }) => verified.right + verified.wrong))],
    ['snapshots compared', String(sum(({ snapshots }) => snapshots))],
    ['served again, median', formatMs(median(all(({ servedMs }) => servedMs)))],
  ];
  return { rows, judged, figures: { rounds, judged } };
}
