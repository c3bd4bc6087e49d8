import type { Encoding } from '../../src/codec/encoding.ts';
import type { FrameEncoder } from '../../src/codec/frame-encoder.ts';
import { type FrameNames, snapshotOf, telemetryOf } from '../../src/codec/snapshot.ts';
import type { Snapshot, Telemetry } from '../../src/twin/wire.ts';

/**
 * What names the numbers of a world's packed states.
 * @internal
 */
export interface MomentNames {
  readonly names: FrameNames;
  readonly encoder: FrameEncoder;
}

/** A world at one tick. */
export class Moment {
  readonly tick: number;
  /** Of the whole state: equal worlds have equal hashes. 16 hexadecimal digits. */
  readonly hash: string;
  readonly #packed: Int32Array;
  readonly #of: MomentNames;

  /**
   * `packed`: as the kernel packs a state; it is not copied.
   * @internal
   */
  constructor(tick: number, hash: string, packed: Int32Array, of: MomentNames) {
    this.tick = tick;
    this.hash = hash;
    this.#packed = packed;
    this.#of = of;
  }

  snapshot(): Snapshot {
    return snapshotOf(this.#packed, this.#of.names);
  }

  /** The bytes with which a node answers `GET …/state`. */
  frame(encoding: Encoding): Uint8Array {
    return this.#of.encoder.encode(encoding, this.#packed);
  }

  /** @param car index in the fleet */
  telemetry(car: number): Telemetry {
    return telemetryOf(this.#packed, car, this.#of.names);
  }
}
