import { RUN_STEP } from '../../assembly/frames/layout.ts';
import { OUT_LENGTH } from '../../assembly/layout.ts';
import { FRAME_BATCH_WORLDS } from '../limits.ts';
import { aligned, FRAMES_OFFSET, writeEntry } from './frame-batch.ts';
import type { LoadedWorld } from './loaded-world.ts';
import type { FrameBatch } from './protocol.ts';

type Allocate = (bytes: number) => Uint8Array<SharedArrayBuffer>;

const PACKED_BYTES = OUT_LENGTH * 4;
const PAGE_BYTES = 4096;
const FIRST_BYTES = 64 * PAGE_BYTES;

/** A frame that was captured while no batch could be written. */
interface KeptFrame {
  readonly packed: Int32Array;
  tick: number;
}

/**
 * Collects captured frames into batches. All batches use the same shared memory, so the main thread must
 * acknowledge a batch before the next one is begun. Once it has, frames are encoded into the next batch as
 * they are captured; until then, and beyond FRAME_BATCH_WORLDS, they are kept packed. A world is in the next
 * batch once: with its newest frame, of those that were kept.
 */
export class FrameBatcher {
  /** Kept frames. */
  readonly #pending = new Map<LoadedWorld, KeptFrame>();
  readonly #isAcknowledged: (batch: number) => boolean;
  /** Memory of frames that were sent, for others. */
  readonly #spare: KeptFrame[] = [];
  /** Of the last batch, an i32: after months it wraps below zero. */
  #number = 0;
  #buffer: BatchBuffer;
  /** Of the batch that is written. */
  #worlds = 0;
  #end = FRAMES_OFFSET;

  /**
   * `isAcknowledged`: whether the main thread has done with this batch, the last one that was made.
   * `allocate`: memory that encoders write to and the main thread reads. It is not given back; in all it is
   * less than four times what the largest batch needs.
   */
  constructor(isAcknowledged: (batch: number) => boolean, allocate: Allocate) {
    this.#isAcknowledged = isAcknowledged;
    this.#buffer = new BatchBuffer(FIRST_BYTES, allocate);
  }

  /** Number of frames that are not sent. */
  get size(): number {
    return this.#pending.size + this.#worlds;
  }

  /** Whether a batch may be made. */
  get isFree(): boolean {
    return this.#isAcknowledged(this.#number);
  }

  /** Takes the newest frame of a world. `packed` may be overwritten afterwards. */
  add(world: LoadedWorld, packed: Int32Array): void {
    if (!this.has(world) && this.#worlds < FRAME_BATCH_WORLDS && this.isFree) {
      this.#append(world, packed, world.packedTick);
      world.batch = this.#nextNumber;
      return;
    }
    const frame = this.#pending.get(world) ??
      this.#spare.pop() ?? { packed: new Int32Array(OUT_LENGTH), tick: 0 };
    frame.packed.set(packed);
    frame.tick = world.packedTick;
    this.#pending.set(world, frame);
  }

  /** Whether a frame of the world is not sent. */
  has(world: LoadedWorld): boolean {
    return world.batch === this.#nextNumber || this.#pending.has(world);
  }

  /** Forgets the kept frame of a world. */
  delete(world: LoadedWorld): void {
    this.#pending.delete(world);
  }

  /** The frames that were encoded, and kept ones, up to FRAME_BATCH_WORLDS in all. */
  make(): FrameBatch {
    for (const [world, frame] of this.#pending) {
      if (this.#worlds === FRAME_BATCH_WORLDS) break;
      // It was captured again in the turn in which its last frame was encoded.
      if (world.batch === this.#nextNumber) continue;
      this.#pending.delete(world);
      this.#append(world, frame.packed, frame.tick);
      this.#spare.push(frame);
    }
    const worlds = this.#worlds;
    this.#number = this.#nextNumber;
    this.#worlds = 0;
    this.#end = FRAMES_OFFSET;
    return { kind: 'frames', number: this.#number, bytes: this.#buffer.bytes, worlds };
  }

  get #nextNumber(): number {
    return (this.#number + 1) | 0;
  }

  /** Encodes a frame into the batch, in the encodings that are needed. */
  #append(world: LoadedWorld, packed: Int32Array, tick: number): void {
    const { encoder, number } = world;
    const offset = this.#end;
    const packedOffset = world.sendsPacked ? aligned(offset) : 0;
    const jsonOffset = aligned(world.sendsPacked ? packedOffset + PACKED_BYTES : offset);
    const jsonMax = world.json ? encoder.bytesMax('json') : 0;
    const msgpackMax = world.msgpack ? encoder.bytesMax('msgpack') : 0;
    const endMax = aligned(jsonOffset + jsonMax) + msgpackMax + RUN_STEP;
    if (endMax > this.#buffer.bytes.length) this.#buffer = this.#buffer.grown(endMax);
    const { ints, bytes, entries } = this.#buffer;
    if (world.sendsPacked) ints.set(packed, packedOffset / 4);
    const jsonEnd = world.json ? encoder.write('json', packed, bytes, jsonOffset) : jsonOffset;
    const msgpackOffset = aligned(jsonEnd);
    const msgpackEnd = world.msgpack
      ? encoder.write('msgpack', packed, bytes, msgpackOffset)
      : msgpackOffset;
    writeEntry(entries, this.#worlds++, {
      number,
      tick,
      packedOffset,
      jsonOffset,
      jsonEnd,
      msgpackOffset,
      msgpackEnd,
    });
    this.#end = msgpackEnd;
  }
}

/** Shared memory of both threads, with three views of it. */
class BatchBuffer {
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly ints: Int32Array;
  readonly entries: Float64Array;
  readonly #allocate: Allocate;

  constructor(byteLength: number, allocate: Allocate) {
    this.#allocate = allocate;
    this.bytes = allocate(byteLength);
    const { buffer, byteOffset } = this.bytes;
    this.ints = new Int32Array(buffer, byteOffset, byteLength / 4);
    this.entries = new Float64Array(buffer, byteOffset, FRAMES_OFFSET / 8);
  }

  /** A larger copy, of at least `bytesMin`. */
  grown(bytesMin: number): BatchBuffer {
    const pages = Math.ceil(Math.max(bytesMin, 2 * this.bytes.length) / PAGE_BYTES);
    const larger = new BatchBuffer(pages * PAGE_BYTES, this.#allocate);
    larger.bytes.set(this.bytes);
    return larger;
  }
}
