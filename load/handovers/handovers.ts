import { metricOf } from '../../bench/common/cluster.ts';
import { figure } from '../../bench/common/figures.ts';
import { inFreshDir } from '../../bench/common/fresh-dir.ts';
import { HttpPool } from '../../bench/common/http-pool.ts';
import { formatLatencies, formatMs, Latencies } from '../../bench/common/latencies.ts';
import { openLoop, type Sender } from '../../bench/common/loops.ts';
import { type MadeWorld, makeWorlds } from '../../bench/common/made-worlds.ts';
import type { Options } from '../../bench/common/options.ts';
import { onOwnRedis } from '../../bench/common/own-redis.ts';
import { progress } from '../../bench/common/progress.ts';
import { PARTITION_COUNT } from '../../src/limits.ts';
import { systemTime } from '../../src/time.ts';
import { CarChanges } from '../cluster/car-changes.ts';
import { type Agreement, beginChanges, checkAgreement } from '../cluster/checks.ts';
import { movePartition, partitionOfWorld, statusOf } from '../cluster/cluster-map.ts';
import { ClusterNodes } from '../cluster/cluster-nodes.ts';
import { MixedRequests } from '../cluster/mixed-requests.ts';
import { StreamClient } from '../cluster/stream-client.ts';
import { commandWithNodes, type Outcome } from '../command.ts';
import { Answers } from './answers.ts';

const NODE_COUNT = 2;
const CONNECTIONS = 32;
/** Streams that are opened at once. */
const OPENING = 20;
const SETTLE_MS = 5000;
/** What is seen of a handover begins so long before it, and ends so long after. */
const AROUND_MS = 500;
const GAP_MS_MAX = 200;
const LONGER_MS_MAX = 200;

const options = {
  handovers: { fallback: 50, min: 1, max: 10_000, help: 'how often the partition moves' },
  worlds: { fallback: 300, min: 1, max: 5000, help: 'watched worlds in that partition' },
  rate: { fallback: 200, min: 1, max: 10_000, help: 'requests a second for its cars' },
} as const;

type Chosen = Options<typeof options>;

/** What clients notice of a partition that moves from node to node with all its worlds. */
export const handovers = commandWithNodes({
  summary:
    'move a partition of watched worlds between two nodes again and again: frames, gaps, answers',
  options,
  measures: [],
  run: (chosen) => inFreshDir((dir) => onOwnRedis(({ url }) => withNodes(chosen, dir, url))),
});

async function withNodes(chosen: Chosen, dir: string, redisUrl: string): Promise<Outcome> {
  const nodes = await ClusterNodes.start(NODE_COUNT, dir, () => ({ REDIS_URL: redisUrl }));
  try {
    return await measure(chosen, nodes);
  } finally {
    await nodes.end();
  }
}

async function measure(chosen: Chosen, nodes: ClusterNodes): Promise<Outcome> {
  await nodes.untilBalanced();
  const made = await worldsOfOnePartition(nodes, chosen.worlds);
  const clients = made.map(({ id }, i) => new StreamClient(nodes.node(i % NODE_COUNT).url, id));
  await openAll(clients);
  await systemTime.sleep(SETTLE_MS);
  const changes = new CarChanges(made);
  await beginChanges(nodes.node(0), made, changes);
  const answers = new Answers();
  const requests = new MixedRequests(made, changes, (atMs, ms) => answers.add(atMs, ms));
  const pools = await Promise.all(nodes.living.map(({ url }) => HttpPool.open(url, CONNECTIONS)));
  let turn = 0;
  const sender: Sender = {
    send: (request, answered) => pools[turn++ % pools.length]?.send(request, answered),
  };
  const over = new AbortController();
  const plan = { request: requests.request, answered: requests.answered, ratePerS: chosen.rate };
  const asking = openLoop(sender, { ...plan, seconds: Number.POSITIVE_INFINITY }, over.signal);
  await systemTime.sleep(SETTLE_MS);
  for (const client of clients) client.begin();
  const moves = await moveAll(chosen, nodes, { made, clients, answers });
  const streams = sumOf(clients);
  const skipped = await skippedAt(nodes);
  over.abort();
  await asking;
  for (const pool of pools) pool.close();
  for (const client of clients) client.close();
  const agreement = await checkAgreement(nodes.living, made, changes, () => []);
  return outcomeOf({ chosen, made, moves, answers, requests, agreement, skipped, ...streams });
}

/** Nodes spread new worlds over their partitions; those of the fullest are taken. */
async function worldsOfOnePartition(nodes: ClusterNodes, count: number): Promise<MadeWorld[]> {
  const { url } = nodes.node(0);
  const all: MadeWorld[] = [];
  for (;;) {
    all.push(...(await makeWorlds(url, count * (PARTITION_COUNT / NODE_COUNT / 4))));
    const byPartition = Map.groupBy(all, ({ id }) => partitionOfWorld(id));
    const [most = []] = [...byPartition.values()].toSorted((a, b) => b.length - a.length);
    if (most.length >= count) return most.slice(0, count);
  }
}

async function openAll(clients: readonly StreamClient[]): Promise<void> {
  for (let i = 0; i < clients.length; i += OPENING) {
    await Promise.all(clients.slice(i, i + OPENING).map((client) => client.open()));
  }
}

interface Moves {
  count: number;
  /** The longest time without a frame of each stream, around each handover. */
  gaps: Latencies;
  /** The same while nothing moves, in the time before each handover. */
  quiet: Latencies;
  /** From the request of the operator to its answer. */
  took: Latencies;
}

interface Seen {
  made: readonly MadeWorld[];
  clients: readonly StreamClient[];
  answers: Answers;
}

async function moveAll(
  { handovers: count }: Chosen,
  nodes: ClusterNodes,
  { made, clients, answers }: Seen,
): Promise<Moves> {
  const partition = partitionOfWorld(made[0]?.id ?? '');
  const moves: Moves = {
    count: 0,
    gaps: new Latencies(),
    quiet: new Latencies(),
    took: new Latencies(),
  };
  const stopProgress = progress(() => `${moves.count} of ${count} handovers`);
  try {
    while (moves.count < count) {
      for (const client of clients) client.takeGapMs();
      await systemTime.sleep(2 * AROUND_MS);
      for (const client of clients) moves.quiet.record(client.takeGapMs());
      const startMs = systemTime.now();
      const [from, to] = await holderAndOther(nodes, partition);
      await movePartition(nodes.node(from), partition, `node-${to}`);
      const endMs = systemTime.now();
      await systemTime.sleep(AROUND_MS);
      answers.addHandover(startMs, endMs);
      moves.took.record(endMs - startMs);
      for (const client of clients) moves.gaps.record(client.takeGapMs());
      moves.count++;
    }
  } finally {
    stopProgress();
  }
  return moves;
}

async function holderAndOther(
  nodes: ClusterNodes,
  partition: number,
): Promise<[from: number, to: number]> {
  const status = await statusOf(nodes.node(0));
  const { holder } = status.partitions[partition] ?? {};
  return status.nodes.find(({ process }) => process === holder)?.name === 'node-0'
    ? [0, 1]
    : [1, 0];
}

/** Frames that nodes have left out, because a link or a reader could not keep up. */
async function skippedAt({ living }: ClusterNodes): Promise<Readonly<Record<string, number>>> {
  const sum = async (name: string) => (await metricOf(living, name)).reduce((a, b) => a + b, 0);
  return {
    links: await sum('twin_relay_frames_skipped_total'),
    readers: await sum('twin_stream_frames_skipped_total'),
    shards: await sum('twin_stream_frames_late_total'),
  };
}

interface Streams {
  frames: number;
  missed: number;
  disordered: number;
  ended: number;
}

function sumOf(clients: readonly StreamClient[]): Streams {
  const sum = (of: (client: StreamClient) => number) =>
    clients.reduce((total, client) => total + of(client), 0);
  return {
    frames: sum(({ frames }) => frames),
    missed: sum(({ missed }) => missed),
    disordered: sum(({ disordered }) => disordered),
    ended: sum(({ ends }) => ends.length),
  };
}

interface Found extends Streams {
  chosen: Chosen;
  made: readonly MadeWorld[];
  moves: Moves;
  answers: Answers;
  requests: MixedRequests;
  agreement: Agreement;
  skipped: Readonly<Record<string, number>>;
}

function outcomeOf(found: Found): Outcome {
  const { made, moves, answers, requests, agreement, skipped, ...streams } = found;
  const [gaps, quiet] = [moves.gaps.summary(), moves.quiet.summary()];
  const took = moves.took.summary();
  const { meeting, others } = answers.summary();
  const none = { atMost: 0 };
  for (const { status, text } of requests.failed.slice(0, 10))
    console.log(`failed: ${status} ${text}`);
  const judged = [
    figure('frames that never came', streams.missed, '', none),
    figure('frames out of order', streams.disordered, '', none),
    figure('streams that ended', streams.ended, '', none),
    figure('gap of a stream at a handover, p99', gaps.p99Ms, 'ms', { atMost: GAP_MS_MAX }),
    figure('requests that failed', requests.failed.length, '', none),
    figure(
      'longest request that met a handover, beyond the median',
      meeting.maxMs - others.p50Ms,
      'ms',
      {
        atMost: LONGER_MS_MAX,
      },
    ),
    figure('acknowledged changes that were lost', agreement.lost, '', none),
    figure('cars with another journal than answered', agreement.wrong, '', none),
  ];
  const rows: Outcome['rows'] = [
    ['handovers, watched worlds', `${moves.count}, ${made.length}`],
    ['frames', String(streams.frames)],
    [
      'frames left out or late',
      Object.entries(skipped)
        .map(([by, n]) => `${n} by ${by}`)
        .join(', '),
    ],
    ['gaps at handovers', `p50 ${formatMs(gaps.p50Ms)}, max ${formatMs(gaps.maxMs)}`],
    [
      'gaps while nothing moves',
      `p50 ${formatMs(quiet.p50Ms)}, p99 ${formatMs(quiet.p99Ms)}, max ${formatMs(quiet.maxMs)}`,
    ],
    ['a move, as the operator sees it', `p50 ${formatMs(took.p50Ms)}, max ${formatMs(took.maxMs)}`],
    ['requests', `${meeting.count} met a handover, ${others.count} did not`],
    ['requests that did not', formatLatencies(others)],
    ['requests that met one', formatLatencies(meeting)],
  ];
  return {
    rows,
    judged,
    figures: { ...streams, gaps, quiet, took, meeting, others, agreement, judged },
  };
}
