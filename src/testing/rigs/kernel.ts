import { readFileSync } from 'node:fs';
import { CAR_COUNT } from '../../../assembly/layout.ts';
import { Kernel } from '../../kernel/kernel.ts';
import { realOf, type SlabArrays, slabArrays } from '../../kernel/slab-arrays.ts';
import { loadCities } from '../../load-cities.ts';
import type { ContactRecord } from '../../twin/contact-records.ts';
import { CAR_TYPES, carTypesOf } from '../../twin/fleet.ts';
import type { ContactFacts } from '../../twin/incidents.ts';

export const cities = loadCities();

/** Indices of the cars of a world. */
export const cars = Array.from({ length: CAR_COUNT }, (_, car) => car);

export type Build = 'release' | 'scalar' | 'debug';

export function wasmOf(build: Build): Uint8Array {
  const file = build === 'release' ? 'kernel.wasm' : `kernel.${build}.wasm`;
  return new Uint8Array(readFileSync(new URL(`../../../build/${file}`, import.meta.url)));
}

const modules = new Map<Build, WebAssembly.Module>();

function moduleOf(build: Build): WebAssembly.Module {
  const known = modules.get(build) ?? new WebAssembly.Module(wasmOf(build));
  modules.set(build, known);
  return known;
}

/** A kernel with the product's cities. */
export function makeKernel(slabCount: number, build: Build = 'release'): Kernel {
  const module = moduleOf(build);
  return new Kernel({ module, cityTables: cities.tables, carTypes: CAR_TYPES, slabCount });
}

/** A kernel with one world, whose city has the given table. */
export function makeKernelOf(table: ArrayBuffer): Kernel {
  const module = moduleOf('release');
  return new Kernel({ module, cityTables: [table], carTypes: CAR_TYPES, slabCount: 1 });
}

/**
 * Calls `make` once for each plan of a test file: packing a city takes longer than most drives in
 * it. The result is shared and must not be changed.
 */
export function memoised<Plan, Made>(make: (plan: Plan) => Made): (plan: Plan) => Made {
  const known = new Map<string, Made>();
  return (plan) => {
    const key = JSON.stringify(plan);
    const made = known.get(key) ?? make(plan);
    known.set(key, made);
    return made;
  };
}

/** A slab with the world of `seed` at tick 0, in the first city unless another is named. */
export function makeWorld(kernel: Kernel, seed: number, cityIndex = 0): number {
  const slab = kernel.acquire();
  if (slab === undefined) throw new RangeError('no slab is free');
  kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed) });
  return slab;
}

/** A world whose cars lack a feature for its first ten minutes, at tick 30,000: it is on again from the next. */
export function makeWorldBackOn(
  seed: number,
  cityIndex: number,
  feature: number,
): { kernel: Kernel; slab: number } {
  const world = makeOneWorld(seed, cityIndex);
  const { kernel, slab } = world;
  for (const car of cars) kernel.apply(slab, 0, car, feature, 0);
  stepTo(kernel, slab, 30_000);
  for (const car of cars) kernel.apply(slab, 30_001, car, feature, feature);
  return world;
}

/** A kernel with one world, as `makeWorld` makes it. */
export function makeOneWorld(seed: number, cityIndex = 0): { kernel: Kernel; slab: number } {
  const kernel = makeKernel(1);
  return { kernel, slab: makeWorld(kernel, seed, cityIndex) };
}

/**
 * A kernel with one world whose city has the given table. All cars are of one type; `masks` are
 * their declared features.
 */
export function makeWorldOf(
  table: ArrayBuffer,
  type: number,
  masks: readonly number[],
  tick = 0,
): { kernel: Kernel; slab: number } {
  const kernel = makeKernelOf(table);
  const slab = kernel.acquire() ?? 0;
  const carTypes = new Int32Array(CAR_COUNT).fill(type);
  kernel.create(slab, { cityIndex: 0, seed: 1, tick, carTypes, masks });
  return { kernel, slab };
}

/** Steps to `tick`, through contacts. */
export function stepTo(kernel: Kernel, slab: number, tick: number): void {
  while (kernel.tick(slab) < tick) kernel.step(slab, tick - kernel.tick(slab));
}

/** Steps to a tick; returns the records of contacts and crash pulses on the way. */
export function recordsUntil(kernel: Kernel, slab: number, tick: number): ContactRecord[] {
  const all: ContactRecord[] = [];
  while (kernel.tick(slab) < tick) {
    const seen = kernel.contactCount(slab);
    kernel.step(slab, tick - kernel.tick(slab));
    all.push(...kernel.records(slab, seen));
  }
  return all;
}

/** Steps to a tick; returns the contacts on the way. */
export function contactsUntil(kernel: Kernel, slab: number, tick: number): ContactFacts[] {
  const records = recordsUntil(kernel, slab, tick);
  return records.flatMap((each) => ('crashPulse' in each ? [] : [each]));
}

/** Typed access to the arrays of a world, for tests of internal state. */
export class SlabView {
  protected readonly arrays: SlabArrays;

  constructor(arrays: SlabArrays) {
    this.arrays = arrays;
  }

  /** Of an array of f64 or of f32. */
  real(array: number, car: number): number {
    return realOf(this.arrays, array, car);
  }

  i32(array: number, car: number): number {
    return this.arrays.i32[array / 4 + car] as number;
  }
}

/** A copy of a world's arrays. */
export function look(kernel: Kernel, slab: number): SlabView {
  return new SlabView(slabArrays(kernel.image(slab).buffer));
}
