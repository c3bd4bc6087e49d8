import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { formatLatencies } from '../bench/common/latencies.ts';
import { formatFailures, openLoop } from '../bench/common/loops.ts';
import { makeWorlds } from '../bench/common/made-worlds.ts';
import type { Options } from '../bench/common/options.ts';
import { progress } from '../bench/common/progress.ts';
import type { Answer } from '../bench/common/response-parser.ts';
import type { Server } from '../bench/common/server.ts';
import { formatUsage, judge, meterOf, OwnMeter, requestCeiling } from './calibrate.ts';
import { command, type Outcome } from './command.ts';

const CARS_PER_WORLD = 20;
const FEATURE = 'aeb';

const options = {
  numbers: {
    rate: { fallback: 2000, min: 1, max: 200_000, help: 'changes a second' },
    vins: { fallback: 1000, min: 1, max: 200_000, help: 'cars that are changed in turn' },
    connections: { fallback: 64, min: 1, max: 1000, help: 'connections' },
    seconds: { fallback: 20, min: 1, max: 3600, help: 'how long' },
  },
  flags: { verify: 'read every car back and compare with what was acknowledged' },
} as const;

type Chosen = Options<typeof options>;

/** How long a durable change of a feature takes at a given rate. */
export const changes = command({
  summary: 'change features at a fixed rate',
  options,
  measures: [
    { name: 'changes acknowledged', path: 'result.okPerS', unit: '/s', better: 'larger' },
    { name: 'median latency', path: 'result.latency.p50Ms', unit: 'ms', better: 'smaller' },
    { name: 'p99 latency', path: 'result.latency.p99Ms', unit: 'ms', better: 'smaller' },
    { name: 'server CPU, of a core', path: 'usage.cpuShare', unit: '', better: 'smaller' },
  ],
  run,
});

/** What one car was told. */
export interface Car {
  vin: string;
  /** The value of the last change that was acknowledged. */
  acknowledged: boolean | undefined;
  underWay: number;
  /** Two changes were under way at once, or one went unanswered: its value cannot be foretold. */
  uncertain: boolean;
}

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  const ceiling = await requestCeiling(chosen.connections);
  const made = await makeWorlds(server.url, Math.ceil(chosen.vins / CARS_PER_WORLD));
  const vins = made.flatMap((world) => world.vins).slice(0, chosen.vins);
  const cars = vins.map(
    (vin): Car => ({ vin, acknowledged: undefined, underWay: 0, uncertain: false }),
  );
  const pool = await HttpPool.open(server.url, chosen.connections);
  const plan = planOf(server.url, cars);
  const stopProgress = progress(() => `${plan.answeredCount()} changes answered`);
  const [own, meter] = [new OwnMeter(), meterOf(server.pid)];
  const result = await openLoop(pool, {
    ...plan,
    ratePerS: chosen.rate,
    seconds: chosen.seconds,
  });
  stopProgress();
  const usage = meter?.read();
  const verdict = judge(ceiling, result.okPerS, own.share());
  const verified = chosen.verify ? await readBack(server.url, pool, cars) : undefined;
  pool.close();
  const rows: Outcome['rows'] = [
    ['changes acknowledged', `${Math.round(result.okPerS)}/s of ${chosen.rate}/s intended`],
    ['latency', formatLatencies(result.latency)],
    ['of it late sending', formatLatencies(result.sendDelay)],
    ['failed', formatFailures(result.failed)],
    ['server used', formatUsage(usage)],
    ['load generator', verdict.text],
  ];
  if (verified) rows.push(['read back', formatVerified(verified)]);
  return { rows, figures: { result, usage, verdict, verified } };
}

/** Every car in turn, off in one round and on in the next, so that each change changes something. */
function planOf(url: URL, cars: Car[]) {
  const bodies = [JSON.stringify({ [FEATURE]: false }), JSON.stringify({ [FEATURE]: true })];
  const carOf = (index: number) => cars[index % cars.length] as Car;
  const enabledAt = (index: number) => Math.floor(index / cars.length) % 2 === 1;
  let answeredCount = 0;
  return {
    answeredCount: () => answeredCount,
    request: (index: number) => {
      const car = carOf(index);
      car.underWay += 1;
      if (car.underWay > 1) car.uncertain = true;
      const headers = { 'X-VIN': car.vin };
      return formatRequest(
        url,
        'PATCH',
        '/api/v1/vehicle/features',
        headers,
        bodies[Number(enabledAt(index))],
      );
    },
    answered: (index: number, answer: Answer | undefined) => {
      answeredCount += 1;
      note(carOf(index), enabledAt(index), answer);
    },
  };
}

/** A refused change changed nothing; one without an answer may have. */
export function note(car: Car, value: boolean, answer: Answer | undefined): void {
  car.underWay -= 1;
  if (!answer || answer.status >= 500) car.uncertain = true;
  else if (answer.status < 400) car.acknowledged = value;
}

export interface Verified {
  right: number;
  wrong: number;
  /** Cars of which nothing was acknowledged, or not in a known order. */
  skipped: number;
}

async function readBack(url: URL, pool: HttpPool, cars: readonly Car[]): Promise<Verified> {
  const verified: Verified = { right: 0, wrong: 0, skipped: 0 };
  const checks = cars.map(async (car) => {
    if (car.uncertain || car.underWay > 0 || car.acknowledged === undefined) {
      verified.skipped += 1;
      return;
    }
    const headers = { 'X-VIN': car.vin };
    const answer = await pool.ask(formatRequest(url, 'GET', '/api/v1/vehicle/features', headers));
    const state = JSON.parse(answer.body.toString()) as { declared?: Record<string, boolean> };
    if (state.declared?.[FEATURE] === car.acknowledged) verified.right += 1;
    else verified.wrong += 1;
  });
  await Promise.all(checks);
  return verified;
}

function formatVerified({ right, wrong, skipped }: Verified): string {
  return `${right} cars as acknowledged, ${wrong} NOT, ${skipped} skipped`;
}
