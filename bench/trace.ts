/**
 * Draws one world around a tick as SVG. Bodies of all cars near a car every half a second from ten
 * seconds before to two after, light to dark; lanes, and what is solid.
 */
import { writeFileSync } from 'node:fs';
import { C_HX, C_HY, C_STATUS, C_TYPE, C_VX, C_X, C_Y, CAR_COUNT } from '../assembly/layout.ts';
import { CITIES } from '../src/city/catalogue.ts';
import type { Point } from '../src/city/types.ts';
import { realOf, type SlabArrays } from '../src/kernel/slab-arrays.ts';
import { CAR_TYPES, carTypesOf } from '../src/twin/fleet.ts';
import { loadKernel, stepBy } from './aged-worlds.ts';
import type { Figure } from './common/figures.ts';
import { parseOptions } from './common/options.ts';

const BEFORE_TICKS = 500;
const AFTER_TICKS = 100;
const STEP_TICKS = 25;
const REACH_M = 60;
const PIXELS_PER_M = 10;

const OPTIONS = {
  city: { fallback: 'grid', choices: CITIES.map(({ name }) => name), help: 'name of the city' },
  seed: { fallback: 0, min: 0, max: 2 ** 32 - 1, help: 'of the world' },
  tick: { fallback: 0, min: 0, max: 2 ** 31 - 1, help: 'in the middle' },
  car: { fallback: 0, min: 0, max: CAR_COUNT - 1, help: 'index of the car in the middle' },
  out: { fallback: 'trace.svg', help: 'file to write' },
};

export async function run(options: string[]): Promise<Figure[]> {
  const { city: name, seed, tick, car, out } = parseOptions(OPTIONS, options);
  const { kernel, cities } = loadKernel(1);
  const cityIndex = CITIES.findIndex((each) => each.name === name);
  const city = cities.cities[cityIndex];
  const slab = kernel.acquire();
  if (!city || slab === undefined) throw new RangeError(`there is no city "${name}"`);
  const create = () => kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed) });
  create();
  const arrays = kernel.view(slab);
  stepBy(kernel, slab, tick);
  const centre = placeOf(arrays, car);
  create();
  stepBy(kernel, slab, Math.max(0, tick - BEFORE_TICKS));
  const shapes = [
    ...city.blocks.filter(({ solid }) => solid).map(({ polygon }) => shape(polygon, 'block')),
    ...city.junctions.map(({ polygon }) => shape(polygon, 'junction')),
    ...city.lanes.map(({ polyline }) => `<polyline class="lane" points="${points(polyline)}"/>`),
  ];
  while (kernel.tick(slab) <= tick + AFTER_TICKS) {
    const share = (kernel.tick(slab) - tick + BEFORE_TICKS) / (BEFORE_TICKS + AFTER_TICKS);
    const isAsked = kernel.tick(slab) === tick;
    console.log(`tick ${kernel.tick(slab)}`);
    for (let other = 0; other < CAR_COUNT; other++) {
      const [x, y] = placeOf(arrays, other);
      if (Math.hypot(x - centre[0], y - centre[1]) > REACH_M) continue;
      shapes.push(drawCar(arrays, other, share, isAsked));
      console.log(`  ${describe(arrays, other)}`);
    }
    stepBy(kernel, slab, STEP_TICKS);
  }
  writeFileSync(out, page(shapes, centre));
  console.log(`written to ${out}`);
  return [];
}

function value(world: SlabArrays, array: number, car: number): number {
  return realOf(world, array, car);
}

function placeOf(arrays: SlabArrays, car: number): Point {
  return [value(arrays, C_X, car), value(arrays, C_Y, car)];
}

function describe(arrays: SlabArrays, car: number): string {
  const [x, y] = placeOf(arrays, car).map((each) => each.toFixed(2));
  const speed = value(arrays, C_VX, car).toFixed(2);
  return `car ${car} at ${x}, ${y}, ${speed} m/s, status ${arrays.i32[C_STATUS / 4 + car]}`;
}

function drawCar(arrays: SlabArrays, car: number, share: number, isAsked: boolean): string {
  const type = CAR_TYPES[arrays.i32[C_TYPE / 4 + car] ?? 0];
  if (!type) throw new RangeError(`car ${car} is of no type`);
  const [hx, hy] = [value(arrays, C_HX, car), value(arrays, C_HY, car)];
  const [gx, gy] = placeOf(arrays, car);
  const [x, y] = [gx + hx * type.centreM, gy + hy * type.centreM];
  const corner = (along: number, left: number): Point => [
    x + (hx * along * type.lengthM - hy * left * type.widthM) / 2,
    y + (hy * along * type.lengthM + hx * left * type.widthM) / 2,
  ];
  const body = [corner(-1, -1), corner(1, -0.8), corner(1, 0.8), corner(-1, 1)];
  const style = `stroke:hsl(${car * 67} 80% 40%);stroke-opacity:${(0.15 + 0.6 * share).toFixed(2)}`;
  const label = isAsked ? `<text x="${x}" y="${-y}">${car}</text>` : '';
  return `${shape(body, isAsked ? 'car asked' : 'car', style)}${label}`;
}

function points(path: readonly Point[]): string {
  return path.map(([x, y]) => `${x.toFixed(2)},${(-y).toFixed(2)}`).join(' ');
}

function shape(polygon: readonly Point[], name: string, style = ''): string {
  return `<polygon class="${name}" points="${points(polygon)}" style="${style}"/>`;
}

function page(shapes: readonly string[], [x, y]: Point): string {
  const size = 2 * REACH_M;
  const frame = `viewBox="${x - REACH_M} ${-y - REACH_M} ${size} ${size}"`;
  const style =
    'polygon,polyline{fill:none;stroke-width:.15}.block{fill:#ddd}.junction{fill:#f6f6f0}' +
    '.lane{stroke:#bbb}.asked{stroke-width:.4;fill:#fc8}text{font:2px sans-serif}';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size * PIXELS_PER_M}" ` +
    `height="${size * PIXELS_PER_M}" ${frame}><style>${style}</style>\n${shapes.join('\n')}\n</svg>\n`
  );
}
