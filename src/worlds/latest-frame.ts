import type { BatchFrame } from '../shard/frame-batch.ts';
import type { Readers } from './encoding-demand.ts';

/**
 * The newest frame of a watched world, as far as readers ask for it. The next frame overwrites it in place, so
 * that frames cause no allocations and no garbage collection.
 */
export class LatestFrame implements BatchFrame {
  tick = -1;
  json: Uint8Array | undefined;
  msgpack: Uint8Array | undefined;
  packed: Int32Array | undefined;

  /** Copies of a frame what readers ask for: what watchers get is sent from the memory of its batch. */
  take({ tick, json, msgpack, packed }: BatchFrame, readers: Readers): void {
    this.tick = tick;
    this.json = json && readers.json ? copied(json, this.json) : undefined;
    this.msgpack = msgpack && readers.msgpack ? copied(msgpack, this.msgpack) : undefined;
    if (packed !== undefined && readers.packed) {
      if (this.packed?.length !== packed.length) this.packed = new Int32Array(packed.length);
      this.packed.set(packed);
    } else this.packed = undefined;
  }
}

/** Space for longer numbers in the next frame. */
const SPARE_BYTES = 256;

/** Copies the bytes, into the memory of `last` if they fit. */
function copied(bytes: Uint8Array, last: Uint8Array | undefined): Uint8Array {
  const { length } = bytes;
  const fits = last !== undefined && length <= last.buffer.byteLength;
  const memory = fits ? last.buffer : new ArrayBuffer(length + SPARE_BYTES);
  const copy = last?.length === length ? last : new Uint8Array(memory, 0, length);
  copy.set(bytes);
  return copy;
}
