import { smaller } from '../bench/against/readings.ts';
import { dealerUrlOf } from '../bench/common/dealer-client.ts';
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
import { mannWhitneyZ } from './ranks.ts';

/** Chance exceeds it in one run of a hundred. */
const Z_MAX = 2.576;
const MEDIANS_APART_MAX = 0.05;
const WARM_UP = 20;
/** Names of the demo data; the unknown ones are as long. */
const KNOWN = ['anna', 'erik', 'maria', 'lars', 'sara', 'johan'];
const UNKNOWN = KNOWN.map((name) => `${name.slice(0, -1)}x`);
const PASSWORD = 'not-the-one';
const OF_THE_MOMENT = /^(date|x-request-id):/i;

const options = {
  logins: { fallback: 400, min: 10, max: 100_000, help: 'log-ins of each kind at each door' },
} as const;

type Chosen = Options<typeof options>;

/** Whether an unknown name differs from a wrong password in the answer or in time. */
export const names = command({
  summary: 'log-ins with unknown names and with wrong passwords: do answers or times differ',
  options,
  measures: [smaller('median of a log-in', 'doors.0.knownMedianMs', 'ms')],
  run,
});

/** One way to log in. */
interface Door {
  path: string;
  body(username: string): string;
  headers: Record<string, string>;
}

const json = (path: string, role: string): Door => ({
  path,
  headers: {},
  body: (username) => JSON.stringify({ role, username, password: PASSWORD }),
});

const DOORS: readonly Door[] = [
  {
    path: '/api/token',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: (username) => new URLSearchParams({ username, password: PASSWORD }).toString(),
  },
  json('/api/auth/login', 'customer'),
  json('/api/auth/admin-login', 'admin'),
];

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  const url = dealerUrlOf(server);
  const pool = await HttpPool.open(url, 1);
  let asked = 0;
  const stopProgress = progress(() => `${asked} log-ins`);
  const doors = [];
  for (const door of DOORS) {
    const ask = async (username: string) => {
      const request = formatRequest(url, 'POST', door.path, door.headers, door.body(username));
      const startMs = systemTime.now();
      const answer = await pool.ask(request);
      asked += 1;
      return { answer, ms: systemTime.now() - startMs };
    };
    for (let i = 0; i < WARM_UP; i += 1) await ask('nobody');
    doors.push({ door: door.path, ...(await compare(ask, chosen.logins)) });
  }
  stopProgress();
  pool.close();
  const rows = doors.flatMap((each): Outcome['rows'] => [
    [`${each.door}, answers`, each.areAlike ? 'all the same' : 'THEY DIFFER'],
    ['  times', formatTimes(each)],
  ]);
  return { rows, figures: { logins: chosen.logins, doors } };
}

type Ask = (username: string) => Promise<{ answer: Answer; ms: number }>;

export interface Compared {
  areAlike: boolean;
  /** Distinct answers, without headers that differ anyway. */
  looks: string[];
  knownMedianMs: number;
  unknownMedianMs: number;
  z: number;
  isAlikeInTime: boolean;
}

/** Asks with a known and an unknown name in turn, in random order. */
export async function compare(ask: Ask, count: number): Promise<Compared> {
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
  const apart = Math.abs(knownMedianMs / unknownMedianMs - 1);
  return {
    areAlike: looks.size === 1,
    looks: [...looks],
    knownMedianMs,
    unknownMedianMs,
    z,
    isAlikeInTime: Math.abs(z) < Z_MAX && apart <= MEDIANS_APART_MAX,
  };
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
