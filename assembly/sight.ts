/**
 * What one sensor sees of one object: three rays to its box, to the nearest point and to the two ends
 * of its outline; see `look`.
 */
import { SIGHT } from './layout';
import { clamp } from './math';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';

/** Ends of the rays, f64 pairs, m: left end of the outline, right end, nearest point. */
export const RAYS: usize = SIGHT + 640;
export const RAY_COUNT = 3;
/** Distance to the nearest point, squared, f64 m². */
export const NEAREST: usize = SIGHT + 688;

@inline export function rayX(ray: i32): f64 {
  return load<f64>(RAYS + (<usize>ray << 4));
}

@inline export function rayY(ray: i32): f64 {
  return load<f64>(RAYS + (<usize>ray << 4) + 8);
}

@inline function putRay(ray: i32, x: f64, y: f64): void {
  store<f64>(RAYS + (<usize>ray << 4), x);
  store<f64>(RAYS + (<usize>ray << 4) + 8, y);
}

/** Leaves the rays from a place to a box. */
export function aim(box: usize, px: f64, py: f64): void {
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
  let leftX = dx + lx + wx;
  let leftY = dy + ly + wy;
  let rightX = leftX;
  let rightY = leftY;
  for (let corner = 1; corner < 4; corner++) {
    const cx = dx + (corner == 3 ? lx : -lx) + (corner == 1 ? wx : -wx);
    const cy = dy + (corner == 3 ? ly : -ly) + (corner == 1 ? wy : -wy);
    if (leftX * cy - leftY * cx > 0.0) {
      leftX = cx;
      leftY = cy;
    }
    if (rightX * cy - rightY * cx < 0.0) {
      rightX = cx;
      rightY = cy;
    }
  }
  putRay(0, px + leftX, py + leftY);
  putRay(1, px + rightX, py + rightY);
}

/**
 * Whether an end of a ray lies in the sector from `right` to `left`, less than half a turn: both unit
 * vectors or longer, in the axes of the heading (hx, hy), as (ahead, left) pairs.
 */
export function isInSector(
  px: f64, py: f64, hx: f64, hy: f64, rightAhead: f64, rightLeft: f64, leftAhead: f64, leftLeft: f64,
): bool {
  for (let ray = 0; ray < RAY_COUNT; ray++) {
    const dx = rayX(ray) - px;
    const dy = rayY(ray) - py;
    const ahead = dx * hx + dy * hy;
    const left = dy * hx - dx * hy;
    if (rightAhead * left - rightLeft * ahead >= 0.0 && ahead * leftLeft - left * leftAhead >= 0.0) return true;
  }
  return false;
}
