/** The first figures of the kernel bench in a few seconds, for whoever works on the kernel. */
import { AGE_TICKS, carTickIn, carTicks, restoreAll, WORLD_COUNT_MAX } from './car-ticks.ts';
import { type Figure, figure } from './common/figures.ts';
import { createWorlds, livedWorlds, loadKernel, movingShare } from './lived-worlds.ts';

/** So many worlds are lived; the others begin as copies of them, so far apart that nothing is learned. */
const LIVED = 500;
const ROUNDS = 7;

export async function run(): Promise<Figure[]> {
  const { kernel, cities } = loadKernel(WORLD_COUNT_MAX);
  const cityCount = cities.tables.length;
  const lived = livedWorlds(kernel, LIVED, AGE_TICKS, cityCount);
  const images = lived.map((slab) => kernel.image(slab));
  const slabs = [...lived, ...createWorlds(kernel, WORLD_COUNT_MAX - LIVED, cityCount)];
  restoreAll(kernel, slabs, images, 0);
  const moving = movingShare(kernel, slabs);
  const ticks = carTicks(kernel, slabs, images, ROUNDS);
  const [, hundred, many] = ticks;
  return [
    ...ticks.flatMap(({ worlds, ns, processorNs }) => [
      figure(carTickIn(worlds), ns, 'ns'),
      figure('  in processor time', processorNs, 'ns'),
    ]),
    figure('growth from 100 to 5,000', (many.processorNs / hundred.processorNs - 1) * 100, '%'),
    figure('cars that move at 20 s', moving * 100, '%'),
    figure('cities in turn', cityCount, ''),
  ];
}
