import { TICKS_PER_S } from './api/types.ts';

/** Speeds have a resolution of 1 cm/s: over fewer frames, their difference is mostly rounding. */
export const SPAN_FRAMES = 3;
/** m/s². Only a collision or a respawn exceeds it. */
const ACCELERATION_MAX = 12;

/** The speed of a car at a tick, m/s. */
export interface SpeedAt {
  tick: number;
  speed: number;
}

/** The mean acceleration between two frames, m/s²; null across a collision or a respawn. */
export function accelerationBetween(from: SpeedAt, to: SpeedAt): number | null {
  const value = ((to.speed - from.speed) * TICKS_PER_S) / (to.tick - from.tick);
  return Math.abs(value) > ACCELERATION_MAX ? null : value;
}
