/** Nanoseconds a car and tick, over few and many worlds, catching up, and memory a world. */

import { agedWorlds, loadKernel, movingShare } from './aged-worlds.ts';
import { bursts } from './bursts.ts';
import { AGE_TICKS, carTickFigures, carTicks, WORLD_COUNT_MAX, WORLD_COUNTS } from './car-ticks.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { drivingShare } from './kernel-profile.ts';
import { memory } from './memory.ts';
import { stalledCar } from './stalled-car.ts';

const ROUNDS = 7;
/** With sensing, functions and hazards, and without. */
const NS_MAX = 260;
const DRIVING_NS_MAX = 150;
const GROWTH_MAX = 1.25;

export async function run(): Promise<Figure[]> {
  const { kernel, cities } = loadKernel(WORLD_COUNT_MAX);
  const slabs = agedWorlds(kernel, WORLD_COUNT_MAX, AGE_TICKS, cities.tables.length);
  const images = slabs.slice(0, WORLD_COUNTS[1]).map((slab) => kernel.image(slab));
  const moving = movingShare(kernel, slabs);
  const ticks = carTicks(kernel, slabs, images, ROUNDS);
  const [, { ns: hundred }, { ns: many }] = ticks;
  return [
    ...carTickFigures(ticks, { atMost: NS_MAX }),
    figure('  of it driving alone', many * (await drivingShare()), 'ns', {
      atMost: DRIVING_NS_MAX,
    }),
    compared('growth', many, 'ns', { name: '100 worlds', value: hundred }, { atMost: GROWTH_MAX }),
    figure('cars that move at 20 s', moving * 100, '%'),
    figure('cities in turn', cities.tables.length, ''),
    ...stalledCar(kernel, slabs, images),
    ...bursts(kernel, slabs, images),
    ...memory(),
  ];
}
