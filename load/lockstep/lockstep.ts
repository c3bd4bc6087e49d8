import { availableParallelism, loadavg } from 'node:os';
import { TICK_MS } from '../../assembly/layout.ts';
import { type Figure, figure } from '../../bench/common/figures.ts';
import { HttpPool } from '../../bench/common/http-pool.ts';
import { formatLatencies, Latencies } from '../../bench/common/latencies.ts';
import { formatFailures, openLoop } from '../../bench/common/loops.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import { progress } from '../../bench/common/progress.ts';
import type { Server } from '../../bench/common/server.ts';
import { CATCH_UP_SHARE, LOCKSTEP_LAG_TICKS } from '../../src/limits.ts';
import { systemTime } from '../../src/time.ts';
import type { LockstepChange } from '../../src/twin/lockstep.ts';
import { type Car, carsOf, changesOf } from '../changes.ts';
import type { Outcome } from '../command.ts';
import { formatMiB, formatShare, formatUsage, LoadMeter } from '../usage-meter.ts';
import { LockstepCrowd } from './lockstep-crowd.ts';

const CONNECTIONS = 16;
/** A client gets a few more pulses in its first eight seconds. */
const SETTLE_MS = 9000;
/** Heads of IP and TCP with time stamps; a message is a segment, which is acknowledged by another one. */
const TCP_BYTES = 2 * 52;
/** Prime: neighbours in this order are cars of different worlds. */
const STRIDE = 7919;
/** A change that has not arrived by then is lost. */
const LAST_CHANGES_MS = 30_000;
const PACE_MS = 5;
/** What is wanted of the node. */
const CORES_MAX = 0.1;
const MEMORY_MB_MAX = 700;
const BYTES_PER_S_MAX = 50;
/** While so many a second join. */
const HELLO_MS_MAX = 100;
const HELLO_JOIN_MAX = 100;
/** Where each watcher has a world of its own, and where all watch one. */
const SEEN_MS_MAX = 50;
const SEEN_OF_ONE_WORLD_MS_MAX = 200;

interface Plan {
  /** Of each world. */
  watchers: number;
  seconds: number;
  /** Minutes that the worlds have stood. */
  behind: number;
  /** Changes a second, over all worlds. */
  changes: number;
  /** Watchers that join a second. */
  join: number;
}

/** When a change of a car was sent, by its world and its index. */
class SentChanges {
  readonly seen = new Latencies();
  readonly #sentMs = new Map<string, number>();
  readonly #places: ReadonlyMap<string, string>;

  constructor(worlds: readonly MadeWorld[]) {
    const places = worlds.flatMap(({ id, vins }) =>
      vins.map((vin, car): [string, string] => [vin, `${id}:${car}`]),
    );
    this.#places = new Map(places);
  }

  sent(vin: string): void {
    this.#sentMs.set(this.#places.get(vin) ?? '', systemTime.now());
  }

  arrived(world: string, { car }: LockstepChange): void {
    const sentMs = this.#sentMs.get(`${world}:${car}`);
    if (sentMs !== undefined) this.seen.record(systemTime.now() - sentMs);
  }
}

/** Clients that live their worlds: what they cost the node, and how soon they have hellos and changes. */
export async function watchByLockstep(
  plan: Plan,
  server: Server,
  made: readonly MadeWorld[],
): Promise<Outcome> {
  const sent = new SentChanges(made);
  const each = made.flatMap(({ id }) => Array<string>(plan.watchers).fill(id));
  const crowd = new LockstepCrowd(server.url, each, (id, change) => sent.arrived(id, change));
  try {
    const joinUsage = await joined(crowd, plan.join, server);
    await systemTime.sleep(SETTLE_MS);
    const measured = await measure(plan, server, crowd, { made, sent });
    return outcomeOf(plan, { ...measured, joinUsage, load1: loadavg()[0] ?? 0 });
  } finally {
    crowd.close();
  }
}

/** All join; returns what the server used meanwhile. */
async function joined(crowd: LockstepCrowd, ratePerS: number, server: Server) {
  const stopProgress = progress(() => `${crowd.openCount} of ${crowd.streams.length} have joined`);
  const meter = new LoadMeter(server);
  try {
    await crowd.join(ratePerS);
    return meter.server();
  } finally {
    stopProgress();
  }
}

async function measure(
  plan: Plan,
  server: Server,
  crowd: LockstepCrowd,
  { made, sent }: { made: readonly MadeWorld[]; sent: SentChanges },
) {
  const pool = await HttpPool.open(server.url, CONNECTIONS);
  const changes = changesOf(server.url, spreadOut(carsOf(made)));
  const [bytes, messages] = [crowd.bytesRead(), crowd.messages];
  const meter = new LoadMeter(server);
  const stopProgress = progress(
    () => `${crowd.changes} changes seen, server used ${formatUsage(meter.server())}`,
  );
  const result = await openLoop(pool, {
    ...{ ratePerS: plan.changes, seconds: plan.seconds, answered: changes.answered },
    request: (index) => {
      sent.sent(changes.vinOf(index));
      return changes.request(index);
    },
  });
  const usage = meter.server();
  const ownShare = meter.ownShare();
  const { seconds } = result;
  const streams = crowd.streams.length;
  const bytesPerS = (crowd.bytesRead() - bytes) / seconds / streams;
  const segmentsPerS = (crowd.messages - messages) / seconds / streams;
  stopProgress();
  pool.close();
  const seenDue = result.ok * plan.watchers;
  const endMs = systemTime.now() + LAST_CHANGES_MS;
  while (crowd.changes < seenDue && systemTime.now() < endMs) await systemTime.sleep(PACE_MS);
  return {
    ...{ streams, usage, ownShare, result, bytesPerS },
    bytesPerSWithTcp: bytesPerS + segmentsPerS * TCP_BYTES,
    hello: crowd.hellos.summary(),
    helloBytes: crowd.helloBytes / streams,
    seen: sent.seen.summary(),
    seenDue,
    failed: crowd.failed,
    ended: crowd.ended,
  };
}

/** Changes of one world after the other would meet one and the same shard and record. */
function spreadOut(cars: readonly Car[]): Car[] {
  return cars.map((_, i) => cars[(i * STRIDE) % cars.length] as Car);
}

/** Of a node that is started with the settings of this process. */
const shardCount = () => Number(process.env.SHARDS ?? availableParallelism());

type Measured = Awaited<ReturnType<typeof measure>> & {
  joinUsage: ReturnType<LoadMeter['server']>;
  /** Of the machine at the end, over a minute. */
  load1: number;
};

function outcomeOf(plan: Plan, measured: Measured): Outcome {
  const { streams, usage, joinUsage, ownShare, result, seen, seenDue } = measured;
  const { hello, helloBytes, bytesPerS, bytesPerSWithTcp, failed, ended, load1 } = measured;
  const rows: Outcome['rows'] = [
    ['lockstep streams', `${streams}, of ${streams / plan.watchers} worlds`],
    [`hellos while ${plan.join} a second joined`, formatLatencies(hello)],
    ['bytes of a hello', String(Math.round(helloBytes))],
    ['server used while they joined', formatUsage(joinUsage)],
    ['attempts that failed, streams that ended', `${JSON.stringify([failed, ended])}`],
    ['server used', formatUsage(usage)],
    ['memory of the server', usage ? formatMiB(usage.rssBytes) : 'unknown without --pid'],
    [
      'bytes a second and watcher',
      `${bytesPerS.toFixed(1)}, ${bytesPerSWithTcp.toFixed(1)} with TCP`,
    ],
    ['changes', `${result.ok}, failed: ${formatFailures(result.failed)}`],
    ['a change was answered', formatLatencies(result.latency)],
    ['a change was seen', formatLatencies(seen)],
    ['changes seen', `${seen.count} of ${seenDue}`],
    ['load generator', `used ${formatShare(ownShare)}, load average ${load1.toFixed(1)}`],
  ];
  const judged = judgedOf(plan, measured);
  return { rows, judged, figures: { ...measured, judged } };
}

/** The goals are those of 10,000 watchers, of a world each or all of one. */
function judgedOf(
  { watchers, join, behind }: Plan,
  { usage, bytesPerSWithTcp, hello, seen, seenDue }: Measured,
): Figure[] {
  const isOneEach = watchers === 1;
  const judged = [
    figure('changes that were not seen', seenDue - seen.count, 'changes', { atMost: 0 }),
    figure('a change was seen, p99', seen.p99Ms, 'ms', {
      atMost: isOneEach ? SEEN_MS_MAX : SEEN_OF_ONE_WORLD_MS_MAX,
    }),
    figure('bytes a second and watcher', bytesPerSWithTcp, 'bytes', { atMost: BYTES_PER_S_MAX }),
  ];
  if (usage) {
    const megabytes = usage.rssBytes / 1e6;
    judged.push(figure('memory of the node', megabytes, 'MB', { atMost: MEMORY_MB_MAX }));
  }
  if (usage && isOneEach) {
    // The share of the shards' time is the same on any machine; the rest depends on its speed.
    const isCatchingUp = (behind * 60_000) / TICK_MS >= LOCKSTEP_LAG_TICKS;
    const catchUps = isCatchingUp ? CATCH_UP_SHARE * shardCount() : 0;
    const name = `processor time of the node${isCatchingUp ? ', catching up aside' : ''}`;
    judged.push(
      figure(name, usage.cpuShare - catchUps, 'cores', { atMost: CORES_MAX, isScaled: true }),
    );
  }
  if (join <= HELLO_JOIN_MAX) {
    judged.push(figure('a hello came, p99', hello.p99Ms, 'ms', { atMost: HELLO_MS_MAX }));
  }
  return judged;
}
