/**
 * How far WebAssembly is from machine code: the scalar kernel beside `wasm2c` and gcc, on the same
 * worlds, in processor time.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CAR_COUNT,
  F_ALL,
  FRAME_TICKS,
  H_CITY,
  IN_MASKS,
  IN_TYPES,
  SLAB_BYTES,
} from '../assembly/layout.ts';
import type { Kernel, Slab } from '../src/kernel/kernel.ts';
import {
  age,
  CAR_TICKS_PER_VISIT,
  createWorlds,
  loadKernel,
  movingShare,
  newWorld,
  stepBy,
} from './aged-worlds.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { inFreshDir } from './common/fresh-dir.ts';
import { median } from './common/report.ts';
import { buildNative, VARIANTS } from './native/build.ts';
import { NativeKernel, type Timed } from './native/native-kernel.ts';
import { processorMs } from './processor.ts';

const SCALAR = new URL('../build/kernel.scalar.wasm', import.meta.url);
const WORLDS = 1000;
const AGE_TICKS = 1000;
const ROUNDS = 7;
const VISITS = 20;
const RATIO_MAX = 1.2;
const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

export function run(): Promise<Figure[]> {
  return inFreshDir(async (dir) => {
    const natives: NativeKernel[] = [];
    try {
      const { kernel, cities } = loadKernel(WORLDS, SCALAR);
      const cityCount = cities.tables.length;
      const worldsFile = join(dir, 'worlds');
      writeFileSync(worldsFile, worldsOf(kernel, cityCount));
      for (const binary of buildNative(SCALAR, dir)) {
        natives.push(new NativeKernel(binary, worldsFile));
      }
      return await measure(kernel, createWorlds(kernel, WORLDS, cityCount), natives);
    } finally {
      for (const native of natives) native.end();
    }
  });
}

/** The kernels take turns, so that a drift of the machine affects all. */
async function measure(
  kernel: Kernel,
  slabs: readonly Slab[],
  natives: readonly NativeKernel[],
): Promise<Figure[]> {
  const aged = timed(kernel, slabs, () => age(kernel, slabs, AGE_TICKS));
  for (const native of natives) checkHash(native, (await native.aged()).hash, aged.hash);
  const moving = movingShare(kernel, slabs);
  const wasmTimes: number[] = [];
  const nativeTimes = natives.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    const wasm = timed(kernel, slabs, () => {
      for (let visit = 0; visit < VISITS; visit += 1) {
        for (const slab of slabs) stepBy(kernel, slab, FRAME_TICKS);
      }
    });
    wasmTimes.push(wasm.ns);
    for (const [i, native] of natives.entries()) {
      const { ns, hash } = await native.visit(VISITS);
      nativeTimes[i]?.push(ns);
      checkHash(native, hash, wasm.hash);
    }
  }
  const perCarTick = (times: readonly number[]) =>
    median(times) / (VISITS * WORLDS * CAR_TICKS_PER_VISIT);
  return [
    ...VARIANTS.map(({ name, judged }, i) => {
      const value = perCarTick(nativeTimes[i] ?? []);
      const bound = judged ? { atMost: RATIO_MAX } : undefined;
      return compared('scalar WebAssembly', perCarTick(wasmTimes), 'ns', { name, value }, bound);
    }),
    figure('cars that move', moving * 100, '%'),
  ];
}

/** Only fused multiply-add may change the worlds: it rounds differently. */
function checkHash({ name, sameBits }: NativeKernel, hash: bigint, expected: bigint): void {
  if (!sameBits || hash === expected) return;
  throw new Error(`${name}: state ${hash.toString(16)}, WebAssembly has ${expected.toString(16)}`);
}

function timed(kernel: Kernel, slabs: readonly Slab[], work: () => void): Timed {
  const ns = processorMs(work) * 1e6;
  const hash = slabs.reduce(
    (value, slab) => BigInt.asUintN(64, (value ^ kernel.hash(slab)) * FNV_PRIME),
    FNV_OFFSET,
  );
  return { ns, hash };
}

/** The input of `native/main.c`: header, memory below the slabs, worlds. */
function worldsOf(kernel: Kernel, cityCount: number): Uint8Array {
  const below = kernel.belowSlabs();
  const layout = [below.length, SLAB_BYTES, IN_TYPES, IN_MASKS, H_CITY, CAR_COUNT];
  const header = Int32Array.from([...layout, FRAME_TICKS, AGE_TICKS, WORLDS]);
  const worlds = Array.from({ length: WORLDS }, (_, i) => {
    const { cityIndex, seed, carTypes } = newWorld(i, cityCount);
    const masks = Array<number>(CAR_COUNT).fill(F_ALL);
    return Int32Array.from([cityIndex, seed, ...carTypes, ...masks]);
  });
  return Buffer.concat(
    [header, below, ...worlds].map((part) => new Uint8Array(part.buffer.slice(0))),
  );
}
