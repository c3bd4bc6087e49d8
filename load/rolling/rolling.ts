import { type Figure, figure } from '../../bench/common/figures.ts';
import { inFreshDir } from '../../bench/common/fresh-dir.ts';
import { HttpPool } from '../../bench/common/http-pool.ts';
import { formatMs } from '../../bench/common/latencies.ts';
import { formatFailures, type LoopResult, openLoop } from '../../bench/common/loops.ts';
import { type MadeWorld, makeWorlds } from '../../bench/common/made-worlds.ts';
import type { Options } from '../../bench/common/options.ts';
import { onOwnRedis } from '../../bench/common/own-redis.ts';
import { freePort } from '../../src/testing/rigs/redis.ts';
import { systemTime } from '../../src/time.ts';
import { CarChanges } from '../cluster/car-changes.ts';
import { type Agreement, beginChanges, checkAgreement } from '../cluster/checks.ts';
import { heldBy, partitionOfWorld } from '../cluster/cluster-map.ts';
import { ClusterNodes } from '../cluster/cluster-nodes.ts';
import { type FailedRequest, MixedRequests } from '../cluster/mixed-requests.ts';
import { StreamClient, type StreamEnd } from '../cluster/stream-client.ts';
import { commandWithNodes, type Outcome } from '../command.ts';
import { type NodePorts, startProxy } from './proxy.ts';

const NODE_COUNT = 3;
const CONNECTIONS = 32;
/** Streams that are opened at once. */
const OPENING = 20;
const SETTLE_MS = 5000;
/** Whoever restarts nodes waits so long after each is ready again, and the proxy sees it by then. */
const READY_MS = 5000;
const KILLED_AFTER_MS = 2000;
const EXIT_MS_MAX = 15_000;
const BACK_MS_MAX = 1000;
/** Until all is served again after a kill. */
const HEALED_MS_MAX = 8000;
const RESTARTING = 1012;
/** How often a failed request is shown. */
const SHOWN_MAX = 10;

const options = {
  how: {
    fallback: 'restart',
    choices: ['restart', 'kill', 'scale'],
    help: 'restart 3 nodes one after the other; the same with one killed meanwhile; 1 node, 3, 1',
  },
  rate: { fallback: 500, min: 1, max: 10_000, help: 'requests a second' },
  streams: { fallback: 200, min: 1, max: 10_000, help: 'streams' },
  worlds: { fallback: 50, min: 1, max: 5000, help: 'worlds that they show' },
  rounds: { fallback: 1, min: 1, max: 1000, help: 'how often all of it is done' },
} as const;

type Chosen = Options<typeof options>;

/** What clients behind HAProxy notice when operators restart, add and end nodes. */
export const rolling = commandWithNodes({
  summary: 'restart nodes behind HAProxy under requests and streams, add some and end some',
  options,
  measures: [],
  run: (chosen) => inFreshDir((dir) => onOwnRedis(({ url }) => withNodes(chosen, dir, url))),
});

async function withNodes(chosen: Chosen, dir: string, redisUrl: string): Promise<Outcome> {
  const ports = await Promise.all(Array.from({ length: NODE_COUNT }, freePorts));
  const settingsOf = (index: number) => {
    const { twin, dealer, ops } = ports[index] as NodePorts;
    const fixed = { TWIN_PORT: String(twin), DEALER_PORT: String(dealer), OPS_PORT: String(ops) };
    return { ...fixed, REDIS_URL: redisUrl };
  };
  const atFirst = chosen.how === 'scale' ? 1 : NODE_COUNT;
  const nodes = await ClusterNodes.start(atFirst, dir, settingsOf);
  try {
    return await throughProxy(chosen, nodes, { dir, ports });
  } finally {
    await nodes.end();
  }
}

async function throughProxy(
  chosen: Chosen,
  nodes: ClusterNodes,
  { dir, ports }: { dir: string; ports: readonly NodePorts[] },
): Promise<Outcome> {
  const proxy = await startProxy(dir, ports);
  try {
    return await measure(chosen, nodes, proxy.url);
  } finally {
    await proxy.stop();
  }
}

async function freePorts(): Promise<NodePorts> {
  return { twin: await freePort(), dealer: await freePort(), ops: await freePort() };
}

/** What the operator has done. */
interface Operated {
  exitMs: number[];
  /** A node that was killed, and the partitions that it held. */
  kill: { atMs: number; held: ReadonlySet<number> } | undefined;
}

async function measure(chosen: Chosen, nodes: ClusterNodes, url: URL): Promise<Outcome> {
  await nodes.untilBalanced();
  const made = await makeWorlds(url, chosen.worlds);
  const clients = Array.from({ length: chosen.streams }, (_, i) => {
    return new StreamClient(url, made[i % made.length]?.id ?? '');
  });
  for (let i = 0; i < clients.length; i += OPENING) {
    await Promise.all(clients.slice(i, i + OPENING).map((client) => client.open()));
  }
  const changes = new CarChanges(made);
  await beginChanges(nodes.node(0), made, changes);
  const requests = new MixedRequests(made, changes);
  const pool = await HttpPool.open(url, CONNECTIONS);
  const over = new AbortController();
  const { request, answered } = requests;
  const plan = { request, answered, ratePerS: chosen.rate, seconds: Number.POSITIVE_INFINITY };
  await systemTime.sleep(SETTLE_MS);
  for (const client of clients) client.begin();
  const asking = openLoop(pool, plan, over.signal);
  const operated: Operated = { exitMs: [], kill: undefined };
  await systemTime.sleep(SETTLE_MS);
  for (let round = 1; round <= chosen.rounds; round++) {
    await operate(chosen, nodes, operated);
    console.log(`round ${round} of ${chosen.rounds}: ${formatMissing(requests, clients)}`);
  }
  await systemTime.sleep(SETTLE_MS);
  over.abort();
  const asked = await asking;
  pool.close();
  for (const client of clients) client.close();
  const agreement = await checkAgreement(nodes.living, made, changes, () => []);
  return outcomeOf({ chosen, made, clients, asked, failed: requests.failed, operated, agreement });
}

function formatMissing({ failed }: MixedRequests, clients: readonly StreamClient[]): string {
  const ended = clients.reduce((sum, { ends }) => sum + ends.length, 0);
  const missed = clients.reduce((sum, client) => sum + client.missed, 0);
  return `${failed.length} requests failed, ${ended} streams ended, ${missed} frames missed`;
}

async function operate({ how }: Chosen, nodes: ClusterNodes, done: Operated): Promise<void> {
  if (how === 'scale') await scale(nodes, done);
  else
    for (let i = 0; i < NODE_COUNT; i++) await restart(nodes, i, done, how === 'kill' && i === 1);
}

/** @param isKilled the next node is killed while this one ends, and started again with it */
async function restart(
  nodes: ClusterNodes,
  index: number,
  done: Operated,
  isKilled: boolean,
): Promise<void> {
  const exited = nodes.terminate(index);
  const next = (index + 1) % NODE_COUNT;
  if (isKilled) {
    await systemTime.sleep(KILLED_AFTER_MS);
    const held = await heldBy(`node-${next}`, nodes.node(next));
    nodes.kill(next);
    done.kill = { atMs: systemTime.now(), held };
  }
  done.exitMs.push(await exited);
  await nodes.restart(index);
  if (isKilled) await nodes.restart(next);
  await systemTime.sleep(READY_MS);
}

async function scale(nodes: ClusterNodes, done: Operated): Promise<void> {
  while (nodes.count < NODE_COUNT) await nodes.add();
  for (let i = 1; i < NODE_COUNT; i++) {
    if (!nodes.living.includes(nodes.node(i))) await nodes.restart(i);
  }
  await nodes.untilBalanced();
  for (let i = NODE_COUNT - 1; i > 0; i--) {
    done.exitMs.push(await nodes.terminate(i));
    await systemTime.sleep(READY_MS);
  }
}

interface Found {
  chosen: Chosen;
  made: readonly MadeWorld[];
  clients: readonly StreamClient[];
  asked: LoopResult;
  failed: readonly FailedRequest[];
  operated: Operated;
  agreement: Agreement;
}

/** What clients have met, by whether the kill explains it. */
function seenBy({ clients, failed, operated: { kill } }: Found) {
  const sum = (of: (client: StreamClient) => number) =>
    clients.reduce((total, client) => total + of(client), 0);
  const ends = clients.flatMap((client) => client.ends);
  const isDue = (atMs: number) =>
    kill !== undefined && atMs >= kill.atMs && atMs <= kill.atMs + HEALED_MS_MAX;
  const expected = failed.filter((each) => kill && isDue(each.atMs) && isOfKill(kill.held, each));
  return {
    frames: sum(({ frames }) => frames),
    missed: sum(({ missed }) => missed),
    disordered: sum(({ disordered }) => disordered),
    unexpected: failed.length - expected.length,
    expected: expected.length,
    ends,
    planned: ends.filter(({ atMs }) => !isDue(atMs)),
    ofKill: ends.filter(({ atMs }) => isDue(atMs)),
  };
}

function backMs(ends: readonly StreamEnd[]): number {
  return Math.max(0, ...ends.map((each) => each.backMs ?? Number.POSITIVE_INFINITY));
}

function judgedOf({ operated, agreement }: Found, seen: ReturnType<typeof seenBy>): Figure[] {
  const { exitMs, kill } = operated;
  const none = (name: string, count: number) => figure(name, count, '', { atMost: 0 });
  const atMost = (name: string, ms: number, msMax: number) =>
    figure(name, ms, 'ms', { atMost: msMax });
  const others = seen.planned.filter(({ code }) => code !== RESTARTING);
  // Those of the worlds of a killed node are lost until others have these.
  const missed = figure(
    'frames that never came',
    seen.missed,
    '',
    kill ? undefined : { atMost: 0 },
  );
  return [
    none('requests that failed', seen.unexpected),
    missed,
    none('frames out of order', seen.disordered),
    none('streams that ended otherwise than with 1012', others.length),
    atMost('a stream was back, slowest', backMs(seen.planned), BACK_MS_MAX),
    atMost('an exit, slowest', Math.max(...exitMs), EXIT_MS_MAX),
    none('acknowledged changes that were lost', agreement.lost),
    none('cars with another journal than answered', agreement.wrong),
    none('worlds that nodes tell differently', agreement.disagreeing),
    ...(kill
      ? [atMost('a stream of the kill was back, slowest', backMs(seen.ofKill), HEALED_MS_MAX)]
      : []),
  ];
}

function outcomeOf(found: Found): Outcome {
  const { asked, failed, operated, agreement } = found;
  const seen = seenBy(found);
  for (const each of failed.slice(0, SHOWN_MAX)) console.log(`failed: ${each.status} ${each.text}`);
  const byCode = Object.groupBy(seen.ends, ({ code }) => String(code));
  const codes = Object.fromEntries(
    Object.entries(byCode).map(([code, of]) => [code, of?.length ?? 0]),
  );
  const { p50Ms, p99Ms, maxMs } = asked.latency;
  const rows: Outcome['rows'] = [
    ['requests', `${asked.ok} answered, failed: ${formatFailures(asked.failed)}`],
    ['of these by the kill', String(seen.expected)],
    ['their latency', `p50 ${formatMs(p50Ms)}, p99 ${formatMs(p99Ms)}, max ${formatMs(maxMs)}`],
    ['frames', String(seen.frames)],
    ['streams that ended, by code', formatFailures(codes)],
    ['exits', operated.exitMs.map(formatMs).join(', ')],
  ];
  const judged = judgedOf(found, seen);
  const { exitMs } = operated;
  return { rows, judged, figures: { asked, failed, codes, exitMs, agreement, judged } };
}

/** Whether it asked for a world of these partitions, or the connection to the node broke. */
export function isOfKill(
  held: ReadonlySet<number>,
  { world, status, text }: FailedRequest,
): boolean {
  const isBroken = status === undefined || status === 502 || text.includes('no node is reachable');
  return isBroken || (world !== undefined && held.has(partitionOfWorld(world)));
}
