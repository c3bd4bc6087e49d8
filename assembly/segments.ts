/** Whether a straight line segment crosses a convex shape. */
import { B_CORNER, B_CORNERS } from './layout';
import { greatest } from './math';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';

/** Clips the segment by the half-planes of a convex polygon's edges (Cyrus, Beck 1978). */
export function crossesPolygon(block: usize, px: f64, py: f64, qx: f64, qy: f64): bool {
  const count = load<i32>(block + B_CORNERS);
  let enter = 0.0;
  let leave = 1.0;
  let from = block + B_CORNER + ((<usize>(count - 1)) << 4);
  for (let i = 0; i < count; i++) {
    const to = block + B_CORNER + ((<usize>i) << 4);
    const fx = load<f64>(from);
    const fy = load<f64>(from + 8);
    const ex = load<f64>(to) - fx;
    const ey = load<f64>(to + 8) - fy;
    const start = ex * (py - fy) - ey * (px - fx);
    const end = ex * (qy - fy) - ey * (qx - fx);
    if (start < 0.0 && end < 0.0) return false;
    if (start < 0.0) enter = greatest(enter, start / (start - end));
    else if (end < 0.0 && start / (start - end) < leave) leave = start / (start - end);
    if (enter >= leave) return false;
    from = to;
  }
  return true;
}

export function crossesBox(box: usize, px: f64, py: f64, qx: f64, qy: f64): bool {
  const hx = load<f64>(box + BOX_HX);
  const hy = load<f64>(box + BOX_HY);
  const dx = px - load<f64>(box + BOX_X);
  const dy = py - load<f64>(box + BOX_Y);
  const wayX = (qx - px) * hx + (qy - py) * hy;
  const wayY = (qy - py) * hx - (qx - px) * hy;
  const fromX = dx * hx + dy * hy;
  const fromY = dy * hx - dx * hy;
  const halfLength = load<f64>(box + BOX_HALF_LENGTH);
  const halfWidth = load<f64>(box + BOX_HALF_WIDTH);
  if (abs(wayX) < 1e-9 && abs(fromX) > halfLength) return false;
  if (abs(wayY) < 1e-9 && abs(fromY) > halfWidth) return false;
  const perX = 1.0 / (abs(wayX) < 1e-9 ? 1e-9 : wayX);
  const perY = 1.0 / (abs(wayY) < 1e-9 ? 1e-9 : wayY);
  const ax = (-halfLength - fromX) * perX;
  const bx = (halfLength - fromX) * perX;
  const ay = (-halfWidth - fromY) * perY;
  const by = (halfWidth - fromY) * perY;
  return ASC_FEATURE_SIMD ? isCutAtOnce(ax, bx, ay, by) : isCut(ax, bx, ay, by);
}

/** Whether the segment, from 0 to 1, lies within both pairs of bounds at the same time. */
function isCut(ax: f64, bx: f64, ay: f64, by: f64): bool {
  const enter = greatest(greatest(ax < bx ? ax : bx, ay < by ? ay : by), 0.0);
  const leaveX = ax < bx ? bx : ax;
  const leaveY = ay < by ? by : ay;
  const leave = leaveX < leaveY ? leaveX : leaveY;
  return enter < leave && enter < 1.0;
}

/** The same without branches. */
@inline function isCutAtOnce(ax: f64, bx: f64, ay: f64, by: f64): bool {
  const first = f64x2.replace_lane(f64x2.splat(ax), 1, ay);
  const second = f64x2.replace_lane(f64x2.splat(bx), 1, by);
  const enter = f64x2.pmax(f64x2.pmin(first, second), f64x2.splat(0.0));
  const leave = f64x2.pmin(f64x2.pmax(first, second), f64x2.splat(1.0));
  // Each entry must come before each exit: that of its own axis and that of the other.
  const swapped = v128.shuffle<f64>(leave, leave, 1, 0);
  return i64x2.all_true(v128.and(f64x2.lt(enter, leave), f64x2.lt(enter, swapped)));
}
