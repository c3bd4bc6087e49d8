import { Bench } from 'tinybench';
import { systemTime } from '../src/time.ts';
import { median } from './common/report.ts';

const ROUNDS = 5;
const ROUND_MS = 200;
const WARM_UP_MS = 50;

/**
 * Median nanoseconds of one call of each function. They take turns, so that a drift of the machine
 * affects all. `callsPerSample` calls are timed together: one may be too short for the clock.
 */
export async function compareNs(
  tasks: Readonly<Record<string, () => void>>,
  callsPerSample: number,
): Promise<Map<string, number>> {
  const rounds = new Map(Object.keys(tasks).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const bench = new Bench({ time: ROUND_MS, warmupTime: WARM_UP_MS, throws: true });
    for (const [name, call] of Object.entries(tasks)) {
      bench.add(name, () => timed(call, callsPerSample), { async: false });
    }
    for (const { name, result } of await bench.run()) {
      if (result.state !== 'completed') throw new Error(`${name} was not measured`);
      rounds.get(name)?.push(result.latency.p50 * 1e6);
    }
  }
  return new Map([...rounds].map(([name, samples]) => [name, median(samples)]));
}

function timed(call: () => void, calls: number) {
  const startMs = systemTime.now();
  for (let i = 0; i < calls; i += 1) call();
  const elapsedMs = systemTime.now() - startMs;
  return { overriddenDuration: elapsedMs / calls, overriddenIterationCost: elapsedMs };
}
