import type { Snapshot } from '../api/types.ts';

/** Frames of half a minute. */
const LENGTH = 375;
const TICKS_PER_S = 50;
/** Speeds come in centimetres a second: over fewer frames their difference is mostly rounding. */
const SPAN_FRAMES = 3;
/** No car accelerates or brakes harder; a collision does, and a car that is put elsewhere. */
const ACCELERATION_MAX = 12;

/** One point of a car's past. */
export interface Moment {
  tick: number;
  speed: number;
  /** m/s²; null where the car did not drive from one to the other. */
  acceleration: number | null;
}

/** How fast each car was over the last half minute. */
export class History {
  #frames: { tick: number; speeds: Float32Array }[] = [];

  add({ tick, vehicles }: Snapshot): void {
    if (tick <= (this.#frames.at(-1)?.tick ?? -1)) return;
    // The oldest entry is taken up again, so that nothing is left behind.
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
