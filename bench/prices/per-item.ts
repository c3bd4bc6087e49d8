import { median } from '../common/report.ts';

const ROUNDS = 7;

/** Processor time of the process so far, µs. */
type Meter = () => number | Promise<number>;

/** Of this process, with all its threads. */
function ownUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Median µs of processor time of one item of some work, over several rounds after a first one. */
export async function usPerItem(
  items: number,
  work: () => unknown,
  meter: Meter = ownUs,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = await meter();
    await work();
    times.push(((await meter()) - before) / items);
  }
  return median(times.slice(1));
}
