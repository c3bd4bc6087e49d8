import { OUT_LENGTH } from '../../assembly/layout.ts';
import type { FrameEncoder } from '../codec/frame-encoder.ts';
import { BEAT_WORLDS } from '../limits.ts';
import { alignedAt, FRAMES_AT, placeFrame } from './batch-frames.ts';
import type { Resident } from './loaded-world.ts';
import type { BeatReport } from './protocol.ts';

const PACKED_BYTES = OUT_LENGTH * 4;
const PAGE_BYTES = 4096;
const FIRST_BYTES = 64 * PAGE_BYTES;

/**
 * Gathers the frames of a beat. A world whose frame could not be sent yet is in it once, with its
 * newest frame: bytes are only made when the beat goes out. All beats are made in the same shared
 * memory, so none may be made before the one before it was taken.
 */
export class Beat {
  readonly #pending = new Set<Resident>();
  readonly #encoderOf: (resident: Resident) => FrameEncoder;
  #number = 0;
  #buffer = new BeatBuffer(FIRST_BYTES);

  constructor(encoderOf: (resident: Resident) => FrameEncoder) {
    this.#encoderOf = encoderOf;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Number of the last beat that was made, an i32: after months it begins again below zero. */
  get number(): number {
    return this.#number;
  }

  add(resident: Resident): void {
    this.#pending.add(resident);
  }

  delete(resident: Resident): void {
    this.#pending.delete(resident);
  }

  /** Encodes up to BEAT_WORLDS pending frames, in the encodings that are wanted. */
  make(): BeatReport {
    let worlds = 0;
    let end = FRAMES_AT;
    for (const resident of this.#pending) {
      if (worlds === BEAT_WORLDS) break;
      this.#pending.delete(resident);
      end = this.#append(resident, worlds++, end);
    }
    this.#number = (this.#number + 1) | 0;
    return { kind: 'beat', beat: this.#number, buffer: this.#buffer.memory, worlds };
  }

  #append(resident: Resident, i: number, at: number): number {
    const encoder = this.#encoderOf(resident);
    const packedAt = alignedAt(at);
    const jsonAt = alignedAt(packedAt + PACKED_BYTES);
    const jsonMax = resident.json ? encoder.bytesMax('json') : 0;
    const endMax =
      alignedAt(jsonAt + jsonMax) + (resident.msgpack ? encoder.bytesMax('msgpack') : 0);
    if (endMax > this.#buffer.bytes.length) this.#buffer = this.#buffer.grown(endMax);
    const { ints, bytes, entries } = this.#buffer;
    const { world, packed, packedTick: tick } = resident;
    ints.set(packed, packedAt / 4);
    const jsonEnd = resident.json ? encoder.write('json', packed, bytes, jsonAt) : jsonAt;
    const msgpackAt = alignedAt(jsonEnd);
    const msgpackEnd = resident.msgpack
      ? encoder.write('msgpack', packed, bytes, msgpackAt)
      : msgpackAt;
    placeFrame(entries, i, { world, tick, packedAt, jsonAt, jsonEnd, msgpackAt, msgpackEnd });
    return msgpackEnd;
  }
}

/** Memory that both threads see, in its three views. */
class BeatBuffer {
  readonly memory: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  readonly ints: Int32Array;
  readonly entries: Float64Array;

  constructor(byteLength: number) {
    this.memory = new SharedArrayBuffer(byteLength);
    this.bytes = new Uint8Array(this.memory);
    this.ints = new Int32Array(this.memory);
    this.entries = new Float64Array(this.memory, 0, FRAMES_AT / 8);
  }

  /** A larger one with what is in this, for `bytesMin` at least. */
  grown(bytesMin: number): BeatBuffer {
    const pages = Math.ceil(Math.max(bytesMin, 2 * this.bytes.length) / PAGE_BYTES);
    const larger = new BeatBuffer(pages * PAGE_BYTES);
    larger.bytes.set(this.bytes);
    return larger;
  }
}
