/** The first figures of the kernel bench in a few seconds, for work on the kernel. */

import { agedWorlds, createWorlds, loadKernel, movingShare } from './aged-worlds.ts';
import { AGE_TICKS, carTickFigures, carTicks, restoreAll, WORLD_COUNT_MAX } from './car-ticks.ts';
import { type Figure, figure } from './common/figures.ts';

/** The other worlds start as copies of these, too far apart for branch predictors to learn. */
const AGED = 500;
const ROUNDS = 7;

export async function run(): Promise<Figure[]> {
  const { kernel, cities } = loadKernel(WORLD_COUNT_MAX);
  const cityCount = cities.tables.length;
  const aged = agedWorlds(kernel, AGED, AGE_TICKS, cityCount);
  const images = aged.map((slab) => kernel.image(slab));
  const slabs = [...aged, ...createWorlds(kernel, WORLD_COUNT_MAX - AGED, cityCount)];
  restoreAll(kernel, slabs, images, 0);
  const moving = movingShare(kernel, slabs);
  const ticks = carTicks(kernel, slabs, images, ROUNDS);
  const [, hundred, many] = ticks;
  return [
    ...carTickFigures(ticks),
    figure('growth from 100 to 5,000', (many.processorNs / hundred.processorNs - 1) * 100, '%'),
    figure('cars that move at 20 s', moving * 100, '%'),
    figure('cities in turn', cityCount, ''),
  ];
}
