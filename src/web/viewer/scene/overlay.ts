import type { Billboards } from './billboards.ts';
import type { Decals } from './decals.ts';

/** Layers that are filled anew for each frame, and what their content depends on. */
export interface Overlay {
  /** Marks on the ground. */
  decals: Decals;
  /** Hidden behind houses. */
  smoke: Billboards;
  /** Hidden behind nothing. */
  signs: Billboards;
  /** Metres per CSS pixel at the camera's target. */
  perPixelM: number;
  tick: number;
  reducedMotion: boolean;
}

const BLINK_TICKS = 18;

/** Whether warning lights shine at a tick. */
export const areBlinkersOn = (tick: number): boolean => tick % (2 * BLINK_TICKS) < BLINK_TICKS;
