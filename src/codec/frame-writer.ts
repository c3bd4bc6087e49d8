import { RUN_STEP } from '../../assembly/frames/layout.ts';
import { OUT_LENGTH } from '../../assembly/layout.ts';
import type { Encoding } from '../twin/service.ts';
import { JSON_NOTATION } from './json.ts';
import { MSGPACK_NOTATION } from './msgpack.ts';
import type { CityNames, FrameNames } from './names.ts';
import type { Notation } from './notation.ts';
import { cityTexts, frameBytesMax, worldTexts } from './texts.ts';

const NOTATIONS: Record<Encoding, Notation> = { json: JSON_NOTATION, msgpack: MSGPACK_NOTATION };

/** What `assembly/frames` exports. */
interface Exports {
  memory: WebAssembly.Memory;
  reserve(bytes: number): number;
  json(packed: number, world: number, city: number, out: number): number;
  msgpack(packed: number, world: number, city: number, out: number): number;
}

/** Addresses of what a city needs in one encoding. */
interface CityPlace {
  /** Its texts. */
  city: number;
  /** Room for the texts of the world whose turn it is. */
  world: number;
  worldBytesMax: number;
  /** Room for its frame. */
  out: number;
  frameBytesMax: number;
}

/**
 * What writes frames (`assembly/frames`), one a thread. It keeps the texts of each city that it has
 * written a frame of: make the names of a city once.
 */
export class FrameWriters {
  readonly #exports: Exports;
  readonly #packed: number;
  readonly #places: Record<Encoding, WeakMap<CityNames, CityPlace>> = {
    json: new WeakMap(),
    msgpack: new WeakMap(),
  };
  // Made anew whenever the memory has grown.
  #bytes = new Uint8Array(0);
  #ints = new Int32Array(0);

  /** `module`: compiled from build/frames.wasm. */
  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    this.#packed = this.#reserve(OUT_LENGTH * 4);
  }

  writer(encoding: Encoding, names: FrameNames): FrameWriter {
    const texts = worldTexts(names, NOTATIONS[encoding]);
    let place = this.#places[encoding].get(names.city);
    if (place === undefined || texts.length > place.worldBytesMax) {
      place = this.#place(encoding, names, texts.length);
      this.#places[encoding].set(names.city, place);
    }
    const at = place;
    return {
      bytesMax: at.frameBytesMax,
      write: (packed, out, begin) => this.#write(encoding, at, texts, packed, out, begin),
    };
  }

  #place(encoding: Encoding, names: FrameNames, worldBytesMax: number): CityPlace {
    const texts = cityTexts(names.city, NOTATIONS[encoding]);
    const bytesMax = frameBytesMax(names, NOTATIONS[encoding]);
    const place = {
      city: this.#reserve(texts.length),
      world: this.#reserve(worldBytesMax),
      worldBytesMax,
      out: this.#reserve(bytesMax + RUN_STEP),
      frameBytesMax: bytesMax,
    };
    this.#bytes.set(texts, place.city);
    return place;
  }

  #reserve(bytes: number): number {
    const at = this.#exports.reserve(bytes);
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    this.#ints = new Int32Array(this.#exports.memory.buffer);
    return at;
  }

  #write(
    encoding: Encoding,
    { city, world, out: from }: CityPlace,
    texts: Uint8Array,
    packed: Int32Array,
    out: Uint8Array,
    at: number,
  ): number {
    this.#ints.set(packed, this.#packed / 4);
    this.#bytes.set(texts, world);
    const end = this.#exports[encoding](this.#packed, world, city, from);
    out.set(this.#bytes.subarray(from, end), at);
    return at + end - from;
  }
}

/** Writes the frames of one world in one encoding. */
export interface FrameWriter {
  /** Bytes that a frame takes at most; the same for all worlds of a city. */
  bytesMax: number;
  /**
   * Encodes a packed snapshot at `at` and returns where it ends. Throws RangeError where there is
   * no room for it; then nothing is written.
   */
  write(packed: Int32Array, out: Uint8Array, at: number): number;
}
