/** Nanoseconds a car and tick, over few and many worlds, and how long a world takes to catch up. */
import type { Kernel, Slab } from '../src/kernel/kernel.ts';
import { AGE_TICKS, carTicks, restoreAll, WORLD_COUNT_MAX, WORLD_COUNTS } from './car-ticks.ts';
import { compared, type Figure, figure } from './figures.ts';
import { live, livedWorlds, loadKernel, movingShare } from './lived-worlds.ts';
import { median } from './report.ts';

const ROUNDS = 7;
const BURSTS = [
  { name: 'burst over 60 s', ticks: 3000, msMax: 15 },
  { name: 'burst over 30 min', ticks: 90_000, msMax: 400 },
] as const;
const BURST_WORLDS = 5;
const NS_MAX = 150;
const GROWTH_MAX = 1.25;

export async function run(): Promise<Figure[]> {
  const { kernel, cities } = loadKernel(WORLD_COUNT_MAX);
  const slabs = livedWorlds(kernel, WORLD_COUNT_MAX, AGE_TICKS, cities.tables.length);
  const images = slabs.slice(0, WORLD_COUNTS[1]).map((slab) => kernel.image(slab));
  const moving = movingShare(kernel, slabs);
  const [lone, hundred, many] = carTicks(kernel, slabs, images, ROUNDS).map(({ ns }) => ns) as [
    number,
    number,
    number,
  ];
  return [
    figure('a car-tick in 1 world', lone, 'ns'),
    figure('a car-tick in 100 worlds', hundred, 'ns'),
    figure('a car-tick in 5,000 worlds', many, 'ns', { atMost: NS_MAX }),
    compared('growth', many, 'ns', { name: '100 worlds', value: hundred }, { atMost: GROWTH_MAX }),
    figure('cars that move', moving, 'of all'),
    ...bursts(kernel, slabs, images),
  ];
}

function bursts(kernel: Kernel, slabs: readonly Slab[], images: readonly Uint8Array[]): Figure[] {
  return BURSTS.map(({ name, ticks, msMax }) => {
    const chosen = slabs.slice(0, BURST_WORLDS);
    restoreAll(kernel, chosen, images, 0);
    const times = chosen.map((slab) => {
      const startMs = performance.now();
      live(kernel, slab, ticks);
      return performance.now() - startMs;
    });
    return figure(name, median(times), 'ms', { atMost: msMax });
  });
}
