/**
 * What one sensor sees of one object by three rays: to both ends of its outline and to its nearest
 * point. Aimed at one object at a time.
 */
import { SIGHT } from './layout';
import { clamp } from './math';
import { isBlockInWay, isVehicleInWay } from './occlusion';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';

/** Ends of the rays, f64 pairs, m: left end of the outline, right end, nearest point. */
const RAYS: usize = SIGHT + 576;
const RAY_COUNT = 3;
/** Distance to the nearest point, squared, f64 m². */
const NEAREST: usize = SIGHT + 624;
/** Position, f64 m, and heading of the sensor. */
export const FROM_X: usize = SIGHT + 632;
export const FROM_Y: usize = SIGHT + 640;
const FROM_HX: usize = SIGHT + 648;
const FROM_HY: usize = SIGHT + 656;
/** Corners of the box relative to the sensor, f64 pairs, m. */
const CORNERS: usize = SIGHT + 2640;

@inline function rayX(ray: i32): f64 {
  return load<f64>(RAYS + ((<usize>ray) << 4));
}

@inline function rayY(ray: i32): f64 {
  return load<f64>(RAYS + ((<usize>ray) << 4) + 8);
}

@inline function putRay(ray: i32, x: f64, y: f64): void {
  store<f64>(RAYS + ((<usize>ray) << 4), x);
  store<f64>(RAYS + ((<usize>ray) << 4) + 8, y);
}

@inline function putCorner(corner: i32, x: f64, y: f64): void {
  store<f64>(CORNERS + ((<usize>corner) << 4), x);
  store<f64>(CORNERS + ((<usize>corner) << 4) + 8, y);
}

/** Positive if the second corner is left of the first as seen from the sensor. */
@inline function crossOf(first: usize, second: usize): f64 {
  return load<f64>(first) * load<f64>(second + 8) - load<f64>(first + 8) * load<f64>(second);
}

/** Sets the rays from a sensor to a box; always true. */
export function aim(box: usize, px: f64, py: f64, sensorHx: f64, sensorHy: f64): bool {
  store<f64>(FROM_X, px);
  store<f64>(FROM_Y, py);
  store<f64>(FROM_HX, sensorHx);
  store<f64>(FROM_HY, sensorHy);
  const dx = load<f64>(box + BOX_X) - px;
  const dy = load<f64>(box + BOX_Y) - py;
  const hx = load<f64>(box + BOX_HX);
  const hy = load<f64>(box + BOX_HY);
  const halfLength = load<f64>(box + BOX_HALF_LENGTH);
  const halfWidth = load<f64>(box + BOX_HALF_WIDTH);
  const ahead = clamp(-(dx * hx + dy * hy), -halfLength, halfLength);
  const left = clamp(-(dy * hx - dx * hy), -halfWidth, halfWidth);
  const nx = dx + ahead * hx - left * hy;
  const ny = dy + ahead * hy + left * hx;
  putRay(2, px + nx, py + ny);
  store<f64>(NEAREST, nx * nx + ny * ny);
  const lx = halfLength * hx;
  const ly = halfLength * hy;
  const wx = -halfWidth * hy;
  const wy = halfWidth * hx;
  putCorner(0, dx + lx + wx, dy + ly + wy);
  putCorner(1, dx - lx + wx, dy - ly + wy);
  putCorner(2, dx - lx - wx, dy - ly - wy);
  putCorner(3, dx + lx - wx, dy + ly - wy);
  let leftEnd = CORNERS;
  let rightEnd = CORNERS;
  // Selected without branches: which corners are the ends is unpredictable.
  for (let corner = CORNERS + 16; corner < CORNERS + 64; corner += 16) {
    leftEnd = select<usize>(corner, leftEnd, crossOf(leftEnd, corner) > 0.0);
    rightEnd = select<usize>(corner, rightEnd, crossOf(rightEnd, corner) < 0.0);
  }
  putRay(0, px + load<f64>(leftEnd), py + load<f64>(leftEnd + 8));
  putRay(1, px + load<f64>(rightEnd), py + load<f64>(rightEnd + 8));
  return true;
}

/**
 * Whether the object is in range and the end of a ray lies in the sector from `right` to `left`,
 * less than half a turn. Both are unit vectors (ahead, left) in the axes of the sensor.
 */
export function isInSector(
  range: f64,
  rightAhead: f64,
  rightLeft: f64,
  leftAhead: f64,
  leftLeft: f64,
): bool {
  if (load<f64>(NEAREST) > range * range) return false;
  const hx = load<f64>(FROM_HX);
  const hy = load<f64>(FROM_HY);
  for (let ray = 0; ray < RAY_COUNT; ray++) {
    const dx = rayX(ray) - load<f64>(FROM_X);
    const dy = rayY(ray) - load<f64>(FROM_Y);
    const ahead = dx * hx + dy * hy;
    const left = dy * hx - dx * hy;
    if (rightAhead * left - rightLeft * ahead >= 0.0 && ahead * leftLeft - left * leftAhead >= 0.0)
      return true;
  }
  return false;
}

/** A camera recognises an object by two of the three rays. */
export function cameraSees(): bool {
  let free = 0;
  for (let ray = 0; ray < RAY_COUNT; ray++) {
    if (isBlocked(ray)) {
      if (ray - free == 1) return false;
    } else if (++free == 2) return true;
  }
  return false;
}

@inline function isBlocked(ray: i32): bool {
  return isBehindBlock(ray) || isBehindVehicle(ray);
}

/** A radar needs one ray that no block stops; a vehicle occludes only if it stops all rays. */
export function radarSees(): bool {
  if (isBehindBlock(0) && isBehindBlock(1) && isBehindBlock(2)) return false;
  return !(isBehindVehicle(0) && isBehindVehicle(1) && isBehindVehicle(2));
}

@inline function isBehindBlock(ray: i32): bool {
  return isBlockInWay(load<f64>(FROM_X), load<f64>(FROM_Y), rayX(ray), rayY(ray));
}

@inline function isBehindVehicle(ray: i32): bool {
  return isVehicleInWay(load<f64>(FROM_X), load<f64>(FROM_Y), rayX(ray), rayY(ray));
}
