/** Positions in the frames of a replay. */
import { type Snapshot, TICKS_PER_S } from '../api/types.ts';

/** Playback speeds, as parts of real time. */
export const SPEEDS = [0.25, 0.5, 1] as const;
export type Speed = (typeof SPEEDS)[number];

/** First and last tick. */
export function extent(frames: readonly Snapshot[]): [number, number] {
  return [frames[0]?.tick ?? 0, frames.at(-1)?.tick ?? 0];
}

/** The tick after seconds of playback, at most `end`. */
export function played(tick: number, seconds: number, speed: Speed, end: number): number {
  return Math.min(end, tick + seconds * speed * TICKS_PER_S);
}

/** A tick limited to the range of the frames. */
export function within(tick: number, [first, last]: readonly [number, number]): number {
  return Math.min(last, Math.max(first, tick));
}
