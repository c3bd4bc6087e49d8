import {
  C_X,
  CAR_COUNT,
  H_SEED,
  H_TICK,
  H_VERSION,
  IN_MASKS,
  LAYOUT_VERSION,
  O_CARS,
  O_TICK,
  OUT,
  SLAB_BYTES,
} from '../../assembly/layout.ts';
import type { CitySet } from '../city/city-set.ts';
import type { KernelExports } from '../kernel/kernel.ts';
import type { WorldEncoder } from '../shard/world-encoder.ts';
import type { Change } from '../twin/journal.ts';

const PAGE_BYTES = 65_536;
const FRAME_BYTES = 8;
/** In the upper half of the seed, which has 32 bits. */
const STATE = H_SEED + 4;

/** Nobody loads these. */
export const TOY_LOCKSTEP = {
  kernel: 'toy',
  assets: { kernel: '', frames: '', table: '', car_types: '' },
};
/** Identity of a toy kernel; `version`: those of two differ, and so do the states of their worlds. */
export function toyKernelHash(version: number): string {
  return `toy-${version}`;
}

/** What a host is started with, for `toyKernel`. */
export function toyWasm(version: number): Uint8Array {
  return Uint8Array.of(version);
}

/** One city without anything in it. */
export const TOY_CITIES: CitySet = {
  cities: [
    {
      ...{ name: 'toy', title: 'Toy', description: 'A city without anything in it.' },
      bounds: { minX: 0, minY: 0, maxX: 1, maxY: 1 },
      ...{ roads: [], junctions: [], lanes: [], lights: [], blocks: [] },
      ...{ zones: [], hazards: [], routes: [] },
    },
  ],
  tables: [new ArrayBuffer(64)],
  names: [{ roads: [], junctions: [], lanes: [], lights: [], hazards: [] }],
};

/** A hash of 32 bits over whole numbers. */
export function fold(hash: number, ...values: readonly number[]): number {
  let h = hash;
  for (const value of values) {
    h = Math.imul(h ^ value, 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
    h ^= h >>> 13;
  }
  return h >>> 0;
}

/** The state of a world that has not been stepped yet under a kernel. */
export function firstState(
  seed: number,
  tick: number,
  masks: readonly number[],
  kernel = toyKernelHash(1),
): number {
  const version = Number(kernel.slice(kernel.lastIndexOf('-') + 1));
  return fold(version, seed, ...(tick === 0 ? [] : [tick, ...masks]));
}

/** The state after a change. */
export function changedState(state: number, { tick, car, touched, values }: Change): number {
  return fold(state, tick, car, touched, values);
}

/** What a frame shows of a state at a tick. */
export function shownState(state: number, tick: number): number {
  return fold(state, tick);
}

/**
 * Stands in for an instance of the kernel: the state of a world is a hash of its seed and its changes, and
 * a frame shows a hash of state and tick. So it can be told of every frame whether it is right.
 */
export function toyKernel([version = 0]: Uint8Array): KernelExports {
  let buffer = new ArrayBuffer(0);
  let words = new Int32Array(buffer);
  let view = new DataView(buffer);
  const grow = (pages: number) => {
    const before = buffer.byteLength / PAGE_BYTES;
    const larger = new ArrayBuffer(buffer.byteLength + pages * PAGE_BYTES);
    new Uint8Array(larger).set(new Uint8Array(buffer));
    buffer = larger;
    words = new Int32Array(buffer);
    view = new DataView(buffer);
    return before;
  };
  const at = (address: number) => words[address >>> 2] ?? 0;
  const put = (address: number, value: number) => {
    words[address >>> 2] = value;
  };
  return {
    memory: {
      get buffer() {
        return buffer;
      },
      grow,
    },
    layoutVersion: () => LAYOUT_VERSION,
    slabBytes: () => SLAB_BYTES,
    create(slab, _, seed, tick) {
      words.fill(0, slab >>> 2, (slab + SLAB_BYTES) >>> 2);
      const masks = Array.from({ length: CAR_COUNT }, (_, car) => at(IN_MASKS + 4 * car));
      put(slab + H_VERSION, LAYOUT_VERSION);
      put(slab + H_TICK, tick);
      put(slab + STATE, firstState(seed, tick, masks, toyKernelHash(version)));
    },
    step(slab, ticks) {
      if (Number.isNaN(view.getFloat64(slab + C_X, true))) throw new Error('poisoned');
      put(slab + H_TICK, at(slab + H_TICK) + ticks);
      return ticks;
    },
    apply(slab, tick, car, touched, values) {
      put(slab + STATE, changedState(at(slab + STATE), { tick, car, touched, values }));
    },
    pack(slab) {
      const tick = at(slab + H_TICK);
      put(OUT + 4 * O_TICK, tick);
      put(OUT + 4 * O_CARS, shownState(at(slab + STATE), tick));
    },
    hash: (slab) => BigInt(at(slab + STATE) >>> 0),
    effective: (declared) => declared,
  };
}

/** The state of a world in an image. */
export function stateOfImage(image: Uint8Array): number {
  return new DataView(image.buffer, image.byteOffset).getUint32(STATE, true);
}

/** Tick and state that a frame shows. */
export interface Shown {
  tick: number;
  state: number;
}

export function shownIn(packed: Int32Array): Shown {
  return { tick: packed[O_TICK] ?? 0, state: (packed[O_CARS] ?? 0) >>> 0 };
}

/** Frames of the toy kernel: tick and state, whatever the encoding. */
export const TOY_ENCODER: WorldEncoder = {
  prepare() {},
  bytesMax: () => FRAME_BYTES,
  write(_, packed, out, offset) {
    const { tick, state } = shownIn(packed);
    for (let i = 0; i < 4; i++) {
      out[offset + i] = tick >>> (8 * i);
      out[offset + 4 + i] = state >>> (8 * i);
    }
    return offset + FRAME_BYTES;
  },
  encode(encoding, packed) {
    const out = new Uint8Array(FRAME_BYTES);
    this.write(encoding, packed, out, 0);
    return out;
  },
};

export function shownInFrame(bytes: Uint8Array): Shown {
  const word = (from: number) =>
    ((bytes[from] ?? 0) |
      ((bytes[from + 1] ?? 0) << 8) |
      ((bytes[from + 2] ?? 0) << 16) |
      ((bytes[from + 3] ?? 0) << 24)) >>>
    0;
  return { tick: word(0), state: word(4) };
}
