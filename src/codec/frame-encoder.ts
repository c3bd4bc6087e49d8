import type { Encoding } from './encoding.ts';
import type { FrameModule, FrameTexts } from './frame-module.ts';
import type { FrameNames } from './snapshot.ts';

/** Encodes the packed snapshots of one world. */
export class FrameEncoder {
  readonly #module: FrameModule;
  readonly #names: FrameNames;
  /** Prepared at first use, because most worlds in memory have no watcher. */
  readonly #texts: Partial<Record<Encoding, FrameTexts>> = {};

  constructor(module: FrameModule, names: FrameNames) {
    this.#module = module;
    this.#names = names;
  }

  /** Makes now what the first frame needs. */
  prepare(encoding: Encoding): void {
    this.#textsOf(encoding);
  }

  /** Upper bound of the length of a frame; the same for all worlds of a city. */
  bytesMax(encoding: Encoding): number {
    return this.#textsOf(encoding).city.frameBytesMax;
  }

  /** Writes a frame into `out` from `offset` on. Returns its end. See `FrameModule.write`. */
  write(encoding: Encoding, packed: Int32Array, out: Uint8Array, offset: number): number {
    return this.#module.write(this.#textsOf(encoding), packed, out, offset);
  }

  encode(encoding: Encoding, packed: Int32Array): Uint8Array {
    const out = new Uint8Array(this.bytesMax(encoding));
    return out.slice(0, this.write(encoding, packed, out, 0));
  }

  #textsOf(encoding: Encoding): FrameTexts {
    this.#texts[encoding] ??= this.#module.prepare(encoding, this.#names);
    return this.#texts[encoding];
  }
}
