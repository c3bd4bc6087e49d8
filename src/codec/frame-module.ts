import { RUN_STEP } from '../../assembly/frames/layout.ts';
import { OUT_LENGTH } from '../../assembly/layout.ts';
import type { CityNames } from '../city/names.ts';
import type { Encoding } from './encoding.ts';
import { JSON_NOTATION } from './json.ts';
import { MSGPACK_NOTATION } from './msgpack.ts';
import type { Notation } from './notation.ts';
import type { FrameNames } from './snapshot.ts';
import { cityTexts, frameBytesMax, worldTexts } from './texts.ts';

const NOTATIONS: Record<Encoding, Notation> = { json: JSON_NOTATION, msgpack: MSGPACK_NOTATION };

/** What `assembly/frames` exports. */
interface Exports {
  memory: WebAssembly.Memory;
  reserve(bytes: number): number;
  json(packed: number, world: number, city: number, out: number): number;
  msgpack(packed: number, world: number, city: number, out: number): number;
}

/** Addresses of the texts and buffers of one city in one encoding. */
interface CityMemory {
  cityTexts: number;
  /** Buffer for the texts of the world that is being written. */
  worldTexts: number;
  worldTextsBytesMax: number;
  /** Buffer for its frame. */
  frame: number;
  frameBytesMax: number;
}

/** The data for writing the frames of one world in one encoding. */
export interface FrameTexts {
  readonly encoding: Encoding;
  readonly world: Uint8Array;
  readonly city: CityMemory;
}

/**
 * The WebAssembly instance that writes frames (`assembly/frames`), one per thread. It caches the
 * texts of a city by the identity of its `CityNames`: make these once per city.
 */
export class FrameModule {
  readonly #exports: Exports;
  readonly #packed: number;
  readonly #cities: Record<Encoding, WeakMap<CityNames, CityMemory>> = {
    json: new WeakMap(),
    msgpack: new WeakMap(),
  };
  // Replaced whenever the memory has grown.
  #bytes = new Uint8Array(0);
  #ints = new Int32Array(0);

  /**
   * `module`: compiled from build/frames.wasm, or from build/frames.shared.wasm, with the memory that it
   * is to use.
   */
  constructor(module: WebAssembly.Module, memory?: WebAssembly.Memory) {
    const imports: Record<string, Record<string, WebAssembly.Memory>> = memory
      ? { env: { memory } }
      : {};
    this.#exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.#packed = this.#reserve(OUT_LENGTH * 4);
  }

  prepare(encoding: Encoding, names: FrameNames): FrameTexts {
    const world = worldTexts(names, NOTATIONS[encoding]);
    let city = this.#cities[encoding].get(names.city);
    if (city === undefined || world.length > city.worldTextsBytesMax) {
      city = this.#reserveCity(encoding, names, world.length);
      this.#cities[encoding].set(names.city, city);
    }
    return { encoding, world, city };
  }

  #reserveCity(encoding: Encoding, names: FrameNames, worldTextsBytesMax: number): CityMemory {
    const texts = cityTexts(names.city, NOTATIONS[encoding]);
    const bytesMax = frameBytesMax(names, NOTATIONS[encoding]);
    const city = {
      cityTexts: this.#reserve(texts.length),
      worldTexts: this.#reserve(worldTextsBytesMax),
      worldTextsBytesMax,
      frame: this.#reserve(bytesMax + RUN_STEP),
      frameBytesMax: bytesMax,
    };
    this.#bytes.set(texts, city.cityTexts);
    return city;
  }

  /** Bytes of the memory of this module: frames are written to them in place. They are never given back. */
  allocate(length: number): Uint8Array {
    const address = this.#reserve(length);
    return new Uint8Array(this.#exports.memory.buffer, address, length);
  }

  #reserve(bytes: number): number {
    const address = this.#exports.reserve(bytes);
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    this.#ints = new Int32Array(this.#exports.memory.buffer);
    return address;
  }

  /**
   * Encodes a packed snapshot into `out` from `offset` on. Returns the end of the frame. Throws
   * RangeError, with `out` unchanged, if the frame does not fit. Where `out` is allocated here and has
   * room for the longest frame and RUN_STEP bytes more, these may be overwritten.
   */
  write(
    { encoding, world, city }: FrameTexts,
    packed: Int32Array,
    out: Uint8Array,
    offset: number,
  ): number {
    this.#ints.set(packed, this.#packed / 4);
    this.#bytes.set(world, city.worldTexts);
    // The buffer is another object once the memory has grown. Then a copy is slower, but right.
    const isInPlace =
      out.buffer === this.#bytes.buffer && offset + city.frameBytesMax + RUN_STEP <= out.length;
    const frame = isInPlace ? out.byteOffset + offset : city.frame;
    const end = this.#exports[encoding](this.#packed, city.worldTexts, city.cityTexts, frame);
    if (!isInPlace) out.set(this.#bytes.subarray(frame, end), offset);
    return offset + end - frame;
  }
}
