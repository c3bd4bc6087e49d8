import { figure } from '../../bench/common/figures.ts';
import { inFreshDir } from '../../bench/common/fresh-dir.ts';
import { formatMs } from '../../bench/common/latencies.ts';
import { makeWorlds } from '../../bench/common/made-worlds.ts';
import type { Options } from '../../bench/common/options.ts';
import { onOwnRedis } from '../../bench/common/own-redis.ts';
import { median } from '../../bench/common/report.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import type { TestRedis } from '../../src/testing/rigs/redis.ts';
import { systemTime } from '../../src/time.ts';
import { type Agreement, ClusterLoad } from '../cluster/cluster-load.ts';
import { ClusterNodes } from '../cluster/cluster-nodes.ts';
import { LeaseLog } from '../cluster/lease-log.ts';
import { commandWithNodes, type Outcome } from '../command.ts';

/** Changes go on for so long before a kill. */
const BEFORE_MS = 3000;
/** Beyond the lease: time in which everything must be served again. */
const AFTER_MS = 4000;
/** Beyond the lease: until the slowest watched world is served again. */
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
  run: (chosen) => inFreshDir((dir) => onOwnRedis((redis) => withNodes(chosen, dir, redis))),
});

async function withNodes(chosen: Chosen, dir: string, redis: TestRedis): Promise<Outcome> {
  const settings = { REDIS_URL: redis.url, LEASE_SECONDS: String(chosen.lease) };
  const leases = await LeaseLog.open(redis.port);
  try {
    const nodes = await ClusterNodes.start(chosen.nodes, dir, () => settings);
    try {
      return await measure(chosen, nodes, leases);
    } finally {
      await nodes.end();
    }
  } finally {
    leases.close();
  }
}

interface Round extends Agreement {
  how: 'kill' | 'stop';
  /** From the kill or the stop until the slowest world was shown again at the nodes that live. */
  servedMs: number;
  /** The same for clients that were connected to the node that was killed or stopped. */
  reconnectedMs: number;
  acknowledged: number;
  /** Partitions that nodes have lost which were neither killed nor stopped. */
  lostPartitions: number;
  /** Streams that ended at nodes which were neither killed nor stopped. */
  endedStreams: number;
}

async function measure(chosen: Chosen, nodes: ClusterNodes, leases: LeaseLog): Promise<Outcome> {
  await nodes.untilBalanced();
  // A new world is at the node that made it: each must have some to lose.
  const shares = nodes.living.map(({ url }, i) => {
    return makeWorlds(url, Math.floor((chosen.worlds + i) / nodes.count));
  });
  const made = (await Promise.all(shares)).flat();
  const load = await ClusterLoad.start(nodes, made);
  const rounds: Round[] = [];
  try {
    for (let i = 0; i < chosen.rounds; i++) {
      const round = await endOne(chosen, load, { victim: i % nodes.count, how: howOf(chosen, i) });
      rounds.push(round);
      console.log(`round ${i + 1} of ${chosen.rounds}: ${formatRound(round)}`);
      await nodes.untilBalanced();
    }
  } finally {
    await load.end();
  }
  return outcomeOf(rounds, chosen, { load, leases });
}

function howOf({ how }: Chosen, round: number): Round['how'] {
  if (how === 'both') return round % 2 === 0 ? 'kill' : 'stop';
  return how === 'stop' ? 'stop' : 'kill';
}

async function endOne(
  { rate, lease }: Chosen,
  load: ClusterLoad,
  { victim, how }: { victim: number; how: Round['how'] },
): Promise<Round> {
  const { nodes } = load;
  const others = nodes.living.filter((node) => node !== nodes.node(victim));
  const lostBefore = await nodes.lostPartitions(others);
  const acknowledgedBefore = load.changes.acknowledged;
  const stopChanging = await load.change(others, rate);
  await systemTime.sleep(BEFORE_MS);
  load.begin();
  if (how === 'kill') nodes.kill(victim);
  else await pause(load, victim);
  await systemTime.sleep(lease * 1000 + AFTER_MS);
  const found = load.watched(victim);
  await stopChanging();
  const agreement = await load.check(nodes.living);
  const lostPartitions = (await nodes.lostPartitions(others)) - lostBefore;
  if (how === 'kill') {
    await nodes.restart(victim);
    load.reopen(victim);
  }
  return {
    ...{ how, ...found, ...agreement, lostPartitions },
    acknowledged: load.changes.acknowledged - acknowledgedBefore,
  };
}

async function pause(load: ClusterLoad, victim: number): Promise<void> {
  load.nodes.stop(victim);
  // Half of the pauses are shorter than a lease.
  const mostMs = dice.below(2) === 0 ? PAUSE_MS_MAX : 3 * PAUSE_MS_MIN;
  await systemTime.sleep(PAUSE_MS_MIN + dice.below(mostMs - PAUSE_MS_MIN));
  load.nodes.continue(victim);
  load.expectFresh(systemTime.now() + STALE_MS);
}

function formatRound(round: Round): string {
  return (
    `${round.how}: served again in ${formatMs(round.servedMs)} ` +
    `(clients of that node: ${formatMs(round.reconnectedMs)}), ` +
    `${round.acknowledged} changes acknowledged, ${round.lost} LOST, ${round.wrong} cars WRONG, ` +
    `${round.unknown} changes not known (${round.made} made), ` +
    `${round.snapshots} snapshots, ${round.wrongSnapshots} WRONG, ` +
    `at other nodes ${round.lostPartitions} partitions lost, ${round.endedStreams} streams ended`
  );
}

function outcomeOf(
  rounds: readonly Round[],
  { lease }: Chosen,
  { load, leases }: { load: ClusterLoad; leases: LeaseLog },
): Outcome {
  const all = (of: (round: Round) => number) => rounds.map(of);
  const sum = (of: (round: Round) => number) => all(of).reduce((a, b) => a + b, 0);
  const none = (name: string, count: number) => figure(name, count, '', { atMost: 0 });
  const servedMs = all((round) => round.servedMs);
  const servedMsMax = { atMost: lease * 1000 + SERVED_MS_MAX };
  const judged = [
    figure('served again, slowest', Math.max(...servedMs), 'ms', servedMsMax),
    none(
      'acknowledged changes that were lost',
      sum(({ lost }) => lost),
    ),
    none(
      'cars with another journal than answered',
      sum(({ wrong }) => wrong),
    ),
    none(
      'worlds that nodes tell differently',
      sum(({ disagreeing }) => disagreeing),
    ),
    none(
      'snapshots of another world',
      sum(({ wrongSnapshots }) => wrongSnapshots),
    ),
    none('frames that went back', load.ticksBack),
    none('reads that went back', load.reader.ticksBack),
    none('stale frames of a stopped node', load.stale.length),
    none(
      'partitions lost by living nodes',
      sum(({ lostPartitions }) => lostPartitions),
    ),
    none(
      'streams that ended at living nodes',
      sum(({ endedStreams }) => endedStreams),
    ),
    none('partitions whose grants interleave', leases.interleavedCount),
    none('commits under a lease of another node', leases.foreignCount),
  ];
  const rows: Outcome['rows'] = [
    ['kills and stops', String(rounds.length)],
    ['reads of ticks, of nodes in turn', String(load.reader.readCount)],
    ['changes that were acknowledged', String(sum(({ acknowledged }) => acknowledged))],
    ['cars whose journal was compared', String(sum(({ right, wrong }) => right + wrong))],
    ['snapshots compared', String(sum(({ snapshots }) => snapshots))],
    ['commits seen in Redis, refused ones', `${leases.commitCount}, ${leases.refusedCount}`],
    ['partitions that others wrote to, times', String(leases.handoverCount)],
    ['served again, median', formatMs(median(servedMs))],
    ['clients of the node, slowest', formatMs(Math.max(...all((round) => round.reconnectedMs)))],
  ];
  return { rows, judged, figures: { rounds, judged, stale: load.stale } };
}
