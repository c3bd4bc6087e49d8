import type { BeatFrame } from '../shard/batch-frames.ts';

/**
 * The newest frame of a watched world, in memory of its own that is written over by the next: to
 * send a beat costs no allocation, and so no collection.
 */
export class LatestFrame implements BeatFrame {
  tick = -1;
  json: Uint8Array | undefined;
  msgpack: Uint8Array | undefined;
  packed = new Int32Array(0);

  take({ tick, json, msgpack, packed }: BeatFrame): void {
    this.tick = tick;
    this.json = json && copied(json, this.json);
    this.msgpack = msgpack && copied(msgpack, this.msgpack);
    if (this.packed.length !== packed.length) this.packed = new Int32Array(packed.length);
    this.packed.set(packed);
  }
}

/** Room for numbers that are longer in the next frame. */
const SPARE_BYTES = 256;

/** The bytes, in the memory that `last` lies in where they fit. */
function copied(bytes: Uint8Array, last: Uint8Array | undefined): Uint8Array {
  const { length } = bytes;
  const room = last !== undefined && length <= last.buffer.byteLength;
  const memory = room ? last.buffer : new ArrayBuffer(length + SPARE_BYTES);
  const copy = last?.length === length ? last : new Uint8Array(memory, 0, length);
  copy.set(bytes);
  return copy;
}
