import { readFileSync } from 'node:fs';
import { CAR_COUNT, FRAME_TICKS } from '../assembly/layout.ts';
import { Kernel, type Slab } from '../src/kernel/kernel.ts';
import { makeCities } from '../src/shard/cities.ts';
import { CAR_TYPES, carTypesOf } from '../src/twin/fleet.ts';

const WASM = new URL('../build/kernel.wasm', import.meta.url);
const FIRST_SEED = 1000;

/** The cities of the catalogue, the release kernel, and so many slabs. */
export function loadKernel(slabCount: number) {
  const cities = makeCities();
  const kernel = new Kernel({
    module: new WebAssembly.Module(readFileSync(WASM)),
    cityTables: cities.tables,
    carTypes: CAR_TYPES,
    slabCount,
  });
  return { kernel, cities };
}

/** Steps a world by so many ticks, contacts or not. */
export function live(kernel: Kernel, slab: Slab, ticks: number): void {
  for (let done = 0; done < ticks; ) done += kernel.step(slab, ticks - done);
}

/** New worlds of the default city, seed after seed, all of the same age. */
export function livedWorlds(kernel: Kernel, count: number, ageTicks: number): Slab[] {
  const slabs = Array.from({ length: count }, (_, i) => {
    const slab = kernel.acquire();
    if (slab === undefined) throw new Error('the kernel has too few slabs');
    const seed = FIRST_SEED + i;
    kernel.create(slab, { cityIndex: 0, seed, carTypes: carTypesOf(seed) });
    return slab;
  });
  // Visit by visit, as a shard does it: the compiled code is warm the way it will be used.
  for (let tick = 0; tick < ageTicks; tick += FRAME_TICKS) {
    for (const slab of slabs) live(kernel, slab, FRAME_TICKS);
  }
  return slabs;
}

export const CAR_TICKS_PER_VISIT = FRAME_TICKS * CAR_COUNT;
