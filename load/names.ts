import { smaller } from '../bench/against/readings.ts';
import { dealerUrlOf } from '../bench/common/dealer-client.ts';
import { type Figure, figure } from '../bench/common/figures.ts';
import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { formatMs } from '../bench/common/latencies.ts';
import type { Options } from '../bench/common/options.ts';
import { progress } from '../bench/common/progress.ts';
import { median } from '../bench/common/report.ts';
import type { Answer } from '../bench/common/response-parser.ts';
import type { Server } from '../bench/common/server.ts';
import { systemRandom } from '../src/random.ts';
import { systemTime } from '../src/time.ts';
import { command, type Outcome } from './command.ts';
import { mannWhitneyZ, medianDeviation } from './ranks.ts';

/** Chance exceeds it at one of the three endpoints in one run of a hundred. */
const Z_MAX = 2.935;
const APART_PERCENT_MAX = 5;
const WARM_UP = 20;
/** Names of the demo data; the unknown ones are as long. */
const KNOWN = ['anna', 'erik', 'maria', 'lars', 'sara', 'johan'];
const UNKNOWN = KNOWN.map((name) => `${name.slice(0, -1)}x`);
const PASSWORD = 'not-the-one';
const JSON_TYPE = 'application/json';
const OF_THE_MOMENT = /^(date|x-request-id):/i;

const options = {
  logins: { fallback: 400, min: 10, max: 100_000, help: 'log-ins of each kind at each endpoint' },
} as const;

type Chosen = Options<typeof options>;

/** Whether an unknown name differs from a wrong password in the answer or in time. */
export const names = command({
  summary: 'compare log-ins with unknown names and with wrong passwords: answers and times',
  options,
  measures: [smaller('median of a log-in', 'endpoints.0.knownMedianMs', 'ms')],
  run,
});

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

const LOGIN_ENDPOINTS = [
  { path: '/api/token', type: 'application/x-www-form-urlencoded', fields: {}, text: form },
  { path: '/api/auth/login', type: JSON_TYPE, fields: { role: 'customer' }, text: JSON.stringify },
  {
    path: '/api/auth/admin-login',
    type: JSON_TYPE,
    fields: { role: 'admin' },
    text: JSON.stringify,
  },
];

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  const url = dealerUrlOf(server);
  const pool = await HttpPool.open(url, 1);
  let asked = 0;
  const stopProgress = progress(() => `${asked} log-ins`);
  const endpoints = [];
  for (const { path, type, fields, text } of LOGIN_ENDPOINTS) {
    const headers = { 'Content-Type': type };
    const ask = async (username: string) => {
      const body = text({ ...fields, username, password: PASSWORD });
      const request = formatRequest(url, 'POST', path, headers, body);
      const startMs = systemTime.now();
      const answer = await pool.ask(request);
      asked += 1;
      return { answer, ms: systemTime.now() - startMs };
    };
    for (let i = 0; i < WARM_UP; i += 1) await ask('nobody');
    endpoints.push({ path, ...(await compare(ask, chosen.logins)) });
  }
  stopProgress();
  pool.close();
  const rows = endpoints.flatMap((each): Outcome['rows'] => [
    [`${each.path}, answers`, each.areAlike ? 'all the same' : 'THEY DIFFER'],
    ['  times', formatTimes(each)],
  ]);
  const judged = endpoints.flatMap((each) => judgedNames(each.path, each));
  return { rows, judged, figures: { logins: chosen.logins, endpoints, judged } };
}

type Ask = (username: string) => Promise<{ answer: Answer; ms: number }>;

/** Asks with a known and an unknown name in turn, in random order. */
export async function compare(ask: Ask, count: number) {
  const looks = new Set<string>();
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  const kinds = ['known', 'unknown'] as const;
  for (let i = 0; i < count; i += 1) {
    const turn = (systemRandom.bytes(1)[0] ?? 0) < 128 ? kinds : kinds.toReversed();
    for (const kind of turn) {
      const from = kind === 'known' ? KNOWN : UNKNOWN;
      const { answer, ms } = await ask(from[i % from.length] ?? '');
      looks.add(lookOf(answer));
      times[kind].push(ms);
    }
  }
  const [knownMedianMs, unknownMedianMs] = [median(times.known), median(times.unknown)];
  const z = mannWhitneyZ(times.known, times.unknown);
  const noiseMs = Math.hypot(medianDeviation(times.known), medianDeviation(times.unknown));
  return {
    areAlike: looks.size === 1,
    /** Distinct answers, without headers that differ anyway. */
    looks: [...looks],
    knownMedianMs,
    unknownMedianMs,
    /** One standard deviation of the difference of the medians. */
    noiseMs,
    z,
    isAlikeInTime: Math.abs(z) < Z_MAX,
  };
}

type Compared = Awaited<ReturnType<typeof compare>>;

/** What nobody may tell a known name from an unknown one by. */
export function judgedNames(
  path: string,
  { looks, knownMedianMs, unknownMedianMs, noiseMs, z }: Compared,
): Figure[] {
  const percent = (ms: number) => (100 * ms) / Math.min(knownMedianMs, unknownMedianMs);
  const apart = percent(Math.abs(knownMedianMs - unknownMedianMs));
  // A short run cannot tell medians apart that are closer.
  const apartMax = Math.max(APART_PERCENT_MAX, Number(percent(Z_MAX * noiseMs).toPrecision(3)));
  return [
    figure(`${path}, answers beside the first`, looks.length - 1, '', { atMost: 0 }),
    figure(`${path}, z of the rank test, without sign`, Math.abs(z), '', { atMost: Z_MAX }),
    figure(`${path}, medians apart`, apart, '%', { atMost: apartMax }),
  ];
}

/** Status line, headers and body. */
export function lookOf({ head, body }: Answer): string {
  const lines = head.split('\r\n').filter((line) => !OF_THE_MOMENT.test(line));
  return [...lines, '', body.toString()].join('\n');
}

function formatTimes({ knownMedianMs, unknownMedianMs, z, isAlikeInTime }: Compared): string {
  const medians = `median ${formatMs(knownMedianMs)} known, ${formatMs(unknownMedianMs)} unknown`;
  const verdict = isAlikeInTime ? 'no difference' : 'THEY DIFFER';
  return `${medians}, z = ${z.toFixed(2)}: ${verdict}`;
}
