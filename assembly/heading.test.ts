import { expect, it } from 'vitest';
import { type Build, cars, makeKernel, makeWorld } from '../src/testing/rigs/kernel.ts';
import { C_HX, C_HY, O_CARS, OC_HEADING, OC_STRIDE } from './layout.ts';

const UNITS_PER_RAD = 10_000;

/** The headings that a kernel packs for cars that point in so many directions. */
function packed(build: Build, directions: readonly (readonly [number, number])[]): number[] {
  const kernel = makeKernel(1, build);
  const slab = makeWorld(kernel, 1);
  const { f64 } = kernel.view(slab);
  const headings: number[] = [];
  for (let first = 0; first < directions.length; first += cars.length) {
    const some = directions.slice(first, first + cars.length);
    for (const [car, [hx, hy]] of some.entries()) {
      f64[C_HX / 8 + car] = hx;
      f64[C_HY / 8 + car] = hy;
    }
    const out = kernel.pack(slab);
    for (const car of some.keys()) headings.push(out[O_CARS + car * OC_STRIDE + OC_HEADING] ?? 0);
  }
  return headings;
}

/** All around, and close to where the nearest whole number changes, on both sides. */
const around = Array.from({ length: 20_000 }, (_, i) => (i * 2 * Math.PI) / 20_000 - Math.PI);
const ties = Array.from({ length: 20_000 }, (_, i) => {
  const tie = (Math.round((i - 10_000) * 3.1) + 0.5) / UNITS_PER_RAD;
  return tie + ([-2, -1, 1, 2][i % 4] ?? 0) * 1e-11;
});
const straight = [1, -1].flatMap((one): [number, number][] => [
  [one, 0],
  [one, -0],
  [0, one],
  [-0, one],
]);

it.each<Build>(['release', 'scalar', 'debug'])(
  'shows the heading that the arc tangent of the library gives, in the %s build',
  (build) => {
    const angles = [...around, ...ties];
    const directions = [
      ...angles.map((angle) => [Math.cos(angle), Math.sin(angle)] as const),
      ...straight,
    ];
    const expected = directions.map(([hx, hy]) => Math.round(Math.atan2(hy, hx) * UNITS_PER_RAD));
    expect(packed(build, directions)).toEqual(expected.map((each) => each + 0));
  },
);
