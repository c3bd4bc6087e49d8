import { OUT_LENGTH } from '../../assembly/layout.ts';
import { frameBytesMax } from '../codec/frame-size.ts';
import { JsonFrameWriter } from '../codec/json.ts';
import { MsgpackFrameWriter } from '../codec/msgpack.ts';
import type { FrameNames } from '../codec/names.ts';
import { BEAT_WORLDS } from '../limits.ts';
import type { Encoding } from '../twin/service.ts';
import { BEAT_ENTRY, type BeatReport } from './protocol.ts';
import type { Resident } from './resident.ts';

const PACKED_BYTES = OUT_LENGTH * 4;

/** Turns packed frames of one world into bytes. */
export class FrameEncoder {
  readonly bytesMax: number;
  readonly #json: JsonFrameWriter;
  readonly #msgpack: MsgpackFrameWriter;

  /** `bytesMax` is the same for all worlds of a city. */
  constructor(names: FrameNames, bytesMax = frameBytesMax(names)) {
    this.bytesMax = bytesMax;
    this.#json = new JsonFrameWriter(names);
    this.#msgpack = new MsgpackFrameWriter(names);
  }

  /** Writes a frame at `at` and returns where it ends. `out` has room for `bytesMax`. */
  write(encoding: Encoding, packed: Int32Array, out: Uint8Array, at: number): number {
    const writer = encoding === 'json' ? this.#json : this.#msgpack;
    return writer.write(packed, out, at);
  }

  encode(encoding: Encoding, packed: Int32Array): Uint8Array {
    const out = new Uint8Array(this.bytesMax);
    return out.slice(0, this.write(encoding, packed, out, 0));
  }
}

/**
 * Gathers the frames of a beat. A world whose frame could not be sent yet is in it once, with its
 * newest frame: bytes are only made when the beat goes out.
 */
export class Beat {
  readonly #pending = new Set<Resident>();
  readonly #encoderOf: (resident: Resident) => FrameEncoder;
  #number = 0;
  #scratch = new Uint8Array(1 << 18);

  constructor(encoderOf: (resident: Resident) => FrameEncoder) {
    this.#encoderOf = encoderOf;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Number of the last beat that was made. */
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
    const residents = [...this.#pending].slice(0, BEAT_WORLDS);
    const index = new Float64Array(residents.length * BEAT_ENTRY);
    let end = 0;
    for (const [i, resident] of residents.entries()) {
      this.#pending.delete(resident);
      end = this.#append(resident, index.subarray(i * BEAT_ENTRY), end);
    }
    return {
      kind: 'beat',
      beat: ++this.#number,
      buffer: this.#scratch.buffer.slice(0, end),
      index,
    };
  }

  #append(resident: Resident, entry: Float64Array, at: number): number {
    const encoder = this.#encoderOf(resident);
    // The packed snapshot goes first: its integers must lie on a multiple of four.
    const packedAt = (at + 3) & ~3;
    this.#reserve(packedAt + PACKED_BYTES + 2 * encoder.bytesMax);
    new Int32Array(this.#scratch.buffer, packedAt, OUT_LENGTH).set(resident.packed);
    const jsonAt = packedAt + PACKED_BYTES;
    const jsonEnd = resident.json
      ? encoder.write('json', resident.packed, this.#scratch, jsonAt)
      : jsonAt;
    const end = resident.msgpack
      ? encoder.write('msgpack', resident.packed, this.#scratch, jsonEnd)
      : jsonEnd;
    entry[0] = resident.world;
    entry[1] = resident.packedTick;
    entry[2] = jsonAt;
    entry[3] = jsonEnd - jsonAt;
    entry[4] = jsonEnd;
    entry[5] = end - jsonEnd;
    entry[6] = packedAt;
    entry[7] = PACKED_BYTES;
    return end;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#scratch.length) return;
    const larger = new Uint8Array(Math.max(bytes, 2 * this.#scratch.length));
    larger.set(this.#scratch);
    this.#scratch = larger;
  }
}
