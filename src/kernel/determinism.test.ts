import { describe, expect, it } from 'vitest';
import {
  CAR_COUNT,
  F_BRAKES,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  F_STEERING,
  F_TRAFFIC_LIGHT_RECOGNITION,
} from '../../assembly/layout.ts';
import {
  type Build,
  cities,
  makeKernel,
  makeOneWorld,
  makeWorld,
  stepTo,
} from '../testing/rigs/kernel.ts';
import { carTypesOf } from '../twin/fleet.ts';
import type { Kernel, Slab } from './kernel.ts';

const BUILDS: readonly Build[] = ['release', 'scalar', 'debug'];

/** Hash of the world of seed 1 with everything on, by the release build. */
const GOLDEN_TICK = 100_000;
const GOLDEN: Readonly<Record<string, string>> = {
  grid: '4b407bd6becce57a',
  'old-town': 'eb5c2c89cd2d243c',
  'mixed-town': '50359e9b2df24551',
};

const everyCity = cities.cities.map(({ name }, index) => ({ name, index }));
const hex = (kernel: Kernel, slab: Slab): string => kernel.hash(slab).toString(16);

/** Loses features car by car as it goes on, so that some car does without each, and comes to harm. */
function stepCrippled(kernel: Kernel, slab: Slab, tick: number): void {
  const losses = [
    F_BRAKES,
    F_STEERING,
    F_FRONT_CAMERA | F_FRONT_RADAR,
    F_TRAFFIC_LIGHT_RECOGNITION,
  ];
  for (let car = 0; car < CAR_COUNT; car++) {
    const lossTick = 100 + 50 * car;
    if (lossTick > tick || lossTick <= kernel.tick(slab)) continue;
    stepTo(kernel, slab, lossTick - 1);
    kernel.apply(slab, lossTick, car, losses[car % losses.length] ?? 0, 0);
  }
  stepTo(kernel, slab, tick);
}

describe.each(everyCity)('a world in the city $name', ({ name, index }) => {
  it(`[T2] reaches a known state at tick ${GOLDEN_TICK}`, () => {
    const { kernel, slab } = makeOneWorld(1, index);
    stepTo(kernel, slab, GOLDEN_TICK);
    expect(hex(kernel, slab)).toBe(GOLDEN[name]);
  });

  it.each([
    ['all features are on', stepTo, false],
    ['features are off and cars collide', stepCrippled, true],
  ])('steps the same in every build where %s', (_, step, collides) => {
    const worlds = BUILDS.map((build) => {
      const kernel = makeKernel(1, build);
      return { kernel, slab: makeWorld(kernel, 7, index) };
    });
    for (const tick of [1, 100, 600, 1500, 6000]) {
      const hashes = worlds.map(({ kernel, slab }) => {
        step(kernel, slab, tick);
        return hex(kernel, slab);
      });
      expect(new Set(hashes).size, `tick ${tick}: ${hashes}`).toBe(1);
    }
    for (const { kernel, slab } of worlds) {
      if (collides) expect(kernel.contactCount(slab)).toBeGreaterThan(0);
    }
  });

  it('[T3] is the same in one burst, tick by tick, and from an image on the way', () => {
    const kernel = makeKernel(3);
    const [burst, walk, early] = [9, 9, 9].map((seed) => makeWorld(kernel, seed, index));
    if (burst === undefined || walk === undefined || early === undefined) throw new RangeError();
    stepCrippled(kernel, burst, 5000);
    for (let tick = 1; tick <= 5000; tick++) stepCrippled(kernel, walk, tick);
    stepCrippled(kernel, early, 777);
    const image = kernel.image(early);
    kernel.release(early);
    const late = makeWorld(kernel, 1, index);
    kernel.restore(late, image);
    stepCrippled(kernel, late, 5000);
    expect(kernel.contactCount(burst)).toBeGreaterThan(0);
    expect(hex(kernel, walk)).toBe(hex(kernel, burst));
    expect(hex(kernel, late)).toBe(hex(kernel, burst));
  });
});

describe('determinism', () => {
  it('has a known state for each city and for no other', () => {
    expect(Object.keys(GOLDEN).sort()).toEqual(cities.cities.map(({ name }) => name).sort());
  });

  it('[R22] continues from an image in lockstep with the original', () => {
    const kernel = makeKernel(2);
    const original = makeWorld(kernel, 3);
    stepTo(kernel, original, 12_345);
    const copy = kernel.acquire() ?? 0;
    kernel.restore(copy, kernel.image(original));
    for (let tick = 12_346; tick < 12_466; tick++) {
      stepTo(kernel, original, tick);
      stepTo(kernel, copy, tick);
      expect(kernel.hash(copy)).toBe(kernel.hash(original));
    }
  });

  it('tells seeds and car types apart from the first tick', () => {
    const kernel = makeKernel(3);
    const hashes = [1, 2].map((seed) => kernel.hash(makeWorld(kernel, seed)));
    const other = kernel.acquire() ?? 0;
    kernel.create(other, { cityIndex: 0, seed: 1, carTypes: carTypesOf(99) });
    expect(new Set([...hashes, kernel.hash(other)]).size).toBe(3);
  });

  it('refuses an image of another layout', () => {
    const { kernel, slab } = makeOneWorld(1);
    const image = kernel.image(slab);
    image[0] = 99;
    expect(() => kernel.restore(slab, image)).toThrow(RangeError);
    expect(() => kernel.restore(slab, kernel.image(slab).slice(8))).toThrow(RangeError);
  });

  it('[R16] contains a trap in its world', () => {
    const kernel = makeKernel(2);
    const [sick, healthy] = [makeWorld(kernel, 1), makeWorld(kernel, 2)];
    const twin = makeKernel(1);
    const alone = makeWorld(twin, 2);
    kernel.poison(sick);
    expect(() => kernel.step(sick, 1)).toThrow(WebAssembly.RuntimeError);
    stepTo(kernel, healthy, 500);
    stepTo(twin, alone, 500);
    expect(kernel.hash(healthy)).toBe(twin.hash(alone));
  });
});
