import { FRAME_TICKS } from '../assembly/layout.ts';
import type { Kernel, Slab } from '../src/kernel/kernel.ts';
import { systemTime } from '../src/time.ts';
import { CAR_TICKS_PER_VISIT, stepBy } from './aged-worlds.ts';
import { type Bound, type Figure, figure, formatNumber } from './common/figures.ts';
import { median } from './common/report.ts';
import { processorMs } from './processor.ts';

export const WORLD_COUNTS = [1, 100, 5000] as const;
export const WORLD_COUNT_MAX = 5000;
/** 20 s: the cars are spread over the city. */
export const AGE_TICKS = 1000;
const VISITS_PER_ROUND = 5000;
/** A world alone must not grow much older than the others. */
const VISITS_PER_WORLD_MAX = 250;
const NS_PER_CAR_TICK = 1e6 / (VISITS_PER_ROUND * CAR_TICKS_PER_VISIT);

/** Nanoseconds of a car and tick. */
export interface CarTicks {
  worlds: number;
  /** Median of the rounds. */
  ns: number;
  /** Mean of all rounds in processor time, which a busy machine affects less. */
  processorNs: number;
}

/**
 * Measures each of `WORLD_COUNTS`. The counts take turns, so that a drift of the machine affects all.
 * @param images of aged worlds
 */
export function carTicks(
  kernel: Kernel,
  slabs: readonly Slab[],
  images: readonly Uint8Array[],
  rounds: number,
): [lone: CarTicks, hundred: CarTicks, many: CarTicks] {
  const times = WORLD_COUNTS.map(() => ({ elapsed: [] as number[], processor: 0 }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, time] of times.entries()) {
      const spent = roundOf(kernel, slabs, images, WORLD_COUNTS[i] ?? 1);
      time.elapsed.push(spent.elapsedMs * NS_PER_CAR_TICK);
      time.processor += (spent.processorMs * NS_PER_CAR_TICK) / rounds;
    }
  }
  return times.map(({ elapsed, processor }, i) => ({
    worlds: WORLD_COUNTS[i] ?? 1,
    ns: median(elapsed),
    processorNs: processor,
  })) as [CarTicks, CarTicks, CarTicks];
}

/** Visits of four ticks, world after world, in groups of `count` worlds. */
function roundOf(
  kernel: Kernel,
  slabs: readonly Slab[],
  images: readonly Uint8Array[],
  count: number,
): { elapsedMs: number; processorMs: number } {
  const visitsPerWorld = Math.min(VISITS_PER_WORLD_MAX, VISITS_PER_ROUND / count);
  const groups = VISITS_PER_ROUND / (visitsPerWorld * count);
  const spent = { elapsedMs: 0, processorMs: 0 };
  for (let group = 0; group < groups; group += 1) {
    const chosen = slabs.slice(group * count, (group + 1) * count);
    // Worlds with many visits start at the same age in every round.
    if (visitsPerWorld > 1) restoreAll(kernel, chosen, images, group);
    const startMs = systemTime.now();
    spent.processorMs += processorMs(() => {
      for (let visit = 0; visit < visitsPerWorld; visit += 1) {
        for (const slab of chosen) stepBy(kernel, slab, FRAME_TICKS);
      }
    });
    spent.elapsedMs += systemTime.now() - startMs;
  }
  return spent;
}

/** Puts the images into the slabs, from image `first` on, in turn. */
export function restoreAll(
  kernel: Kernel,
  slabs: readonly Slab[],
  images: readonly Uint8Array[],
  first: number,
): void {
  for (const [i, slab] of slabs.entries()) {
    const image = images[(first + i) % images.length];
    if (image) kernel.restore(slab, image);
  }
}

export function carTickIn(worlds: number): string {
  return worlds === 1 ? 'a car-tick in 1 world' : `a car-tick in ${formatNumber(worlds)} worlds`;
}

/** The figures of each count of worlds; `bound` judges the largest. */
export function carTickFigures(ticks: readonly CarTicks[], bound?: Bound): Figure[] {
  return ticks.flatMap(({ worlds, ns, processorNs }) => [
    figure(carTickIn(worlds), ns, 'ns', worlds === WORLD_COUNT_MAX ? bound : undefined),
    figure('  in processor time', processorNs, 'ns'),
  ]);
}
