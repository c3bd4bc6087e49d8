import type { Bounds } from '../api/types.ts';

/**
 * The pose of the camera, which looks at a target on the ground from a distance. `tilt` is 0 from
 * straight above and π/2 from the horizon; `bearing` is the direction that is up on the screen.
 */
export interface Pose {
  x: number;
  y: number;
  z: number;
  distance: number;
  tilt: number;
  bearing: number;
}

export interface Viewport {
  /** CSS pixels. */
  widthPx: number;
  heightPx: number;
}

/** Vertical field of view: narrow, so that a city from above looks like a map. */
export const FIELD_RAD = 0.56;
export const NORTH = Math.PI / 2;
export const TILT_MAX = 1.43;
export const DISTANCE_MIN_M = 7;
const TAN_HALF = Math.tan(FIELD_RAD / 2);

/** Metres of ground per CSS pixel at the target. */
export const metresPerPixel = (pose: Pose, { heightPx }: Viewport): number =>
  (2 * pose.distance * TAN_HALF) / Math.max(1, heightPx);

/** The distance at which the view covers an area of this size. */
export function distanceFor(widthM: number, heightM: number, view: Viewport): number {
  const aspect = view.widthPx / Math.max(1, view.heightPx);
  return Math.max(heightM, widthM / aspect) / (2 * TAN_HALF);
}

const FIT_MARGIN = 1.04;

/** The whole city from above, north up. */
export function wholeOf(bounds: Bounds, view: Viewport): Pose {
  const width = bounds.max_x - bounds.min_x;
  const height = bounds.max_y - bounds.min_y;
  return {
    x: (bounds.min_x + bounds.max_x) / 2,
    y: (bounds.min_y + bounds.max_y) / 2,
    z: 0,
    distance: distanceFor(width, height, view) * FIT_MARGIN,
    tilt: 0,
    bearing: NORTH,
  };
}

/** The part of the canvas' height that the city takes at least before anybody has moved the map. */
const HEIGHT_PART_MIN = 0.75;

/**
 * The city before anybody has moved the map: all of it, north up. On a phone, where half of the canvas would be
 * empty then, its middle from nearer by.
 */
export function overviewOf(bounds: Bounds, view: Viewport): Pose {
  const whole = wholeOf(bounds, view);
  const heightM = (bounds.max_y - bounds.min_y) / HEIGHT_PART_MIN;
  return { ...whole, distance: Math.min(whole.distance, distanceFor(0, heightM, view)) };
}

/** Sines and cosines of a pose's tilt and bearing. */
export const turnsOf = ({ tilt, bearing }: Pose) => ({
  st: Math.sin(tilt),
  ct: Math.cos(tilt),
  sb: Math.sin(bearing),
  cb: Math.cos(bearing),
});

/** Where the camera is. */
export function eyeOf(pose: Pose): [x: number, y: number, z: number] {
  const { st, ct, sb, cb } = turnsOf(pose);
  const { x, y, z, distance } = pose;
  return [x - distance * st * cb, y - distance * st * sb, z + distance * ct];
}

/** Projects a place of the world onto the canvas. */
export function project(pose: Pose, view: Viewport, x: number, y: number, z: number) {
  const { st, ct, sb, cb } = turnsOf(pose);
  const dx = x - pose.x;
  const dy = y - pose.y;
  const dz = z - pose.z;
  const ahead = dx * cb + dy * sb;
  const depth = pose.distance + ahead * st - dz * ct;
  const right = dx * sb - dy * cb;
  const up = ahead * ct + dz * st;
  const scale = view.heightPx / (2 * TAN_HALF * Math.max(1e-6, depth));
  return {
    xPx: view.widthPx / 2 + right * scale,
    yPx: view.heightPx / 2 - up * scale,
    /** Along the line of sight, m; not positive behind the camera. */
    depth,
  };
}

/** The place on the ground under a point of the canvas; null above the horizon. */
export function groundUnder(pose: Pose, view: Viewport, xPx: number, yPx: number) {
  const perPx = (2 * TAN_HALF) / view.heightPx;
  const right = (xPx - view.widthPx / 2) * perPx;
  const up = (view.heightPx / 2 - yPx) * perPx;
  const { st, ct, sb, cb } = turnsOf(pose);
  const down = ct - up * st;
  if (down <= 1e-4) return null;
  const reach = (pose.z + pose.distance * ct) / down;
  const ahead = (st + up * ct) * reach - pose.distance * st;
  return {
    x: pose.x + ahead * cb + right * reach * sb,
    y: pose.y + ahead * sb - right * reach * cb,
  };
}

/** The smallest turn from one direction to another, −π to π. */
export function turnBetween(from: number, to: number): number {
  const turn = (to - from) % (2 * Math.PI);
  if (turn > Math.PI) return turn - 2 * Math.PI;
  return turn < -Math.PI ? turn + 2 * Math.PI : turn;
}

/** Interpolates a pose; distances by ratio, so that zooming looks even. */
export function blend(from: Pose, to: Pose, part: number, out: Pose): void {
  out.x = from.x + (to.x - from.x) * part;
  out.y = from.y + (to.y - from.y) * part;
  out.z = from.z + (to.z - from.z) * part;
  out.distance = from.distance * (to.distance / from.distance) ** part;
  out.tilt = from.tilt + (to.tilt - from.tilt) * part;
  out.bearing = from.bearing + turnBetween(from.bearing, to.bearing) * part;
}
