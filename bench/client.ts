/** How fast a world lives in a client, beside the bare kernel that steps the same world, by processor time. */

import { CAR_COUNT, FRAME_TICKS } from '../assembly/layout.ts';
import { LocalWorld } from '../client/src/local-world.ts';
import { packedAssets } from '../client/src/node.ts';
import { CITIES } from '../src/city/catalogue.ts';
import type { NewWorld } from '../src/kernel/kernel.ts';
import { loadKernel, newWorld, stepBy } from './aged-worlds.ts';
import { AGE_TICKS } from './car-ticks.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { processorMs } from './processor.ts';

/** Worlds that are stepped one after the other, in all cities. */
const WORLDS = 6;
const WARM_ROUNDS = 3;
const ROUNDS = 30;
/** 20 s, from an age of 20 s on, as in the bench of the kernel. */
const TICKS = 1000;
const RATIO_MIN = 0.9;

const WAYS = ['kernel', 'visits', 'burst', 'frames'] as const;
type Way = (typeof WAYS)[number];

export async function run(): Promise<Figure[]> {
  const steppers = await Promise.all(
    Array.from({ length: WORLDS }, (_, i) => stepper(newWorld(i, CITIES.length))),
  );
  const spentMs: Record<Way, number> = { kernel: 0, visits: 0, burst: 0, frames: 0 };
  // The ways take turns, so that a drift of the machine affects all.
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    for (const way of WAYS) {
      const ms = steppers.reduce((sum, step) => sum + step(way), 0);
      // The first rounds warm the code.
      if (round >= WARM_ROUNDS) spentMs[way] += ms;
    }
  }
  const perS = (way: Way) => (ROUNDS * WORLDS * TICKS * CAR_COUNT * 1000) / spentMs[way];
  const reference = { name: 'the kernel', value: perS('kernel') };
  const local = (name: string, way: Way, bound?: { atLeast: number }) =>
    compared(name, perS(way), '/s', reference, bound);
  return [
    figure('car-ticks of the kernel, by four ticks', reference.value, '/s'),
    local('car-ticks of a local world, by four ticks', 'visits', { atLeast: RATIO_MIN }),
    local('  in one go', 'burst', { atLeast: RATIO_MIN }),
    local('  with each frame as JSON', 'frames'),
    figure('worlds, one after the other', WORLDS, ''),
  ];
}

/** Steps a world of one age by TICKS in one of the ways; returns the processor time, ms. */
async function stepper(made: NewWorld): Promise<(way: Way) => number> {
  const { kernel } = loadKernel(1);
  const slab = kernel.acquire() ?? 0;
  kernel.create(slab, made);
  stepBy(kernel, slab, AGE_TICKS);
  const image = kernel.image(slab);
  const city = CITIES[made.cityIndex]?.name ?? '';
  const world = await LocalWorld.create({ city, seed: made.seed, assets: packedAssets });
  world.step(AGE_TICKS);
  return (way) => {
    if (way === 'kernel') {
      kernel.restore(slab, image);
      return processorMs(() => {
        for (let tick = 0; tick < TICKS; tick += FRAME_TICKS) stepBy(kernel, slab, FRAME_TICKS);
      });
    }
    const fork = world.fork();
    const ms = processorMs(() => live(fork, way));
    fork.close();
    return ms;
  };
}

function live(world: LocalWorld, way: Way): void {
  if (way === 'burst') world.step(TICKS);
  else {
    for (let tick = 0; tick < TICKS; tick += FRAME_TICKS) {
      world.step(FRAME_TICKS);
      if (way === 'frames') world.frame('json');
    }
  }
}
