import { F_ALL, F_THROTTLE, FRAME_TICKS, O_CARS, OC_SPEED } from '../assembly/layout.ts';
import type { Kernel, Slab } from '../src/kernel/kernel.ts';
import { AGE_TICKS, restoreAll } from './car-ticks.ts';
import { type Figure, figure } from './common/figures.ts';
import { median } from './common/report.ts';
import { age, CAR_TICKS_PER_VISIT } from './lived-worlds.ts';
import { processorMs } from './processor.ts';

const NS_MAX = 350;
/** Worlds whose first car is left to roll out; the others begin as copies of them. */
const LIVED = 300;
const ROUNDS = 7;

/**
 * What a car-tick costs where one car of every world stands in the road without drive, and the
 * others queue behind it or pass it. `images` are of lived worlds of all cities in turn.
 */
export function stalledCar(
  kernel: Kernel,
  slabs: readonly Slab[],
  images: readonly Uint8Array[],
): Figure[] {
  const lived = slabs.slice(0, LIVED);
  restoreAll(kernel, lived, images, 0);
  for (const slab of lived) {
    kernel.apply(slab, kernel.tick(slab) + 1, 0, F_ALL, F_ALL & ~F_THROTTLE);
  }
  age(kernel, lived, AGE_TICKS);
  const stalled = lived.filter((slab) => (kernel.pack(slab)[O_CARS + OC_SPEED] ?? 0) === 0);
  const standing = lived.map((slab) => kernel.image(slab));
  const ns = Array.from({ length: ROUNDS }, (_, round) => {
    restoreAll(kernel, slabs, standing, round);
    const ms = processorMs(() => age(kernel, slabs, FRAME_TICKS));
    return (ms * 1e6) / (slabs.length * CAR_TICKS_PER_VISIT);
  });
  return [
    figure('a car-tick with a car that stalled in every world', median(ns), 'ns', {
      atMost: NS_MAX,
    }),
    figure('worlds in which that car stands', (stalled.length / LIVED) * 100, '%'),
  ];
}
