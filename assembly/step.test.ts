import { describe, expect, it } from 'vitest';
import type { Kernel, Slab } from '../src/kernel/kernel.ts';
import { cities, makeKernel, makeWorld } from '../src/testing/rigs/kernel.ts';
import { CITY_BASE, F_ALL, SCRATCH } from './layout.ts';

const TICKS = 6000;

/** Steps a world tick by tick, some of its cars without some features; its hash every 10 s. */
function hashesOf(kernel: Kernel, slab: Slab, between: () => void): string[] {
  for (let car = 0; car < 20; car += 3) {
    kernel.apply(slab, 1, car, F_ALL, F_ALL & ~(1 << (car % 12)) & ~(1 << ((car * 5) % 12)));
  }
  const hashes: string[] = [];
  for (let tick = 1; tick <= TICKS; tick++) {
    between();
    kernel.step(slab, 1);
    if (tick % 500 === 0) hashes.push(kernel.hash(slab).toString(16));
  }
  return hashes;
}

describe('what a tick leaves in scratch memory', () => {
  const kernel = makeKernel(1);

  it.each(cities.cities.map(({ name }, index) => [name, index] as const))(
    'means nothing to the next, in %s',
    (_, city) => {
      for (const seed of [7, 8]) {
        const clean = makeWorld(kernel, seed, city);
        const expected = hashesOf(kernel, clean, () => {});
        kernel.release(clean);
        const slab = makeWorld(kernel, seed, city);
        const { buffer } = kernel.view(slab).f64;
        const scratch = new Uint8Array(buffer, SCRATCH, CITY_BASE - SCRATCH);
        // Another value at each scan: as f64 these are 0, 32.5, −32.5 and no number at all.
        let tick = 0;
        const spoil = () => scratch.fill([0, 0x40, 0xc0, 0xff][Math.floor(++tick / 4) % 4] ?? 0);
        expect([seed, hashesOf(kernel, slab, spoil)]).toEqual([seed, expected]);
        kernel.release(slab);
      }
    },
  );
});
