import { larger, smaller } from '../bench/against/readings.ts';
import {
  bearerOf,
  DEMO_ADMIN,
  DEMO_CARS,
  DEMO_CUSTOMER,
  dealerUrlOf,
} from '../bench/common/dealer-client.ts';
import { type Figure, figure } from '../bench/common/figures.ts';
import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { formatLatencies } from '../bench/common/latencies.ts';
import { formatFailures, type LoopResult, openLoop } from '../bench/common/loops.ts';
import { makeWorlds } from '../bench/common/made-worlds.ts';
import type { Options } from '../bench/common/options.ts';
import { progress } from '../bench/common/progress.ts';
import type { Server } from '../bench/common/server.ts';
import { systemTime } from '../src/time.ts';
import { judge, requestCeiling } from './calibrate.ts';
import { command, type Outcome } from './command.ts';
import { gather } from './crowd.ts';
import { judgedFrames } from './frame-bounds.ts';
import { type FrameSummary, formatGaps } from './frame-tally.ts';
import { type Flooded, openFlood, watchHashes } from './login-flood.ts';
import { formatUsage, LoadMeter } from './usage-meter.ts';

const SETTLE_MS = 3000;
/** For the reads of other clients, and as many for their changes. */
const CONNECTIONS = 16;
const CHANGES_PER_S = 20;
const UNDISTURBED_SECONDS = 10;
const HASHED_AT_ONCE_MAX = 2;
const WAITING_MAX = 64;
const OTHERS_P99_MS_MAX = 50;
/** Or so many times what it was before: a busy machine delays both. */
const BEFORE_RATIO_MAX = 1.5;

const options = {
  rate: { fallback: 500, min: 1, max: 20_000, help: 'log-ins a second' },
  seconds: { fallback: 20, min: 1, max: 3600, help: 'duration' },
  worlds: { fallback: 20, min: 1, max: 5000, help: 'worlds that are watched at the same time' },
  reads: { fallback: 200, min: 1, max: 20_000, help: 'other requests a second at the same time' },
} as const;

type Chosen = Options<typeof options>;

/** What a flood of log-ins meets, and what it costs other clients. */
export const logins = command({
  summary:
    'send more log-ins than the node can verify: refusals, password hashes at once, other clients',
  options,
  measures: [
    larger('log-ins verified', 'flooded.verified', 'log-ins'),
    smaller('p99 of a refusal', 'flooded.refusedLatency.p99Ms', 'ms'),
    smaller('p99 of reads meanwhile', 'met.reads.latency.p99Ms', 'ms'),
    smaller('p99 of changes meanwhile', 'met.changes.latency.p99Ms', 'ms'),
    smaller('p99 gap meanwhile', 'met.streams.p99Ms', 'ms'),
  ],
  run,
});

/** What other clients meet: readers, writers and watchers. */
interface Others {
  reads: LoopResult;
  changes: LoopResult;
  streams: FrameSummary;
}

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  const url = dealerUrlOf(server);
  const ceiling = await requestCeiling(CONNECTIONS);
  const worlds = await makeWorlds(server.url, chosen.worlds);
  const paths = worlds.map(({ id }) => `/ws/worlds/${id}`);
  const clients = { url, twinUrl: server.url, paths, readsPerS: chosen.reads };
  const before = await measureOthers({ ...clients, seconds: UNDISTURBED_SECONDS });

  const flood = await openFlood(url, chosen);
  const stopHashes = await watchHashes(server.opsUrl);
  const meter = new LoadMeter(server);
  const stopProgress = progress(() => {
    const { sent, verified, refused } = flood.result();
    return `${sent} log-ins sent, ${verified} verified, ${refused} refused`;
  });
  const met = await measureOthers({ ...clients, seconds: chosen.seconds, beside: flood.run });
  stopProgress();
  const usage = meter.server();
  const hashes = stopHashes();
  const flooded = flood.result();
  flood.close();
  const verdict = judge(ceiling, chosen.rate + chosen.reads + CHANGES_PER_S, meter.ownShare());
  const rows: Outcome['rows'] = [
    ['log-ins sent', `${flooded.sent} at ${chosen.rate}/s`],
    ['verified', `${flooded.verified} (${Math.round(flooded.verified / chosen.seconds)}/s)`],
    ['  within', formatLatencies(flooded.verifiedLatency)],
    [
      'refused with 503 or 429',
      `${flooded.refused}, ${flooded.withoutRetryAfter} WITHOUT Retry-After`,
    ],
    ['  within', formatLatencies(flooded.refusedLatency)],
    ['other answers', formatFailures(flooded.other)],
    ['hashes', hashes ? `at most ${hashes.running} at once, ${hashes.waiting} waiting` : 'unknown'],
    ...rowsOf('before', before),
    ...rowsOf('during', met),
    ['server used', formatUsage(usage)],
    ['load generator', verdict.text],
  ];
  const judged = judgedFlood({ watchers: paths.length, before, met, flooded, hashes });
  return { rows, judged, figures: { before, met, flooded, hashes, usage, verdict, judged } };
}

interface Found {
  watchers: number;
  before: Others;
  met: Others;
  flooded: Pick<Flooded, 'withoutRetryAfter' | 'other'>;
  /** Undefined where nobody could read them. */
  hashes: { running: number; waiting: number } | undefined;
}

/** What a flood may cost the node and its other clients. */
export function judgedFlood({ watchers, before, met, flooded, hashes }: Found): Figure[] {
  const none = { atMost: 0 };
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((a, b) => a + b, 0);
  const p99 = (kind: 'reads' | 'changes') => {
    const usualMs = BEFORE_RATIO_MAX * before[kind].latency.p99Ms;
    return figure(`${kind} of others, p99`, met[kind].latency.p99Ms, 'ms', {
      atMost: Number(Math.max(OTHERS_P99_MS_MAX, usualMs).toPrecision(3)),
    });
  };
  const judged = [
    figure('refused without Retry-After', flooded.withoutRetryAfter, 'log-ins', none),
    figure('neither verified nor refused', sum(flooded.other), 'log-ins', none),
    p99('reads'),
    p99('changes'),
    figure('reads of others that failed', sum(met.reads.failed), '', none),
    figure('changes of others that failed', sum(met.changes.failed), '', none),
    figure('streams that were open to the end', met.streams.streams, '', { atLeast: watchers }),
    ...judgedFrames(met.streams, before.streams.p99Ms),
  ];
  if (hashes === undefined) return judged;
  return [
    ...judged,
    figure('passwords hashed at once', hashes.running, '', { atMost: HASHED_AT_ONCE_MAX }),
    figure('passwords that waited at once', hashes.waiting, '', { atMost: WAITING_MAX }),
  ];
}

interface OtherClients {
  url: URL;
  twinUrl: URL;
  /** Streams. */
  paths: readonly string[];
  readsPerS: number;
  seconds: number;
  /** Runs while they are measured. */
  beside?: () => Promise<unknown>;
}

async function measureOthers(clients: OtherClients): Promise<Others> {
  const { url, twinUrl, paths, readsPerS, seconds, beside } = clients;
  const crowd = await gather(twinUrl, paths);
  const reading = await HttpPool.open(url, CONNECTIONS);
  const changing = await HttpPool.open(url, CONNECTIONS);
  const plans = plansOf(url, await bearerOf(url, DEMO_CUSTOMER), await bearerOf(url, DEMO_ADMIN));
  await systemTime.sleep(SETTLE_MS);
  crowd.tally.record();
  const [reads, changes] = await Promise.all([
    openLoop(reading, { ...plans.reads, ratePerS: readsPerS, seconds }),
    openLoop(changing, { ...plans.changes, ratePerS: CHANGES_PER_S, seconds }),
    beside?.(),
  ]);
  const streams = crowd.tally.summary();
  for (const each of [crowd, reading, changing]) each.close();
  return { reads, changes, streams };
}

type Headers = Record<string, string>;

function plansOf(url: URL, customer: Headers, admin: Headers) {
  const reads = [
    formatRequest(url, 'GET', '/api/auth/me', customer),
    formatRequest(url, 'GET', '/api/dealers'),
    formatRequest(url, 'GET', '/api/cars', admin),
    formatRequest(url, 'GET', '/api/state'),
  ];
  const changes = [false, true].flatMap((locked) =>
    DEMO_CARS.map((vin) => {
      const path = `/api/cars/${vin}/state`;
      return formatRequest(url, 'PATCH', path, admin, JSON.stringify({ locked }));
    }),
  );
  const inTurn = (requests: readonly Buffer[]) => ({
    request: (index: number) => requests[index % requests.length] as Buffer,
  });
  return { reads: inTurn(reads), changes: inTurn(changes) };
}

function rowsOf(when: string, { reads, changes, streams }: Others): Outcome['rows'] {
  return [
    [
      `${when}: reads`,
      `${formatLatencies(reads.latency)}; failed: ${formatFailures(reads.failed)}`,
    ],
    [
      `${when}: durable changes`,
      `${formatLatencies(changes.latency)}; failed: ${formatFailures(changes.failed)}`,
    ],
    [
      `${when}: streams`,
      `${streams.frames} frames, ${streams.missed} missed, gap ${formatGaps(streams)}`,
    ],
  ];
}
