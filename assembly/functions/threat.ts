/**
 * Relation of a target to the path of a car: where it is, and when it will be in the path. Results
 * are left in scratch memory and read in the same call.
 */
import {
  CT_CENTRE,
  CT_LENGTH,
  CT_WIDTH,
  C_EVADE_OFFSET,
  C_EVADE_TICK,
  C_HX,
  C_HY,
  C_OFFSET,
  C_STATION,
  C_VX,
  C_X,
  C_Y,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  SCRATCH,
  TG_ACCEL,
  TG_HALF_LENGTH,
  TG_HALF_WIDTH,
  TG_HX,
  TG_HY,
  TG_PATH,
  TG_VX,
  TG_VY,
  TG_X,
  TG_Y,
} from '../layout';
import { along, laneAhead, laneLength, pointAt, shareAt } from '../lanes';
import { greatest, least } from '../math';
import { getF, getI, typeOf } from '../memory';
import { CROSSING_MPS } from '../relevance';

/** m along the path from the front bumper to the nearest edge of the target. */
const GAP: usize = SCRATCH + 832;
/** m left of the future middle of the car to the middle of the target. */
const ASIDE: usize = SCRATCH + 840;
/** m/s along the path and to the left. */
const ALONG: usize = SCRATCH + 848;
const ACROSS: usize = SCRATCH + 856;
/** m from the middle of the target to its ends along and across the path. */
const HALF_ALONG: usize = SCRATCH + 864;
const HALF_ACROSS: usize = SCRATCH + 872;
/** s until the gap is closed, `NEVER` if it is not. */
const TIME: usize = SCRATCH + 880;
/** Deceleration of the target along the path, m/s². */
const BRAKING: usize = SCRATCH + 888;
/** Results of `project`: m along and left of the path, direction of the path there. */
const PLACE: usize = SCRATCH + 896;
const LEFT: usize = SCRATCH + 904;
const WAY_X: usize = SCRATCH + 912;
const WAY_Y: usize = SCRATCH + 920;

const NEVER = 1e9;
/** Distance kept to a standing object ahead, m. */
const MARGIN_M = 0.5;
/** Margin of the car's corridor on each side, m. */
const BESIDE_M = 0.1;
/** A person who enters the path this much after the car's arrival walks into its side, s. */
const SIDE_S = 0.3;
/** Time in which a car returns to the middle of its lane, s. */
const RETURN_S = 1.5;

@inline export function gapTo(): f64 {
  return load<f64>(GAP);
}

@inline export function aside(): f64 {
  return load<f64>(ASIDE);
}

@inline export function speedAlong(): f64 {
  return load<f64>(ALONG);
}

@inline export function speedAcross(): f64 {
  return load<f64>(ACROSS);
}

@inline export function halfAlong(): f64 {
  return load<f64>(HALF_ALONG);
}

@inline export function halfAcross(): f64 {
  return load<f64>(HALF_ACROSS);
}

@inline export function timeToGap(): f64 {
  return load<f64>(TIME);
}

/** Computes the relation of a target to the path of a car. */
export function relate(slab: usize, city: usize, car: i32, target: usize): void {
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const tx = load<f64>(target + TG_X);
  const ty = load<f64>(target + TG_Y);
  const x = getF(slab, C_X, car) + tx * hx - ty * hy;
  const y = getF(slab, C_Y, car) + tx * hy + ty * hx;
  project(slab, city, car, x, y, greatest(tx, 0.0));
  project(slab, city, car, x, y, greatest(load<f64>(PLACE), 0.0));
  // Direction of the path in the car's own axes.
  const wx = load<f64>(WAY_X) * hx + load<f64>(WAY_Y) * hy;
  const wy = load<f64>(WAY_Y) * hx - load<f64>(WAY_X) * hy;
  const bx = load<f64>(target + TG_HX) * wx + load<f64>(target + TG_HY) * wy;
  const by = load<f64>(target + TG_HY) * wx - load<f64>(target + TG_HX) * wy;
  const halfLength = load<f64>(target + TG_HALF_LENGTH);
  const halfWidth = load<f64>(target + TG_HALF_WIDTH);
  const vx = load<f64>(target + TG_VX);
  const vy = load<f64>(target + TG_VY);
  const reach = halfLength * abs(bx) + halfWidth * abs(by);
  const type = typeOf(slab, car);
  const nose = load<f64>(type + CT_CENTRE) + 0.5 * load<f64>(type + CT_LENGTH);
  store<f64>(HALF_ALONG, reach);
  store<f64>(HALF_ACROSS, halfLength * abs(by) + halfWidth * abs(bx));
  store<f64>(ALONG, vx * wx + vy * wy);
  store<f64>(ACROSS, vy * wx - vx * wy);
  store<f64>(BRAKING, greatest(-load<f64>(target + TG_ACCEL) * bx, 0.0));
  const ahead = <f64>load<f32>(target + TG_PATH);
  store<f64>(GAP, ahead < 0.0 ? load<f64>(PLACE) - nose - reach : ahead);
  const speed = getF(slab, C_VX, car);
  const time = timeToClose(
    greatest(gapTo() - MARGIN_M, 0.0),
    speed,
    speedAlong(),
    load<f64>(BRAKING),
  );
  store<f64>(TIME, time);
  store<f64>(ASIDE, load<f64>(LEFT) - offsetIn(slab, car, time));
}

/** Offset of the car from its lane in `time` s, m to the left. */
export function offsetIn(slab: usize, car: i32, time: f64): f64 {
  if (getI(slab, C_EVADE_TICK, car) != 0) return getF(slab, C_EVADE_OFFSET, car);
  return getF(slab, C_OFFSET, car) * greatest(1.0 - time * (1.0 / RETURN_S), 0.0);
}

/** Projects a point on the path, from the point of the centre line `ahead` m on. */
function project(slab: usize, city: usize, car: i32, x: f64, y: f64, ahead: f64): void {
  let position = 0;
  let lane = laneAhead(slab, city, car, 0);
  let length = laneLength(city, lane);
  let station = getF(slab, C_STATION, car) + ahead;
  while (station > length) {
    station -= length;
    lane = laneAhead(slab, city, car, ++position);
    length = laneLength(city, lane);
  }
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const wx = along(point, PT_TX, share);
  const wy = along(point, PT_TY, share);
  const dx = x - along(point, PT_X, share);
  const dy = y - along(point, PT_Y, share);
  store<f64>(WAY_X, wx);
  store<f64>(WAY_Y, wy);
  store<f64>(PLACE, ahead + dx * wx + dy * wy);
  store<f64>(LEFT, dy * wx - dx * wy);
}

/**
 * Time in which a car at `speed` closes a gap to an object at the speed `other` that brakes by
 * `decel` until it stands, s; `NEVER` if it does not.
 */
export function timeToClose(gap: f64, speed: f64, other: f64, decel: f64): f64 {
  const closing = speed - other;
  if (gap <= 0.0) return closing > 0.0 || decel > 0.0 ? 0.0 : NEVER;
  if (other <= 0.0 || decel < 0.1) return closing > 0.01 ? gap / closing : NEVER;
  const square = closing * closing + 2.0 * decel * gap;
  const time = (2.0 * gap) / (closing + sqrt(square));
  if (time * decel <= other) return time;
  return speed > 0.01 ? (gap + (other * other) / (2.0 * decel)) / speed : NEVER;
}

/** Closing speed at the end of the gap, m/s: the target of `relate` may brake until then. */
export function closingInTheEnd(speed: f64): f64 {
  const other = greatest(speedAlong(), 0.0);
  const slowed = least(load<f64>(BRAKING) * timeToGap(), other);
  return greatest(speed - speedAlong() + slowed, 0.0);
}

/**
 * Whether the target of `relate` will be in the path when the car arrives. `later`: tolerance for
 * targets that leave before or enter after that, s.
 */
export function willMeet(slab: usize, car: i32, later: f64): bool {
  if (gapTo() + 2.0 * halfAlong() < 0.0) return false;
  const reach = 0.5 * load<f64>(typeOf(slab, car) + CT_WIDTH) + BESIDE_M + halfAcross();
  const across = speedAcross();
  const from = aside();
  if (abs(across) < CROSSING_MPS) return abs(from) < reach;
  const towards = across > 0.0 ? -from : from;
  const perSpeed = 1.0 / abs(across);
  const arrival = timeToGap();
  return (
    (towards + reach) * perSpeed > arrival - later &&
    (towards - reach) * perSpeed < arrival + SIDE_S + later
  );
}
