/** Positions in the frames of a replay. */
import type { Snapshot } from '../api/types.ts';

const TICKS_PER_S = 50;

/** Playback speeds, as parts of real time. */
export const SPEEDS = [0.25, 0.5, 1] as const;
export type Speed = (typeof SPEEDS)[number];

/** The frames before and after a tick; at either end, the same one twice. */
export function framesAround(
  frames: readonly Snapshot[],
  tick: number,
): [Snapshot, Snapshot] | null {
  const [first] = frames;
  const last = frames.at(-1);
  if (first === undefined || last === undefined) return null;
  const next = frames.findIndex((frame) => frame.tick > tick);
  if (next === 0) return [first, first];
  const to = frames[next];
  const from = frames[next - 1];
  return from && to ? [from, to] : [last, last];
}

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
