import type { HazardSpot } from '../api/types.ts';
import { metresPerPixel, type Pose, project, type Viewport } from './camera.ts';
import { hasSign, signPlace } from './hazard-view.ts';
import type { Signing } from './overlay.ts';
import type { ShownCar } from './types.ts';

/** Precision of a finger. */
const REACH_PX = 16;
const MIDDLE_M = 0.7;
/** Half the size of the sign of a spot, and a little. */
const SIGN_REACH_PX = 18;

/** The car that is drawn nearest to a point of the canvas; null where none is within reach. */
export function carUnder(
  cars: readonly ShownCar[],
  pose: Pose,
  view: Viewport,
  xPx: number,
  yPx: number,
): number | null {
  let best: number | null = null;
  let bestPx = Number.POSITIVE_INFINITY;
  for (const [i, car] of cars.entries()) {
    const spot = project(pose, view, car.x, car.y, MIDDLE_M);
    if (spot.depth <= 0) continue;
    // Near by, a car is larger than a finger.
    const bodyPx = (1.6 * view.heightPx) / (0.576 * spot.depth);
    const apartPx = Math.hypot(spot.xPx - xPx, spot.yPx - yPx);
    if (apartPx > Math.max(REACH_PX, bodyPx) || apartPx >= bestPx) continue;
    best = i;
    bestPx = apartPx;
  }
  return best;
}

/** The hazard spot whose sign is drawn under a point of the canvas, CSS pixels. */
export function spotUnder(
  spots: readonly HazardSpot[],
  signing: Signing,
  pose: Pose,
  view: Viewport,
  xPx: number,
  yPx: number,
): HazardSpot | null {
  const { heightM, risePx } = signPlace(metresPerPixel(pose, view));
  let [nearest, leastPx]: [HazardSpot | null, number] = [null, SIGN_REACH_PX];
  for (const spot of spots) {
    if (!hasSign(spot, signing)) continue;
    const shown = project(pose, view, spot.x, spot.y, heightM);
    const awayPx = Math.hypot(shown.xPx - xPx, shown.yPx - risePx - yPx);
    if (shown.depth > 0 && awayPx < leastPx) [nearest, leastPx] = [spot, awayPx];
  }
  return nearest;
}
