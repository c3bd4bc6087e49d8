import { TICK_MS } from '../assembly/layout.ts';
import { larger, smaller } from '../bench/against/readings.ts';
import { figure } from '../bench/common/figures.ts';
import { askOnce, formatRequest } from '../bench/common/http-pool.ts';
import { type MadeWorld, makeWorlds } from '../bench/common/made-worlds.ts';
import type { Options } from '../bench/common/options.ts';
import { progress } from '../bench/common/progress.ts';
import type { Server } from '../bench/common/server.ts';
import { CITIES } from '../src/city/catalogue.ts';
import { STREAM_ENCODINGS } from '../src/codec/encoding.ts';
import { systemTime } from '../src/time.ts';
import { frameCeiling, judge } from './calibrate.ts';
import { command, type Outcome } from './command.ts';
import { type Crowd, gather, gatherPatiently } from './crowd.ts';
import { judgedFrames } from './frame-bounds.ts';
import { FRAMES_PER_S, formatGaps } from './frame-tally.ts';
import { watchByLockstep } from './lockstep/lockstep.ts';
import { formatMiB, formatUsage, LoadMeter } from './usage-meter.ts';
import { outcomeOf as outcomeOfVerify, verify } from './verify/verify.ts';

type Chosen = Options<typeof options>;
const MINUTE_TICKS = 60_000 / TICK_MS;
const SETTLE_MS = 3000;
/** Of the frames that are due. */
const CAUGHT_UP_SHARE = 0.9;
/** A machine that is too slow for so many never has them all. */
const CATCH_UP_MS_MAX = 240_000;

const options = {
  worlds: { fallback: 1000, min: 1, max: 20_000, help: 'worlds that are watched' },
  watchers: { fallback: 1, min: 1, max: 20_000, help: 'watchers of each world' },
  seconds: { fallback: 60, min: 1, max: 3600, help: 'duration' },
  slow: {
    fallback: 0,
    min: 0,
    max: 10_000,
    help: 'watchers of the first world that stop reading',
  },
  encoding: {
    fallback: 'json',
    choices: STREAM_ENCODINGS,
    help: 'of the frames; by lockstep clients are told only what changes',
  },
  verify: {
    fallback: false,
    help: 'live the worlds as well, and end if a frame of either encoding differs',
  },
  changes: {
    fallback: 10,
    min: 1,
    max: 10_000,
    help: 'with --verify or lockstep: changes a second, over all worlds',
  },
  behind: {
    fallback: 0,
    min: 0,
    max: 1440,
    help: 'by lockstep: minutes that the worlds have stood; from 60 on the node catches up with them meanwhile',
  },
  join: { fallback: 100, min: 1, max: 10_000, help: 'by lockstep: watchers that join a second' },
  snapshots: {
    fallback: false,
    help: 'by lockstep: then watch the same worlds by snapshots, as many as the node admits',
  },
  seed: { fallback: 1, max: 2 ** 32 - 1, help: 'with --verify: of worlds and changes' },
} as const;

/** Whether every watcher receives 12.5 frames a second, and what a frame costs the server. */
export const watchers = command({
  summary: 'watch worlds: gaps between frames, cost of a delivered frame, slow readers',
  options,
  measures: [
    larger('frames delivered', 'summary.frames', 'frames'),
    smaller('median gap', 'summary.p50Ms', 'ms'),
    smaller('p99 gap', 'summary.p99Ms', 'ms'),
    smaller('server CPU a delivered frame', 'cpuPerFrameUs', 'µs'),
    smaller('busiest thread, of a core', 'usage.busiestThreadShare', ''),
    smaller('memory of the server', 'usage.rssBytes', 'bytes'),
  ],
  run,
});

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  if (chosen.verify) return outcomeOfVerify(await verify(chosen, server));
  if (chosen.encoding !== 'lockstep') return watchFrames(chosen, server);
  const made = await makeWorlds(server.url, chosen.worlds, (i) => standing(i, chosen.behind));
  const lived = await watchByLockstep(chosen, server, made);
  if (!chosen.snapshots) return lived;
  const shown = await watchBySnapshots(chosen, server, made);
  return {
    rows: [...lived.rows, ...rowsOfSnapshots(shown)],
    judged: lived.judged ?? [],
    figures: { ...lived.figures, snapshots: shown },
  };
}

/** A world that was made so many minutes ago, and that nobody has asked anything of since. */
function standing(i: number, minutes: number): object {
  const city = CITIES[i % CITIES.length]?.name ?? '';
  return { journal: { seed: i, city, tick: minutes * MINUTE_TICKS, changes: [] } };
}

/** What the same worlds cost if the node lives them: each with one watcher, as many as it admits. */
async function watchBySnapshots({ seconds }: Chosen, server: Server, made: readonly MadeWorld[]) {
  const paths = made.map(({ id }) => `/ws/worlds/${id}?encoding=json`);
  const { crowd, refused } = await gatherPatiently(server.url, paths);
  const admitted = crowd.sockets.length;
  await caughtUp(crowd);
  const measured = await measure(crowd, seconds, server.pid);
  const streams = openCount(crowd);
  crowd.close();
  return { admitted, streams, refused, ...measured };
}

/** A node closes streams that it cannot serve in time after all. */
function openCount({ tally, sockets }: Crowd): number {
  const closed = Object.values(tally.summary().closed);
  return sockets.length - closed.reduce((sum, count) => sum + count, 0);
}

/** Waits until worlds that nobody had stepped are at the present: then each stream has its frames. */
async function caughtUp(crowd: Crowd): Promise<void> {
  const { tally } = crowd;
  const each = CAUGHT_UP_SHARE * FRAMES_PER_S * (SETTLE_MS / 1000);
  const endMs = systemTime.now() + CATCH_UP_MS_MAX;
  do {
    tally.record();
    await systemTime.sleep(SETTLE_MS);
  } while (tally.summary().frames < each * openCount(crowd) && systemTime.now() < endMs);
}

function rowsOfSnapshots(shown: Awaited<ReturnType<typeof watchBySnapshots>>): Outcome['rows'] {
  const { admitted, streams, summary, usage, cpuPerFrameUs, refused } = shown;
  const perStream = usage && (usage.cpuShare / streams) * 1e6;
  const bytes = summary.bytes / (((usage?.wallMs ?? 0) / 1000) * streams);
  return [
    ['by snapshots: admitted, refused', `${admitted}, ${JSON.stringify(refused)}`],
    ['  streams closed with', JSON.stringify(summary.closed)],
    ['  server used', formatUsage(usage)],
    ['  a second and world', perStream ? `${perStream.toFixed(0)} µs` : 'unknown'],
    ['  per delivered frame', cpuPerFrameUs ? `${cpuPerFrameUs.toFixed(1)} µs` : 'unknown'],
    ['  bytes a second and watcher', usage ? String(Math.round(bytes)) : 'unknown'],
    ['  gaps', formatGaps(summary)],
  ];
}

async function watchFrames(chosen: Chosen, server: Server): Promise<Outcome> {
  const watcherCount = chosen.worlds * chosen.watchers;
  const made = await makeWorlds(server.url, chosen.worlds);
  const bytes = await frameBytes(server.url, made[0]?.id ?? '', chosen.encoding);
  const ceiling = await frameCeiling(watcherCount, bytes);
  const paths = made.map(({ id }) => `/ws/worlds/${id}?encoding=${chosen.encoding}`);
  const each = paths.flatMap((path) => Array<string>(chosen.watchers).fill(path));
  const slowEach = Array<string>(chosen.slow).fill(paths[0] ?? '');
  const came = await gatherPatiently(server.url, each);
  const { crowd: healthy, lateCount, refused } = came;
  const slow = await gather(server.url, slowEach);
  for (const socket of slow.sockets) socket.pause();
  await systemTime.sleep(SETTLE_MS);

  const measured = await measure(healthy, chosen.seconds, server.pid);
  const slowClosed = await closeCodesOfSlow(slow);
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
  if (lateCount > 0) rows.push(['admitted after a retry', String(lateCount)]);
  if (Object.keys(refused).length > 0) {
    const lines = Object.entries(refused).map(([line, n]) => `${n} × ${line}`);
    rows.push(['upgrades refused', lines.join(', ')]);
  }
  if (chosen.slow > 0) {
    rows.push(
      ['memory of the server over time', measured.rssBytes.map(formatMiB).join(', ')],
      [`${chosen.slow} slow watchers, closed with`, JSON.stringify(slowClosed)],
    );
  }
  const reference = ceiling.gaps;
  const all = { atLeast: watcherCount, isScaled: true };
  const judged = [
    figure('streams that were open to the end', summary.streams, 'streams', all),
    ...judgedFrames(summary, reference.p99Ms),
  ];
  return {
    rows,
    judged,
    figures: { ...measured, expected, verdict, reference, slowClosed, lateCount, refused, judged },
  };
}

/** Bytes of a snapshot: the calibration sends frames of that length. */
async function frameBytes(url: URL, worldId: string, encoding: string): Promise<number> {
  const headers = { Accept: `application/${encoding}` };
  const path = `/api/v1/worlds/${worldId}/state`;
  const answer = await askOnce(url, formatRequest(url, 'GET', path, headers));
  return answer.body.length;
}

async function measure(crowd: Crowd, seconds: number, pid: number | undefined) {
  const meter = new LoadMeter({ pid });
  /** Memory of the server, every five seconds. */
  const rssBytes = [meter.server()?.rssBytes ?? []].flat();
  crowd.tally.record();
  const stopProgress = progress((elapsedS) => {
    const usage = meter.server();
    if (usage) rssBytes.push(usage.rssBytes);
    const { frames } = crowd.tally.summary();
    const perWatcher = frames / crowd.sockets.length / Math.max(1, elapsedS);
    const rate = `${frames} frames, ${perWatcher.toFixed(2)} a second for each watcher`;
    return `${rate}, server used ${formatUsage(usage)}`;
  });
  await systemTime.sleep(seconds * 1000);
  stopProgress();
  const usage = meter.server();
  const ownShare = meter.ownShare();
  const summary = crowd.tally.summary();
  const cpuPerFrameUs = usage && (usage.cpuMs * 1000) / Math.max(1, summary.frames);
  return { summary, usage, cpuPerFrameUs, ownShare, rssBytes };
}

type Measured = Awaited<ReturnType<typeof measure>>;

function rowsOf({ summary, usage, cpuPerFrameUs }: Measured, expected: number): Outcome['rows'] {
  const share = ((summary.frames / expected) * 100).toFixed(2);
  return [
    ['frames delivered', `${summary.frames} of ${expected} (${share} %)`],
    ['bytes a frame', String(Math.round(summary.bytes / Math.max(1, summary.frames)))],
    ['missed, out of order', `${summary.missed}, ${summary.disordered}`],
    ['streams closed with', JSON.stringify(summary.closed)],
    ['gaps', formatGaps(summary)],
    ['server used', formatUsage(usage)],
    [
      'server CPU per delivered frame',
      cpuPerFrameUs ? `${cpuPerFrameUs.toFixed(1)} µs` : 'unknown',
    ],
  ];
}

/** Slow watchers see the close code only when they read again. */
async function closeCodesOfSlow(slow: Crowd): Promise<Record<string, number>> {
  for (const socket of slow.sockets) socket.resume();
  if (slow.sockets.length > 0) await systemTime.sleep(SETTLE_MS);
  return slow.tally.summary().closed;
}
