/** Positions in the frames of a replay. */
import { type Snapshot, TICKS_PER_S } from '../api/types.ts';

/** Playback speeds, as parts of real time. */
export const SPEEDS = [0.25, 0.5, 1] as const;
export type Speed = (typeof SPEEDS)[number];

/** First and last tick. */
export function extent(frames: readonly Snapshot[]): [number, number] {
  return [frames[0]?.tick ?? 0, frames.at(-1)?.tick ?? 0];
}

/** Around a contact a replay is so much slower, from so long before until so long after it. */
const SLOW_PART = 0.3;
const SLOW_FROM_TICKS = -0.7 * TICKS_PER_S;
const SLOW_TO_TICKS = 0.5 * TICKS_PER_S;

/** Whether a replay in real time is in slow motion at a tick. */
export function isSlow(tick: number, contactTick: number): boolean {
  const afterTicks = tick - contactTick;
  return afterTicks >= SLOW_FROM_TICKS && afterTicks < SLOW_TO_TICKS;
}

/** The tick after seconds of playback, at most `end`; real time is slow motion around the contact. */
export function played(
  tick: number,
  seconds: number,
  speed: Speed,
  { contactTick, end }: { contactTick: number; end: number },
): number {
  const part = speed === 1 && isSlow(tick, contactTick) ? SLOW_PART : speed;
  return Math.min(end, tick + seconds * part * TICKS_PER_S);
}

/** A tick limited to the range of the frames. */
export function within(tick: number, [first, last]: readonly [number, number]): number {
  return Math.min(last, Math.max(first, tick));
}
