import { larger, smaller } from '../bench/against/readings.ts';
import { type Figure, figure } from '../bench/common/figures.ts';
import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { formatLatencies } from '../bench/common/latencies.ts';
import { closedLoop, formatFailures, type LoopResult, openLoop } from '../bench/common/loops.ts';
import type { Options } from '../bench/common/options.ts';
import { progress } from '../bench/common/progress.ts';
import type { Server } from '../bench/common/server.ts';
import { systemTime } from '../src/time.ts';
import { judge, requestCeiling } from './calibrate.ts';
import { command, type Outcome } from './command.ts';
import { formatMiB, formatShare, formatUsage, LoadMeter } from './usage-meter.ts';

const CREATE_SECONDS_MAX = 300;
/** Creation leaves work behind that is no cost of idle worlds. */
const SETTLE_MS = 3000;
const CREATED_PER_S_MIN = 2000;
const IDLE_CORES_MAX = 0.01;
/** Of a million worlds. */
const MEMORY_GB_MAX = 6;

const options = {
  count: { fallback: 10_000, min: 1, max: 2_000_000, help: 'worlds to create' },
  connections: { fallback: 64, min: 1, max: 1000, help: 'connections, each with one request' },
  rate: {
    fallback: 0,
    min: 0,
    max: 100_000,
    help: 'then worlds a second; 0: half of the highest rate',
  },
  seconds: { fallback: 10, min: 1, max: 600, help: 'seconds at that rate' },
  idle: {
    fallback: 0,
    min: 0,
    max: 3600,
    help: 'then seconds for which the idle server is measured',
  },
} as const;

type Chosen = Options<typeof options>;

/** Rate and latency of creating worlds, and what unwatched worlds cost. */
export const worlds = command({
  summary: 'create worlds: highest rate, latency at a fixed rate, cost of idle worlds',
  options,
  measures: [
    larger('worlds created, highest rate', 'closed.okPerS', '/s'),
    smaller('server CPU, highest rate', 'usage.cpuMs', 'ms'),
    smaller('median latency at the fixed rate', 'open.latency.p50Ms', 'ms'),
    smaller('p99 at the fixed rate', 'open.latency.p99Ms', 'ms'),
    smaller('idle worlds, of a core', 'idle.cpuShare', ''),
    smaller('memory with idle worlds', 'idle.rssBytes', 'bytes'),
  ],
  run,
});

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  const ceiling = await requestCeiling(chosen.connections);
  const pool = await HttpPool.open(server.url, chosen.connections);
  const request = formatRequest(server.url, 'POST', '/api/v1/worlds');
  let made = 0;
  const answered = () => {
    made += 1;
  };
  const plan = { request: () => request, answered };
  const stopProgress = progress(() => `${made} worlds`);

  const meter = new LoadMeter(server);
  const width = chosen.connections;
  const seconds = CREATE_SECONDS_MAX;
  const closed = await closedLoop(pool, { ...plan, width, count: chosen.count, seconds });
  const usage = meter.server();
  const verdict = judge(ceiling, closed.okPerS, meter.ownShare());

  const ratePerS = chosen.rate || Math.max(1, Math.round(closed.okPerS / 2));
  const open = await openLoop(pool, { ...plan, ratePerS, seconds: chosen.seconds });
  stopProgress();
  pool.close();
  const idle = chosen.idle > 0 ? await idleUsage(server, chosen.idle) : undefined;
  const rows: Outcome['rows'] = [
    ['highest rate of creation', `${Math.round(closed.okPerS)}/s (${closed.ok} worlds)`],
    ['failed', formatFailures(closed.failed)],
    ['server used', formatUsage(usage)],
    ['load generator', verdict.text],
    [`latency at ${ratePerS}/s`, formatLatencies(open.latency)],
    ['of which sent late by', formatLatencies(open.sendDelay)],
    ['failed at that rate', formatFailures(open.failed)],
  ];
  if (idle) {
    rows.push(
      [`${closed.ok + open.ok} idle worlds`, formatShare(idle.cpuShare)],
      ['memory of the server', formatMiB(idle.rssBytes)],
    );
  }
  const judged = judgedWorlds({ closed, open, idle });
  return { rows, judged, figures: { closed, usage, verdict, ratePerS, open, idle, judged } };
}

interface Found {
  closed: LoopResult;
  open: LoopResult;
  idle: { cpuShare: number; rssBytes: number } | undefined;
}

/** The goals of creating worlds, and of worlds that nobody watches. */
export function judgedWorlds({ closed, open, idle }: Found): Figure[] {
  const failed = [closed, open].flatMap((result) => Object.values(result.failed));
  const failedCount = failed.reduce((a, b) => a + b, 0);
  const judged = [
    figure('worlds created', closed.okPerS, '/s', { atLeast: CREATED_PER_S_MIN }),
    figure('worlds that were not created', failedCount, '', { atMost: 0 }),
  ];
  if (idle === undefined) return judged;
  const cores = { atMost: IDLE_CORES_MAX, isScaled: true };
  return [
    ...judged,
    figure('processor time of idle worlds', idle.cpuShare, 'cores', cores),
    figure('memory of the server', idle.rssBytes / 1e9, 'GB', { atMost: MEMORY_GB_MAX }),
  ];
}

async function idleUsage(server: Server, seconds: number) {
  await systemTime.sleep(SETTLE_MS);
  const meter = new LoadMeter(server);
  const stopProgress = progress(() => `idle, server used ${formatUsage(meter.server())}`);
  await systemTime.sleep(seconds * 1000);
  stopProgress();
  return meter.server();
}
