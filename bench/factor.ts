/** How much slower this machine is than the one that the targets were set on. */
import { carTickNsOf } from './against/car-tick-of.ts';
import { commitOf, keptTree } from './against/kept-tree.ts';
import { carTickIn, WORLD_COUNT_MAX } from './car-ticks.ts';
import { FACTOR_COMMIT, keepFactor } from './common/factor.ts';
import { type Figure, figure } from './common/figures.ts';
import { median } from './common/report.ts';

const RUNS = 3;

export async function run(): Promise<Figure[]> {
  const folder = await keptTree(commitOf(FACTOR_COMMIT));
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    times.push(await carTickNsOf(folder));
  }
  const { factor, carTickNs } = keepFactor(median(times));
  return [
    figure(`${carTickIn(WORLD_COUNT_MAX)}, commit ${FACTOR_COMMIT}`, carTickNs, 'ns'),
    figure('machine factor', factor, '×'),
  ];
}
