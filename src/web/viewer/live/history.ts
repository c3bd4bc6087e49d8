import { accelerationBetween, SPAN_FRAMES } from '../acceleration.ts';
import type { Snapshot } from '../api/types.ts';

/** Frames in half a minute. */
const LENGTH = 375;
/** Ticks from one to the next; a life in the page has more of them. */
const FRAME_TICKS = 4;

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
    if (tick < (this.#frames.at(-1)?.tick ?? -FRAME_TICKS) + FRAME_TICKS) return;
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
      if (earlier === undefined) return { tick, speed, acceleration: null };
      const from = { tick: earlier.tick, speed: earlier.speeds[car] ?? 0 };
      return { tick, speed, acceleration: accelerationBetween(from, { tick, speed }) };
    });
  }
}
