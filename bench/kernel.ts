/** Nanoseconds a car and tick, over few and many worlds, and how long a world takes to catch up. */
import {
  CAR_COUNT,
  FRAME_TICKS,
  O_CARS,
  OC_STATUS,
  OC_STRIDE,
  STATUS_DRIVING,
} from '../assembly/layout.ts';
import type { Kernel, Slab } from '../src/kernel/kernel.ts';
import { compared, type Figure, figure } from './figures.ts';
import { CAR_TICKS_PER_VISIT, live, livedWorlds, loadKernel } from './lived-worlds.ts';
import { median } from './report.ts';

const WORLD_COUNTS = [1, 100, 5000] as const;
const WORLD_COUNT_MAX = 5000;
/** 20 s: the cars are spread over the city and drive as they always will. */
const AGE_TICKS = 1000;
const ROUNDS = 7;
const VISITS_PER_ROUND = 5000;
/** A lone world is left before it grows much older than the others. */
const VISITS_PER_WORLD_MAX = 250;
const BURSTS = [
  { name: 'burst over 60 s', ticks: 3000, msMax: 15 },
  { name: 'burst over 30 min', ticks: 90_000, msMax: 400 },
] as const;
const BURST_WORLDS = 5;
const NS_MAX = 150;
const GROWTH_MAX = 1.25;

export async function run(): Promise<Figure[]> {
  const { kernel } = loadKernel(WORLD_COUNT_MAX);
  const slabs = livedWorlds(kernel, WORLD_COUNT_MAX, AGE_TICKS);
  const images = slabs.slice(0, WORLD_COUNTS[1]).map((slab) => kernel.image(slab));
  const rounds = new Map<number, number[]>(WORLD_COUNTS.map((count) => [count, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const count of WORLD_COUNTS) {
      rounds.get(count)?.push(carTickNs(kernel, slabs, images, count));
    }
  }
  const nsOf = (count: number) => median(rounds.get(count) ?? []);
  const [lone, hundred, many] = WORLD_COUNTS.map(nsOf) as [number, number, number];
  return [
    figure('a car-tick in 1 world', lone, 'ns'),
    figure('a car-tick in 100 worlds', hundred, 'ns'),
    figure('a car-tick in 5,000 worlds', many, 'ns', { atMost: NS_MAX }),
    compared('growth', many, 'ns', { name: '100 worlds', value: hundred }, { atMost: GROWTH_MAX }),
    figure('cars that drive', drivingShare(kernel, slabs), 'of all'),
    ...bursts(kernel, slabs, images),
  ];
}

/** Visits of four ticks, world after world; groups of `count` worlds until there were enough. */
function carTickNs(
  kernel: Kernel,
  slabs: readonly Slab[],
  images: readonly Uint8Array[],
  count: number,
): number {
  const visitsPerWorld = Math.min(VISITS_PER_WORLD_MAX, VISITS_PER_ROUND / count);
  const groups = VISITS_PER_ROUND / (visitsPerWorld * count);
  let elapsedMs = 0;
  for (let group = 0; group < groups; group += 1) {
    const chosen = slabs.slice(group * count, (group + 1) * count);
    // Worlds that are visited again and again begin at the same age every time.
    if (visitsPerWorld > 1) restoreAll(kernel, chosen, images, group);
    const startMs = performance.now();
    for (let visit = 0; visit < visitsPerWorld; visit += 1) {
      for (const slab of chosen) live(kernel, slab, FRAME_TICKS);
    }
    elapsedMs += performance.now() - startMs;
  }
  return (elapsedMs * 1e6) / (VISITS_PER_ROUND * CAR_TICKS_PER_VISIT);
}

function restoreAll(
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

function drivingShare(kernel: Kernel, slabs: readonly Slab[]): number {
  let driving = 0;
  for (const slab of slabs) {
    const packed = kernel.pack(slab);
    for (let car = 0; car < CAR_COUNT; car += 1) {
      if (packed[O_CARS + car * OC_STRIDE + OC_STATUS] === STATUS_DRIVING) driving += 1;
    }
  }
  return driving / (slabs.length * CAR_COUNT);
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
