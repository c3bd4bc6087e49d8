import { larger, smaller } from '../bench/against/readings.ts';
import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { formatLatencies } from '../bench/common/latencies.ts';
import { formatFailures, openLoop } from '../bench/common/loops.ts';
import { type MadeWorld, makeWorlds } from '../bench/common/made-worlds.ts';
import type { Options } from '../bench/common/options.ts';
import { progress } from '../bench/common/progress.ts';
import type { Answer } from '../bench/common/response-parser.ts';
import type { Server } from '../bench/common/server.ts';
import { judge, requestCeiling } from './calibrate.ts';
import { command, type Outcome } from './command.ts';
import { formatUsage, LoadMeter } from './usage-meter.ts';

const CARS_PER_WORLD = 20;
const FEATURE = 'aeb';
const FEATURES = '/api/v1/vehicle/features';

const options = {
  rate: { fallback: 2000, min: 1, max: 200_000, help: 'changes a second' },
  vins: { fallback: 1000, min: 1, max: 200_000, help: 'cars that are changed in turn' },
  connections: { fallback: 64, min: 1, max: 1000, help: 'connections to the server' },
  seconds: { fallback: 20, min: 1, max: 3600, help: 'duration' },
  verify: { fallback: false, help: 'read every car back and compare with the acknowledged value' },
} as const;

type Chosen = Options<typeof options>;

/** Latency of durable feature changes at a given rate. */
export const changes = command({
  summary: 'change features at a fixed rate',
  options,
  measures: [
    larger('changes acknowledged', 'result.okPerS', '/s'),
    smaller('median latency', 'result.latency.p50Ms', 'ms'),
    smaller('p99 latency', 'result.latency.p99Ms', 'ms'),
    smaller('server CPU, of a core', 'usage.cpuShare', ''),
  ],
  run,
});

/** What is known of the feature of one car. */
export interface Car {
  vin: string;
  /** The value of the last change that was acknowledged. */
  acknowledged: boolean | undefined;
  underWay: number;
  /** Two changes overlapped, or one got no answer: the value cannot be predicted. */
  uncertain: boolean;
}

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  const ceiling = await requestCeiling(chosen.connections);
  const made = await makeWorlds(server.url, Math.ceil(chosen.vins / CARS_PER_WORLD));
  const cars = carsOf(made).slice(0, chosen.vins);
  const pool = await HttpPool.open(server.url, chosen.connections);
  const plan = changesOf(server.url, cars);
  const stopProgress = progress(() => `${plan.answeredCount()} changes answered`);
  const meter = new LoadMeter(server);
  const result = await openLoop(pool, {
    ...plan,
    ratePerS: chosen.rate,
    seconds: chosen.seconds,
  });
  stopProgress();
  const usage = meter.server();
  const verdict = judge(ceiling, result.okPerS, meter.ownShare());
  const verified = chosen.verify ? await readBack(server.url, pool, cars) : undefined;
  pool.close();
  const rows: Outcome['rows'] = [
    ['changes acknowledged', `${Math.round(result.okPerS)}/s of ${chosen.rate}/s intended`],
    ['latency', formatLatencies(result.latency)],
    ['of which sent late by', formatLatencies(result.sendDelay)],
    ['failed', formatFailures(result.failed)],
    ['server used', formatUsage(usage)],
    ['load generator', verdict.text],
  ];
  if (verified) {
    const { right, wrong, skipped } = verified;
    rows.push(['read back', `${right} cars as acknowledged, ${wrong} NOT, ${skipped} not checked`]);
  }
  return { rows, figures: { result, usage, verdict, verified } };
}

/** The cars of worlds, of which nothing is known yet. */
export function carsOf(worlds: readonly MadeWorld[]): Car[] {
  const vins = worlds.flatMap((world) => world.vins);
  return vins.map((vin) => ({ vin, acknowledged: undefined, underWay: 0, uncertain: false }));
}

/** Every car in turn, off in one round and on in the next, so that each request changes something. */
export function changesOf(url: URL, cars: Car[]) {
  const carOf = (index: number) => cars[index % cars.length] as Car;
  const enabledAt = (index: number) => Math.floor(index / cars.length) % 2 === 1;
  let answeredCount = 0;
  return {
    answeredCount: () => answeredCount,
    vinOf: (index: number) => carOf(index).vin,
    request: (index: number) => {
      const car = carOf(index);
      car.underWay += 1;
      if (car.underWay > 1) car.uncertain = true;
      const body = JSON.stringify({ [FEATURE]: enabledAt(index) });
      return formatRequest(url, 'PATCH', FEATURES, { 'X-VIN': car.vin }, body);
    },
    answered: (index: number, answer: Answer | undefined) => {
      answeredCount += 1;
      note(carOf(index), enabledAt(index), answer);
    },
  };
}

/** A refused request changed nothing; one without an answer may have. */
export function note(car: Car, value: boolean, answer: Answer | undefined): void {
  car.underWay -= 1;
  if (!answer || answer.status >= 500) car.uncertain = true;
  else if (answer.status < 400) car.acknowledged = value;
}

/** Counts of cars. */
export interface ReadBack {
  right: number;
  wrong: number;
  /** Their value cannot be predicted. */
  skipped: number;
}

/** Counts cars that have the acknowledged value. */
export async function readBack(url: URL, pool: HttpPool, cars: readonly Car[]): Promise<ReadBack> {
  const verified = { right: 0, wrong: 0, skipped: 0 };
  const checks = cars.map(async (car) => {
    if (car.uncertain || car.underWay > 0 || car.acknowledged === undefined) {
      verified.skipped += 1;
      return;
    }
    const answer = await pool.ask(formatRequest(url, 'GET', FEATURES, { 'X-VIN': car.vin }));
    const state = JSON.parse(answer.body.toString()) as { declared?: Record<string, boolean> };
    if (state.declared?.[FEATURE] === car.acknowledged) verified.right += 1;
    else verified.wrong += 1;
  });
  await Promise.all(checks);
  return verified;
}
