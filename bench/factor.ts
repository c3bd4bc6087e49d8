/** How much slower this machine is than the one that the targets were set on. */
import { commitOf, keptTree } from './against/kept-tree.ts';
import { ask } from './against/npm-run.ts';
import { benchReadings } from './against/readings.ts';
import { carTickIn, WORLD_COUNT_MAX } from './car-ticks.ts';
import { FACTOR_COMMIT, keepFactor } from './common/factor.ts';
import { type Figure, figure } from './common/figures.ts';
import { median } from './common/report.ts';

const RUNS = 3;

export async function run(): Promise<Figure[]> {
  const folder = await keptTree(commitOf(FACTOR_COMMIT));
  const name = carTickIn(WORLD_COUNT_MAX);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const output = await ask(folder, { script: 'bench', name: 'kernel', args: ['--quick'] });
    const readings = benchReadings(output);
    // The row below the name: processor time, which a busy machine spoils less.
    const reading = readings[readings.findIndex((each) => each.name === name) + 1];
    if (reading?.unit !== 'ns') throw new Error(`${FACTOR_COMMIT} printed no "${name}"`);
    times.push(reading.value);
  }
  const { factor, carTickNs } = keepFactor(median(times));
  return [
    figure(`${name}, commit ${FACTOR_COMMIT}`, carTickNs, 'ns'),
    figure('machine factor', factor, '×'),
  ];
}
