/** Are the estimates true that addresses pay by? */
import { PRICES_US } from '../../src/http/server/prices.ts';
import { measuredFactor } from '../common/factor.ts';
import { compared, type Figure, figure } from '../common/figures.ts';
import { OF_FUNCTIONS } from './of-functions.ts';
import { pricesOfNode } from './of-node.ts';
import { rerunTick } from './re-run.ts';

/** An estimate may be off by this factor. */
const OFF_MAX = 2;

type Name = keyof typeof PRICES_US;

export async function run(): Promise<Figure[]> {
  const measured: Partial<Record<Name, number>> = await pricesOfNode();
  for (const [name, measure] of Object.entries(OF_FUNCTIONS)) {
    measured[name as Name] = await measure();
  }
  const figures = Object.entries(PRICES_US).flatMap(([name, estimateUs]) => {
    const us = measured[name as Name];
    if (us === undefined) throw new Error(`nothing measures ${name}`);
    return judged(name, us, estimateUs);
  });
  figures.push(...judged('tick of a re-run', await rerunTick(), PRICES_US.tick));
  if (figures.some(({ target }) => target?.met === false)) process.exitCode = 1;
  return figures;
}

/**
 * The estimate is that of the machine that the targets were set on. The factor of this one is that of
 * code that waits for memory: other code is slower by less.
 */
function judged(name: string, us: number, estimateUs: number): Figure[] {
  const here = estimateUs * (measuredFactor()?.factor ?? 1);
  const off = Math.max(us / Math.max(here, estimateUs), Math.min(here, estimateUs) / us, 1);
  return [
    compared(name, us, 'µs', { name: 'estimate × factor', value: here }),
    figure(`${name}, off by`, off, '×', { atMost: OFF_MAX }),
  ];
}
