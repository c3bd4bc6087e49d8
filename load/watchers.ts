import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { formatMs } from '../bench/common/latencies.ts';
import { makeWorlds } from '../bench/common/made-worlds.ts';
import type { Options } from '../bench/common/options.ts';
import { progress } from '../bench/common/progress.ts';
import type { Server } from '../bench/common/server.ts';
import { systemTime } from '../src/time.ts';
import { formatUsage, frameCeiling, judge, meterOf, OwnMeter } from './calibrate.ts';
import { command, type Outcome } from './command.ts';
import { type Crowd, gather, gatherPatiently } from './crowd.ts';
import { formatMiB, type Usage } from './usage-meter.ts';
import { closeCodes, summarise, type Watcher, type WatchersSummary } from './watcher.ts';

const FRAMES_PER_S = 12.5;

type Chosen = Options<typeof options>;
const SETTLE_MS = 3000;

const options = {
  numbers: {
    worlds: { fallback: 1000, min: 1, max: 20_000, help: 'worlds that are watched' },
    watchers: { fallback: 1, min: 1, max: 20_000, help: 'watchers of each' },
    seconds: { fallback: 60, min: 1, max: 3600, help: 'how long' },
    slow: {
      fallback: 0,
      min: 0,
      max: 10_000,
      help: 'readers of the first world that take nothing',
    },
  },
  words: {
    encoding: { fallback: 'json', choices: ['json', 'msgpack'], help: 'of the frames' },
  },
} as const;

/** Whether every watcher gets its 12.5 frames a second, and what a frame costs the server. */
export const watchers = command({
  summary: 'watch worlds: gaps between frames, cost of a delivered frame, slow readers',
  options,
  measures: [
    { name: 'frames delivered', path: 'summary.frames', unit: 'frames', better: 'larger' },
    { name: 'median gap', path: 'summary.p50Ms', unit: 'ms', better: 'smaller' },
    { name: 'p99 gap', path: 'summary.p99Ms', unit: 'ms', better: 'smaller' },
    { name: 'server CPU a delivered frame', path: 'cpuPerFrameUs', unit: 'µs', better: 'smaller' },
    {
      name: 'busiest thread, of a core',
      path: 'usage.busiestThreadShare',
      unit: '',
      better: 'smaller',
    },
    { name: 'memory of the server', path: 'usage.rssBytes', unit: 'bytes', better: 'smaller' },
  ],
  run,
});

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  const watcherCount = chosen.worlds * chosen.watchers;
  const made = await makeWorlds(server.url, chosen.worlds);
  const bytes = await frameBytes(server.url, made[0]?.id ?? '', chosen.encoding);
  const ceiling = await frameCeiling(watcherCount, bytes);
  const paths = made.map(({ id }) => `/ws/worlds/${id}?encoding=${chosen.encoding}`);
  const each = paths.flatMap((path) => Array<string>(chosen.watchers).fill(path));
  const slowEach = Array<string>(chosen.slow).fill(paths[0] ?? '');
  const came = await gatherPatiently(server.url, each, chosen.seconds);
  const { crowd: healthy, lateCount, refused } = came;
  const slow = await gather(server.url, slowEach, chosen.seconds);
  for (const socket of slow.sockets) socket.pause();
  await systemTime.sleep(SETTLE_MS);

  const measured = await measure(healthy, chosen.seconds, server.pid);
  const slowClosed = await wake(slow);
  healthy.close();
  slow.close();
  const { summary, ownShare } = measured;
  const verdict = judge(ceiling, summary.frames / chosen.seconds, ownShare);
  const expected = watcherCount * chosen.seconds * FRAMES_PER_S;
  const rows = rowsOf(measured, expected);
  rows.push(
    ['load generator', verdict.text],
    ['gaps from an empty server', formatGaps(ceiling.gaps)],
  );
  if (lateCount > 0) rows.push(['let in when they came again', String(lateCount)]);
  if (Object.keys(refused).length > 0) {
    const lines = Object.entries(refused).map(([line, n]) => `${n} × ${line}`);
    rows.push(['upgrades refused', lines.join(', ')]);
  }
  if (chosen.slow > 0) {
    rows.push(
      ['memory of the server over time', measured.rssBytes.map(formatMiB).join(', ')],
      [`${chosen.slow} slow readers, closed with`, JSON.stringify(slowClosed)],
    );
  }
  const reference = ceiling.gaps;
  return {
    rows,
    figures: { ...measured, expected, verdict, reference, slowClosed, lateCount, refused },
  };
}

/** How long a snapshot is: the calibration's frames are as long. */
async function frameBytes(url: URL, worldId: string, encoding: string): Promise<number> {
  const pool = await HttpPool.open(url, 1);
  const headers = { Accept: `application/${encoding}` };
  const path = `/api/v1/worlds/${worldId}/state`;
  const answer = await pool.ask(formatRequest(url, 'GET', path, headers));
  pool.close();
  return answer.body.length;
}

interface Measured {
  summary: WatchersSummary;
  usage: Usage | undefined;
  cpuPerFrameUs: number | undefined;
  ownShare: number;
  /** Of the server, every five seconds. */
  rssBytes: number[];
}

async function measure(crowd: Crowd, seconds: number, pid: number | undefined): Promise<Measured> {
  const [own, meter] = [new OwnMeter(), meterOf(pid)];
  const rssBytes = meter ? [meter.read().rssBytes] : [];
  crowd.record();
  const stopProgress = progress((elapsedS) => {
    const usage = meter?.read();
    if (usage) rssBytes.push(usage.rssBytes);
    return progressLine(crowd.watchers, elapsedS, usage);
  });
  await systemTime.sleep(seconds * 1000);
  stopProgress();
  const usage = meter?.read();
  const ownShare = own.share();
  const summary = summarise(crowd.watchers);
  const cpuPerFrameUs = usage && (usage.cpuMs * 1000) / Math.max(1, summary.frames);
  return { summary, usage, cpuPerFrameUs, ownShare, rssBytes };
}

function rowsOf({ summary, usage, cpuPerFrameUs }: Measured, expected: number): Outcome['rows'] {
  const { p99OfMedianWatcherMs, p99OfWorstWatcherMs } = summary;
  const share = ((summary.frames / expected) * 100).toFixed(2);
  return [
    ['frames delivered', `${summary.frames} of ${expected} (${share} %)`],
    ['bytes a frame', String(Math.round(summary.bytes / Math.max(1, summary.frames)))],
    ['missed, out of order', `${summary.missed}, ${summary.disordered}`],
    ['streams closed with', JSON.stringify(summary.closed)],
    ['gaps', formatGaps(summary)],
    [
      'p99 of a watcher',
      `median ${formatMs(p99OfMedianWatcherMs)}, worst ${formatMs(p99OfWorstWatcherMs)}`,
    ],
    ['server used', formatUsage(usage)],
    [
      'server CPU per delivered frame',
      cpuPerFrameUs ? `${cpuPerFrameUs.toFixed(1)} µs` : 'unknown',
    ],
  ];
}

function formatGaps({ p50Ms, p99Ms, maxMs }: WatchersSummary): string {
  return `p50 ${formatMs(p50Ms)}, p99 ${formatMs(p99Ms)}, max ${formatMs(maxMs)}`;
}

/** Slow readers learn how their stream ended only when they read again. */
async function wake(slow: Crowd): Promise<Record<string, number>> {
  for (const socket of slow.sockets) socket.resume();
  if (slow.sockets.length > 0) await systemTime.sleep(SETTLE_MS);
  return closeCodes(slow.watchers);
}

function progressLine(
  crowd: readonly Watcher[],
  seconds: number,
  usage: Usage | undefined,
): string {
  const frames = crowd.reduce((total, watcher) => total + watcher.frames, 0);
  const perWatcher = frames / crowd.length / Math.max(1, seconds);
  const rate = `${frames} frames, ${perWatcher.toFixed(2)} a second and watcher`;
  return `${rate}, server used ${formatUsage(usage)}`;
}
