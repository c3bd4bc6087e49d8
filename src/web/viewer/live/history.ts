import { type Snapshot, TICKS_PER_S } from '../api/types.ts';

/** Frames in half a minute. */
const LENGTH = 375;
/** Speeds have a resolution of 1 cm/s: over fewer frames, their difference is mostly rounding. */
const SPAN_FRAMES = 3;
/** m/s². Only a collision or a respawn exceeds it. */
const ACCELERATION_MAX = 12;

/** One point of a car's past. */
export interface Moment {
  tick: number;
  speed: number;
  /** m/s²; null across a collision or a respawn. */
  acceleration: number | null;
}

/** The speed of each car over the last half minute. */
export class History {
  #frames: { tick: number; speeds: Float32Array }[] = [];

  add({ tick, vehicles }: Snapshot): void {
    if (tick <= (this.#frames.at(-1)?.tick ?? -1)) return;
    // Reuses the oldest entry, so that nothing is allocated.
    const full = this.#frames.length === LENGTH ? this.#frames.shift() : undefined;
    const speeds = full?.speeds ?? new Float32Array(vehicles.length);
    for (const [i, { speed }] of vehicles.entries()) speeds[i] = speed;
    this.#frames.push({ tick, speeds });
  }

  /** The past of one car, oldest first. */
  of(car: number): Moment[] {
    return this.#frames.map(({ tick, speeds }, i) => {
      const speed = speeds[car] ?? 0;
      const earlier = this.#frames[i - SPAN_FRAMES];
      return { tick, speed, acceleration: earlier ? rate(earlier, tick, speed, car) : null };
    });
  }
}

function rate(
  earlier: { tick: number; speeds: Float32Array },
  tick: number,
  speed: number,
  car: number,
): number | null {
  const value = ((speed - (earlier.speeds[car] ?? 0)) * TICKS_PER_S) / (tick - earlier.tick);
  return Math.abs(value) > ACCELERATION_MAX ? null : value;
}
