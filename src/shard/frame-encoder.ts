import { readFileSync } from 'node:fs';
import { type FrameWriter, FrameWriters } from '../codec/frame-writer.ts';
import type { FrameNames } from '../codec/names.ts';
import type { Encoding } from '../twin/service.ts';

const WASM = readFileSync(new URL('../../build/frames.wasm', import.meta.url));
const writers = new FrameWriters(new WebAssembly.Module(WASM));

/** Turns packed snapshots of one world into bytes. */
export class FrameEncoder {
  readonly #names: FrameNames;
  readonly #writers: Partial<Record<Encoding, FrameWriter>> = {};

  constructor(names: FrameNames) {
    this.#names = names;
  }

  /** Of one encoding; made when first asked, for most worlds in memory are not shown. */
  writer(encoding: Encoding): FrameWriter {
    this.#writers[encoding] ??= writers.writer(encoding, this.#names);
    return this.#writers[encoding];
  }

  encode(encoding: Encoding, packed: Int32Array): Uint8Array {
    const writer = this.writer(encoding);
    const out = new Uint8Array(writer.bytesMax);
    return out.slice(0, writer.write(packed, out, 0));
  }
}
