import { readFileSync } from 'node:fs';
import { CAR_COUNT, FRAME_TICKS, O_CARS, OC_SPEED, OC_STRIDE } from '../assembly/layout.ts';
import { Kernel, type NewWorld, type Slab } from '../src/kernel/kernel.ts';
import { loadCities } from '../src/load-cities.ts';
import { CAR_TYPES, carTypesOf } from '../src/twin/fleet.ts';

/** The kernel that ships. */
export const SHIPPED = new URL('../build/kernel.wasm', import.meta.url);
const FIRST_SEED = 1000;
const MOVING_CM_PER_S = 10;

/** The cities of the catalogue, and a kernel with `slabCount` slabs. */
export function loadKernel(slabCount: number, wasm: URL | Uint8Array = SHIPPED) {
  const cities = loadCities();
  const kernel = new Kernel({
    module: new WebAssembly.Module(wasm instanceof URL ? readFileSync(wasm) : wasm),
    cityTables: cities.tables,
    carTypes: CAR_TYPES,
    slabCount,
  });
  return { kernel, cities };
}

/** Steps a world by `ticks`; a single step ends at a contact. */
export function stepBy(kernel: Kernel, slab: Slab, ticks: number): void {
  for (let done = 0; done < ticks; ) done += kernel.step(slab, ticks - done);
}

/** World `i` of a bench: the first `cityCount` cities in turn, seed after seed. */
export function newWorld(i: number, cityCount: number): NewWorld {
  const seed = FIRST_SEED + i;
  return { cityIndex: i % cityCount, seed, carTypes: carTypesOf(seed) };
}

export function createWorlds(kernel: Kernel, count: number, cityCount: number): Slab[] {
  return Array.from({ length: count }, (_, i) => {
    const slab = kernel.acquire();
    if (slab === undefined) throw new Error('the kernel has too few slabs');
    kernel.create(slab, newWorld(i, cityCount));
    return slab;
  });
}

/** Steps visit by visit, as a shard does, which warms the compiled code in the same way. */
export function age(kernel: Kernel, slabs: readonly Slab[], ticks: number): void {
  for (let tick = 0; tick < ticks; tick += FRAME_TICKS) {
    for (const slab of slabs) stepBy(kernel, slab, FRAME_TICKS);
  }
}

/** New worlds of one age, by default all in the default city. */
export function agedWorlds(kernel: Kernel, count: number, ageTicks: number, cityCount = 1): Slab[] {
  const slabs = createWorlds(kernel, count, cityCount);
  age(kernel, slabs, ageTicks);
  return slabs;
}

/** Share of the cars above 0.1 m/s; the others wait at lights, lines or in queues. */
export function movingShare(kernel: Kernel, slabs: readonly Slab[]): number {
  let moving = 0;
  for (const slab of slabs) {
    const packed = kernel.pack(slab);
    for (let car = 0; car < CAR_COUNT; car += 1) {
      const speed = packed[O_CARS + car * OC_STRIDE + OC_SPEED] ?? 0;
      if (Math.abs(speed) > MOVING_CM_PER_S) moving += 1;
    }
  }
  return moving / (slabs.length * CAR_COUNT);
}

export const CAR_TICKS_PER_VISIT = FRAME_TICKS * CAR_COUNT;
