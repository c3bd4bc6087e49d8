import type { BatchFrame } from '../shard/frame-batch.ts';

/**
 * The newest frame of a watched world. The next frame overwrites it in place, so that frames cause
 * no allocations and no garbage collection.
 */
export class LatestFrame implements BatchFrame {
  tick = -1;
  json: Uint8Array | undefined;
  msgpack: Uint8Array | undefined;
  packed: Int32Array | undefined;

  take({ tick, json, msgpack, packed }: BatchFrame): void {
    this.tick = tick;
    this.json = json && copied(json, this.json);
    this.msgpack = msgpack && copied(msgpack, this.msgpack);
    if (packed !== undefined) {
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
