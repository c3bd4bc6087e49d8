import {
  type ClusterNodes,
  metricOf,
  onCluster,
  untilBalanced,
} from '../../bench/common/cluster.ts';
import { figure } from '../../bench/common/figures.ts';
import { formatRequest, HttpPool } from '../../bench/common/http-pool.ts';
import { formatMs } from '../../bench/common/latencies.ts';
import { openLoop } from '../../bench/common/loops.ts';
import { type MadeWorld, makeWorlds } from '../../bench/common/made-worlds.ts';
import type { Options } from '../../bench/common/options.ts';
import { median } from '../../bench/common/report.ts';
import type { Server } from '../../bench/common/server.ts';
import { WatchSocket } from '../../bench/common/watch-socket.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { systemTime } from '../../src/time.ts';
import { type Car, carsOf, changesOf, type ReadBack, readBack } from '../changes.ts';
import { commandWithNodes, type Outcome } from '../command.ts';
import { differing, type Journal } from './lived-world.ts';
import { TickReader } from './tick-reader.ts';
import { WorldWatcher } from './world-watcher.ts';

const CONNECTIONS = 32;
/** Changes go on for so long before a kill. */
const BEFORE_MS = 3000;
/** Beyond the lease: time in which everything must be served again, and the node is back. */
const AFTER_MS = 4000;
/** At leases of 6 s, and for each second more or less of lease so much more or less. */
const SERVED_MS_MAX = 2000;
const PAUSE_MS_MIN = 2000;
const PAUSE_MS_MAX = 30_000;
/** What a stopped node has sent before may still be on its way for so long. */
const STALE_MS = 200;
/** The same pauses in each run. */
const dice = new Dice(1);
const options = {
  nodes: { fallback: 3, min: 2, max: 8, help: 'nodes on one Redis' },
  rounds: { fallback: 20, min: 1, max: 1000, help: 'how often a node is killed or stopped' },
  how: {
    fallback: 'kill',
    choices: ['kill', 'stop', 'both'],
    help: 'kill -9 and a new start, SIGSTOP for 2 to 30 s and SIGCONT, or both in turn',
  },
  lease: { fallback: 6, min: 1, max: 60, help: 'LEASE_SECONDS' },
  worlds: { fallback: 24, min: 1, max: 1000, help: 'watched worlds, whose cars are changed' },
  rate: { fallback: 100, min: 1, max: 10_000, help: 'changes a second' },
} as const;

type Chosen = Options<typeof options>;

/** What the end or a pause of one of several nodes costs, and whether anything is lost or wrong. */
export const failover = commandWithNodes({
  summary:
    'kill one of several nodes again and again: how soon its worlds are served, what is lost',
  options,
  measures: [],
  run: (chosen) => {
    const settings = { LEASE_SECONDS: String(chosen.lease) };
    return onCluster(chosen.nodes, settings, (cluster) => measure(chosen, cluster));
  },
});

interface Round {
  how: 'kill' | 'stop';
  /** From the kill or the stop until the slowest watched world was served again. */
  servedMs: number;
  acknowledged: number;
  verified: ReadBack;
  /** Partitions that nodes have lost which were neither killed nor stopped. */
  lost: number;
  snapshots: number;
  wrongSnapshots: number;
  ticksBack: number;
  /** Frames that a stopped node sent of what others had taken meanwhile. */
  stale: number;
}

async function measure(chosen: Chosen, { nodes, start }: ClusterNodes): Promise<Outcome> {
  const rounds: Round[] = [];
  const made = await makeWorlds((nodes[0] as Server).url, chosen.worlds);
  const reader = new TickReader(made);
  let living: readonly Server[] = nodes;
  reader.start(() => living);
  for (let i = 0; i < chosen.rounds; i++) {
    await untilBalanced(nodes);
    const victim = i % nodes.length;
    const how = howOf(chosen, i);
    const others = nodes.filter((_, index) => index !== victim);
    if (how === 'kill') living = others;
    const round = await endOne(chosen, { nodes, living: others, victim, made, how });
    if (how === 'kill') {
      await nodes[victim]?.stop();
      nodes[victim] = await start(victim);
    }
    living = [...nodes];
    rounds.push(round);
    console.log(`round ${i + 1} of ${chosen.rounds}: ${formatRound(round)}`);
  }
  await reader.stop();
  return outcomeOf(rounds, chosen, reader);
}

function howOf({ how }: Chosen, round: number): Round['how'] {
  if (how === 'both') return round % 2 === 0 ? 'kill' : 'stop';
  return how === 'stop' ? 'stop' : 'kill';
}

interface Scene {
  nodes: readonly Server[];
  living: readonly Server[];
  victim: number;
  made: readonly MadeWorld[];
  how: Round['how'];
}

async function endOne(
  { rate, lease }: Chosen,
  { nodes, living, victim, made, how }: Scene,
): Promise<Round> {
  const lostBefore = await lostPartitions(living);
  const newest = new Map<string, number>();
  const watchers = await watchAll(living, made, newest);
  const ofVictim = how === 'stop' ? await watchAll([nodes[victim] as Server], made, newest) : [];
  const cars = carsOf(made);
  const other = living[0] as Server;
  const pool = await HttpPool.open(other.url, CONNECTIONS);
  const over = new AbortController();
  const plan = { ...changesOf(other.url, cars), ratePerS: rate, seconds: Number.POSITIVE_INFINITY };
  const changing = openLoop(pool, plan, over.signal);
  await systemTime.sleep(BEFORE_MS);
  for (const watcher of watchers) watcher.begin();
  const pid = nodes[victim]?.pid as number;
  process.kill(pid, how === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  const pauseMs = how === 'kill' ? 0 : pauseOf(dice);
  await systemTime.sleep(pauseMs);
  if (how === 'stop') {
    process.kill(pid, 'SIGCONT');
    for (const each of ofVictim) each.expectFresh(systemTime.now() + STALE_MS);
  }
  await systemTime.sleep(lease * 1000 + AFTER_MS);
  const servedMs = Math.max(...watchers.map(({ largestGapMs }) => largestGapMs));
  over.abort();
  const { ok } = await changing;
  const all = [...watchers, ...ofVictim];
  for (const watcher of all) watcher.close();
  const verified = await readBackAnywhere(living, cars);
  const checked = await checkSnapshots(other, pool, all);
  pool.close();
  return {
    ...{ how, servedMs, acknowledged: ok, verified, ...checked },
    lost: (await lostPartitions(living)) - lostBefore,
    ticksBack: all.reduce((sum, each) => sum + each.ticksBack, 0),
    stale: ofVictim.reduce((sum, each) => sum + each.staleCount, 0),
  };
}

/** Half of the pauses are shorter than a lease. */
function pauseOf(random: Dice): number {
  return PAUSE_MS_MIN + random.below(PAUSE_MS_MAX - PAUSE_MS_MIN);
}

/** Every world from every one of these nodes. */
function watchAll(
  nodes: readonly Server[],
  made: readonly MadeWorld[],
  newest: Map<string, number>,
): Promise<WorldWatcher[]> {
  return Promise.all(
    nodes.flatMap(({ url }) =>
      made.map(async ({ id }) => {
        const watcher = new WorldWatcher(id, newest);
        watcher.socket = await WatchSocket.open(url, `/ws/worlds/${id}`, watcher);
        return watcher;
      }),
    ),
  );
}

async function lostPartitions(nodes: readonly Server[]): Promise<number> {
  const counts = await metricOf(nodes, 'partitions_lost_total');
  return counts.reduce((a, b) => a + b, 0);
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
    `${round.how}: served again in ${formatMs(round.servedMs)}, ${round.acknowledged} changes answered, ` +
    `${right} cars as answered, ${wrong} NOT, ${skipped} with a change that was not answered, ` +
    `${round.snapshots} snapshots, ${round.wrongSnapshots} WRONG, ${round.ticksBack} ticks back, ` +
    `${round.stale} stale frames, ` +
    `${round.lost} partitions lost by others`
  );
}

function outcomeOf(
  rounds: readonly Round[],
  { lease }: Chosen,
  { readCount, ticksBack }: TickReader,
): Outcome {
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
      'frames that went back',
      sum((each) => each.ticksBack),
      '',
      atMost(0),
    ),
    figure('reads that went back', ticksBack, '', atMost(0)),
    figure(
      'stale frames of a stopped node',
      sum(({ stale }) => stale),
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
    ['kills and stops', String(rounds.length)],
    ['reads of ticks, of nodes in turn', String(readCount)],
    ['changes that were answered', String(sum(({ acknowledged }) => acknowledged))],
    ['cars read back', String(sum(({ verified }) => verified.right + verified.wrong))],
    ['snapshots compared', String(sum(({ snapshots }) => snapshots))],
    ['served again, median', formatMs(median(all(({ servedMs }) => servedMs)))],
  ];
  return { rows, judged, figures: { rounds, judged } };
}
