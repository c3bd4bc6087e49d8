/** How the camera keeps places in view. */
import type { MapPoint } from '../api/types.ts';
import { metresPerPixel, type Pose, project, turnsOf, type Viewport } from './camera.ts';

/** A collision is seen obliquely, from behind the car that caused it. */
export const PARTIES = { tilt: 1, radiusM: 4, leastM: 60 } as const;

/** Parts of the canvas that something covers, and a margin: CSS pixels. */
export interface Insets {
  top: number;
  bottom: number;
  side: number;
}

const DISTANCE_MAX_M = 3000;
/** Of the search for the distance: to a thousandth of its range. */
const STEPS = 14;

/**
 * Sets target and distance of a pose, of which tilt and bearing are given, so that all places lie in the
 * part of the canvas that nothing covers, as near as that goes.
 * @param radiusM around each place that is in view as well
 * @param least the smallest distance, m
 */
export function frame(
  pose: Pose,
  view: Viewport,
  places: readonly MapPoint[],
  { insets, radiusM, least }: { insets: Insets; radiusM: number; least: number },
): void {
  const { cb, sb, ct } = turnsOf(pose);
  // The middle of the places in the directions of the screen.
  const ahead = places.map(([x, y]) => x * cb + y * sb);
  const right = places.map(([x, y]) => x * sb - y * cb);
  const [middleAhead, middleRight] = [middleOf(ahead), middleOf(right)];
  const lay = (distance: number) => {
    pose.distance = distance;
    // What covers the bottom moves the middle of the free part up.
    const upPx = (insets.bottom - insets.top) / 2;
    const backM = (upPx * metresPerPixel(pose, view)) / Math.max(0.3, ct);
    const along = middleAhead - backM;
    pose.x = along * cb + middleRight * sb;
    pose.y = along * sb - middleRight * cb;
    pose.z = 0;
  };
  let [near, far] = [least, DISTANCE_MAX_M];
  lay(near);
  if (areInView(pose, view, places, insets, radiusM)) return;
  for (let step = 0; step < STEPS; step++) {
    const distance = Math.sqrt(near * far);
    lay(distance);
    if (areInView(pose, view, places, insets, radiusM)) far = distance;
    else near = distance;
  }
  lay(far);
}

function middleOf(values: readonly number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}

/** Whether all places lie in the part of the canvas that nothing covers. */
export function areInView(
  pose: Pose,
  view: Viewport,
  places: readonly MapPoint[],
  { top, bottom, side }: Insets,
  radiusM: number,
): boolean {
  const radiusPx = radiusM / metresPerPixel(pose, view);
  return places.every(([x, y]) => {
    const { xPx, yPx, depth } = project(pose, view, x, y, 0);
    const isAcross = xPx > side + radiusPx && xPx < view.widthPx - side - radiusPx;
    const isAlong = yPx > top + radiusPx && yPx < view.heightPx - bottom - radiusPx;
    return depth > 0 && isAcross && isAlong;
  });
}
