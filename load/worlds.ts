import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { formatLatencies } from '../bench/common/latencies.ts';
import { closedLoop, formatFailures, openLoop } from '../bench/common/loops.ts';
import type { Options } from '../bench/common/options.ts';
import { progress } from '../bench/common/progress.ts';
import type { Server } from '../bench/common/server.ts';
import { systemTime } from '../src/time.ts';
import { formatUsage, judge, meterOf, OwnMeter, requestCeiling } from './calibrate.ts';
import { command, type Outcome } from './command.ts';
import { formatMiB, formatShare } from './usage-meter.ts';

const CREATE_SECONDS_MAX = 300;
/** Work that creation left behind is no part of what idle worlds cost. */
const CALM_MS = 3000;

const options = {
  numbers: {
    count: { fallback: 10_000, min: 1, max: 2_000_000, help: 'worlds to make' },
    connections: { fallback: 64, min: 1, max: 1000, help: 'connections, each with one request' },
    rate: {
      fallback: 0,
      min: 0,
      max: 100_000,
      help: 'then worlds a second; 0: half of the ceiling',
    },
    seconds: { fallback: 10, min: 1, max: 600, help: 'how long at that rate' },
    idle: {
      fallback: 0,
      min: 0,
      max: 3600,
      help: 'then seconds to watch the server doing nothing',
    },
  },
} as const;

type Chosen = Options<typeof options>;

/** How fast worlds are made, how long one takes, and what they cost when nobody watches. */
export const worlds = command({
  summary: 'make worlds: ceiling, latency at a fixed rate, cost of idle ones',
  options,
  measures: [
    {
      name: 'worlds made, as fast as it goes',
      path: 'closed.okPerS',
      unit: '/s',
      better: 'larger',
    },
    { name: 'server CPU, as fast as it goes', path: 'usage.cpuMs', unit: 'ms', better: 'smaller' },
    {
      name: 'median latency at the fixed rate',
      path: 'open.latency.p50Ms',
      unit: 'ms',
      better: 'smaller',
    },
    { name: 'p99 at the fixed rate', path: 'open.latency.p99Ms', unit: 'ms', better: 'smaller' },
    { name: 'idle worlds, of a core', path: 'idle.cpuShare', unit: '', better: 'smaller' },
    { name: 'memory with idle worlds', path: 'idle.rssBytes', unit: 'bytes', better: 'smaller' },
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

  const [own, meter] = [new OwnMeter(), meterOf(server.pid)];
  const width = chosen.connections;
  const seconds = CREATE_SECONDS_MAX;
  const closed = await closedLoop(pool, { ...plan, width, count: chosen.count, seconds });
  const usage = meter?.read();
  const verdict = judge(ceiling, closed.okPerS, own.share());

  const ratePerS = chosen.rate || Math.max(1, Math.round(closed.okPerS / 2));
  const open = await openLoop(pool, { ...plan, ratePerS, seconds: chosen.seconds });
  stopProgress();
  pool.close();
  const idle = chosen.idle > 0 ? await idleUsage(server, chosen.idle) : undefined;
  const rows: Outcome['rows'] = [
    ['creation, as fast as it goes', `${Math.round(closed.okPerS)}/s (${closed.ok} worlds)`],
    ['not made', formatFailures(closed.failed)],
    ['server used', formatUsage(usage)],
    ['load generator', verdict.text],
    [`latency at ${ratePerS}/s`, formatLatencies(open.latency)],
    ['of it late sending', formatLatencies(open.sendDelay)],
    ['not made at that rate', formatFailures(open.failed)],
  ];
  if (idle) {
    rows.push(
      [`${closed.ok + open.ok} idle worlds`, formatShare(idle.cpuShare)],
      ['memory of the server', formatMiB(idle.rssBytes)],
    );
  }
  return { rows, figures: { closed, usage, verdict, ratePerS, open, idle } };
}

async function idleUsage(server: Server, seconds: number) {
  await systemTime.sleep(CALM_MS);
  const meter = meterOf(server.pid);
  const stopProgress = progress(() => `idle, server used ${formatUsage(meter?.read())}`);
  await systemTime.sleep(seconds * 1000);
  stopProgress();
  return meter?.read();
}
