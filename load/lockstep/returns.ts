import { loadavg } from 'node:os';
import { figure } from '../../bench/common/figures.ts';
import { inFreshDir } from '../../bench/common/fresh-dir.ts';
import { formatMs, Latencies } from '../../bench/common/latencies.ts';
import { makeWorlds } from '../../bench/common/made-worlds.ts';
import type { Options } from '../../bench/common/options.ts';
import { progress } from '../../bench/common/progress.ts';
import { type Server, startNodeOn } from '../../bench/common/server.ts';
import { systemTime } from '../../src/time.ts';
import { commandWithNodes, type Outcome } from '../command.ts';
import { formatUsage, LoadMeter } from '../usage-meter.ts';
import { LockstepCrowd } from './lockstep-crowd.ts';

const BACK_MS_MAX = 30_000;
/** Nobody who is not back by then comes back. */
const GIVE_UP_MS = 120_000;
const PACE_MS = 5;

const options = {
  worlds: { fallback: 10_000, min: 1, max: 20_000, help: 'worlds that are watched' },
  watchers: { fallback: 1, min: 1, max: 20_000, help: 'watchers of each world' },
  join: { fallback: 200, min: 1, max: 10_000, help: 'watchers that join a second at first' },
  port: {
    fallback: 28_471,
    min: 1024,
    max: 65_535,
    help: 'of the node; not one that the system gives to clients: it could connect to itself meanwhile',
  },
} as const;

type Chosen = Options<typeof options>;

/** How soon the clients that live their worlds have new hellos after a restart of their node. */
export const returns = commandWithNodes({
  summary: 'restart a node that is watched by lockstep: how soon all watchers are back',
  options,
  measures: [],
  run: (chosen) => inFreshDir((dir) => measure(chosen, dir)),
});

async function measure(chosen: Chosen, dir: string): Promise<Outcome> {
  const settings = { TWIN_PORT: String(chosen.port) };
  let node = await startNodeOn(dir, { settings });
  const restart = async () => {
    const startMs = systemTime.now();
    await node.stop();
    const endedMs = systemTime.now() - startMs;
    node = await startNodeOn(dir, { settings });
    return { node, startMs, endedMs, readyMs: systemTime.now() - startMs };
  };
  try {
    const made = await makeWorlds(node.url, chosen.worlds);
    const each = made.flatMap(({ id }) => Array<string>(chosen.watchers).fill(id));
    return await withCrowd(new LockstepCrowd(node.url, each), chosen.join, restart);
  } finally {
    await node.stop();
  }
}

interface Restarted {
  node: Server;
  /** When the signal was sent; the others are since then. */
  startMs: number;
  endedMs: number;
  readyMs: number;
}

async function withCrowd(
  crowd: LockstepCrowd,
  ratePerS: number,
  restart: () => Promise<Restarted>,
) {
  const streams = crowd.streams.length;
  const stopProgress = progress(() => `${crowd.openCount} of ${streams} are there`);
  try {
    await crowd.join(ratePerS);
    const helloBytes = crowd.helloBytes / streams;
    crowd.helloBytes = 0;
    const { node, startMs, ...times } = await restart();
    const meter = new LoadMeter(node);
    const back = await untilBack(crowd, startMs);
    const usage = meter.server();
    const againBytes = crowd.helloBytes / Math.max(1, crowd.openCount);
    return outcomeOf({
      ...{ streams, ...times, back, usage, helloBytes, againBytes },
      ...{ failed: { ...crowd.failed }, ended: { ...crowd.ended } },
      ...{ missing: streams - back.count, load1: loadavg()[0] ?? 0 },
    });
  } finally {
    stopProgress();
    crowd.close();
  }
}

/** How long after a moment streams had their hellos. Ends when all have, or have had time enough. */
async function untilBack(crowd: LockstepCrowd, startMs: number) {
  const back = new Latencies();
  let known = 0;
  for (let tookMs = 0; known < crowd.streams.length && tookMs < GIVE_UP_MS; ) {
    tookMs = systemTime.now() - startMs;
    for (; known < crowd.openCount; known++) back.record(tookMs);
    await systemTime.sleep(PACE_MS);
  }
  return back.summary();
}

interface Found {
  streams: number;
  /** Since the signal: the old process had ended, the new one served. */
  endedMs: number;
  readyMs: number;
  back: ReturnType<Latencies['summary']>;
  usage: ReturnType<LoadMeter['server']>;
  /** Of a first hello, and of one that continues a journal. */
  helloBytes: number;
  againBytes: number;
  failed: Record<string, number>;
  ended: Record<string, number>;
  missing: number;
  load1: number;
}

function outcomeOf(found: Found): Outcome {
  const { streams, endedMs, readyMs, back, usage, failed, ended, load1 } = found;
  const rows: Outcome['rows'] = [
    ['lockstep streams', String(streams)],
    ['the old process ended after', formatMs(endedMs)],
    ['the new one served after', formatMs(readyMs)],
    ['watchers were back after', `p50 ${formatMs(back.p50Ms)}, p99 ${formatMs(back.p99Ms)}`],
    ['bytes of a hello', `${Math.round(found.helloBytes)}, again ${Math.round(found.againBytes)}`],
    ['the new process used', formatUsage(usage)],
    ['attempts that failed, streams that ended', JSON.stringify([failed, ended])],
    ['load average', load1.toFixed(1)],
  ];
  const judged = [
    figure('watchers that did not come back', found.missing, 'watchers', { atMost: 0 }),
    figure('all back after the signal', back.maxMs, 'ms', { atMost: BACK_MS_MAX }),
  ];
  return { rows, judged, figures: { ...found, judged } };
}
