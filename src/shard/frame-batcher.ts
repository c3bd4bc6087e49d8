import { OUT_LENGTH } from '../../assembly/layout.ts';
import { FRAME_BATCH_WORLDS } from '../limits.ts';
import { aligned, FRAMES_OFFSET, writeEntry } from './frame-batch.ts';
import type { LoadedWorld } from './loaded-world.ts';
import type { FrameBatch } from './protocol.ts';

const PACKED_BYTES = OUT_LENGTH * 4;
const PAGE_BYTES = 4096;
const FIRST_BYTES = 64 * PAGE_BYTES;

/**
 * Collects captured frames into batches. A pending world is in the next batch once, with its newest
 * frame: frames are encoded when the batch is made. All batches use the same shared memory, so the
 * main thread must acknowledge a batch before the next one is made.
 */
export class FrameBatcher {
  readonly #pending = new Set<LoadedWorld>();
  #number = 0;
  #buffer = new BatchBuffer(FIRST_BYTES);

  /** Number of pending frames. */
  get size(): number {
    return this.#pending.size;
  }

  /** Number of the last batch, an i32: after months it wraps below zero. */
  get number(): number {
    return this.#number;
  }

  add(world: LoadedWorld): void {
    this.#pending.add(world);
  }

  has(world: LoadedWorld): boolean {
    return this.#pending.has(world);
  }

  delete(world: LoadedWorld): void {
    this.#pending.delete(world);
  }

  /** Encodes up to FRAME_BATCH_WORLDS pending frames, in the encodings that are needed. */
  make(): FrameBatch {
    let worlds = 0;
    let end = FRAMES_OFFSET;
    for (const world of this.#pending) {
      if (worlds === FRAME_BATCH_WORLDS) break;
      this.#pending.delete(world);
      end = this.#append(world, worlds++, end);
    }
    this.#number = (this.#number + 1) | 0;
    return { kind: 'frames', number: this.#number, buffer: this.#buffer.memory, worlds };
  }

  /** Writes entry `i`, and its frame from `offset` on; returns the end of the frame. */
  #append(world: LoadedWorld, i: number, offset: number): number {
    const { encoder, number, packed, packedTick: tick } = world;
    const packedOffset = world.sendsPacked ? aligned(offset) : 0;
    const jsonOffset = aligned(world.sendsPacked ? packedOffset + PACKED_BYTES : offset);
    const jsonMax = world.json ? encoder.bytesMax('json') : 0;
    const msgpackMax = world.msgpack ? encoder.bytesMax('msgpack') : 0;
    const endMax = aligned(jsonOffset + jsonMax) + msgpackMax;
    if (endMax > this.#buffer.bytes.length) this.#buffer = this.#buffer.grown(endMax);
    const { ints, bytes, entries } = this.#buffer;
    if (world.sendsPacked) ints.set(packed, packedOffset / 4);
    const jsonEnd = world.json ? encoder.write('json', packed, bytes, jsonOffset) : jsonOffset;
    const msgpackOffset = aligned(jsonEnd);
    const msgpackEnd = world.msgpack
      ? encoder.write('msgpack', packed, bytes, msgpackOffset)
      : msgpackOffset;
    writeEntry(entries, i, {
      number,
      tick,
      packedOffset,
      jsonOffset,
      jsonEnd,
      msgpackOffset,
      msgpackEnd,
    });
    return msgpackEnd;
  }
}

/** Shared memory of both threads, with three views of it. */
class BatchBuffer {
  readonly memory: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  readonly ints: Int32Array;
  readonly entries: Float64Array;

  constructor(byteLength: number) {
    this.memory = new SharedArrayBuffer(byteLength);
    this.bytes = new Uint8Array(this.memory);
    this.ints = new Int32Array(this.memory);
    this.entries = new Float64Array(this.memory, 0, FRAMES_OFFSET / 8);
  }

  /** A larger copy, of at least `bytesMin`. */
  grown(bytesMin: number): BatchBuffer {
    const pages = Math.ceil(Math.max(bytesMin, 2 * this.bytes.length) / PAGE_BYTES);
    const larger = new BatchBuffer(pages * PAGE_BYTES);
    larger.bytes.set(this.bytes);
    return larger;
  }
}
