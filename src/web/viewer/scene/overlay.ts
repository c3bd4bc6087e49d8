import type { MapPoint } from '../api/types.ts';
import type { Billboards } from './billboards.ts';
import type { Decals } from './decals.ts';
import type { Layers } from './layers.ts';

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
  layers: Layers;
  /** The camera is close behind a car: what lies over the streets is thinned out. */
  isClose: boolean;
  /** Nothing covers these places: the parties of a replay. */
  uncovered: readonly MapPoint[];
}

/** What decides which signs are drawn. */
export type Signing = Pick<Overlay, 'layers' | 'isClose' | 'uncovered'>;

/** Around a place that nothing covers, m. */
const UNCOVERED_M = 14;

/** Whether a sign at a place would cover what nothing may cover. */
export function covers({ uncovered }: Signing, x: number, y: number): boolean {
  return uncovered.some((place) => Math.hypot(place[0] - x, place[1] - y) < UNCOVERED_M);
}

const BLINK_TICKS = 18;

/** Whether warning lights shine at a tick. */
export const areBlinkersOn = (tick: number): boolean => tick % (2 * BLINK_TICKS) < BLINK_TICKS;
