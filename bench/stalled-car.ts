import { F_ALL, F_THROTTLE, FRAME_TICKS, O_CARS, OC_SPEED } from '../assembly/layout.ts';
import type { Kernel, Slab } from '../src/kernel/kernel.ts';
import { age, CAR_TICKS_PER_VISIT } from './aged-worlds.ts';
import { AGE_TICKS, restoreAll } from './car-ticks.ts';
import { type Figure, figure } from './common/figures.ts';
import { median } from './common/report.ts';
import { processorMs } from './processor.ts';

const NS_MAX = 350;
/** In these the first car rolls to a halt; the other worlds start as copies of them. */
const AGED = 300;
const ROUNDS = 7;

/**
 * Cost of a car-tick where one car of every world stands in the road without drive, and others queue
 * behind it or pass it. `images`: of aged worlds of all cities in turn.
 */
export function stalledCar(
  kernel: Kernel,
  slabs: readonly Slab[],
  images: readonly Uint8Array[],
): Figure[] {
  const aged = slabs.slice(0, AGED);
  restoreAll(kernel, aged, images, 0);
  for (const slab of aged) {
    kernel.apply(slab, kernel.tick(slab) + 1, 0, F_ALL, F_ALL & ~F_THROTTLE);
  }
  age(kernel, aged, AGE_TICKS);
  const stalled = aged.filter((slab) => (kernel.pack(slab)[O_CARS + OC_SPEED] ?? 0) === 0);
  const standing = aged.map((slab) => kernel.image(slab));
  const ns = Array.from({ length: ROUNDS }, (_, round) => {
    restoreAll(kernel, slabs, standing, round);
    const ms = processorMs(() => age(kernel, slabs, FRAME_TICKS));
    return (ms * 1e6) / (slabs.length * CAR_TICKS_PER_VISIT);
  });
  return [
    figure('a car-tick with a car that stalled in every world', median(ns), 'ns', {
      atMost: NS_MAX,
    }),
    figure('worlds in which that car stands', (stalled.length / AGED) * 100, '%'),
  ];
}
