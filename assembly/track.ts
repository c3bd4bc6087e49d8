import {
  C_FRICTION_FRONT, C_FRICTION_REAR, C_HX, C_HY, C_LANE, C_OFFSET, C_ROUTE_INDEX, C_STATION, C_STATUS, C_STEER_TARGET,
  C_VX, C_VY, C_X, C_Y, CAR_COUNT, CT_FRONT, CT_REAR, CT_UNDERSTEER, CT_WHEELBASE, L_ZONES, PT_CURVATURE, PT_TX, PT_TY, PT_X,
  PT_Y, STATUS_CRASHED, T_ZONES, Z_CORNER, Z_CORNERS, Z_FRICTION, Z_MAX_X, Z_MAX_Y, Z_MIN_X, Z_MIN_Y, ZONE_BYTES,
} from './layout';
import { along, laneAhead, laneAt, laneLength, pointAt, routeCount, shareAt } from './lanes';
import { arcTangent, clamp, greatest } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';

/** Peak friction of a dry road. */
export const DRY = 0.95;
/** Steering looks so far ahead for curvature, s; it makes up for wheels and yaw that follow late. */
const PREVIEW_S = 0.2;
/** The path back to the lane is aimed over so many seconds of driving, and at least so many metres. */
const REACH_S = 0.6;
const REACH_MIN_M = 4.0;

/** After moving: where each car is on its lane, what its tyres stand on, where to steer next. */
export function track(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getF(slab, C_VX, car) == 0.0 && getF(slab, C_VY, car) == 0.0) continue;
    follow(slab, city, car);
    sampleFriction(slab, city, car);
  }
}

/** Station and offset on the route's lane: one Newton step a tick is exact to the millimetre. */
function follow(slab: usize, city: usize, car: i32): void {
  let lane = getI(slab, C_LANE, car);
  let station = getF(slab, C_STATION, car);
  const x = getF(slab, C_X, car);
  const y = getF(slab, C_Y, car);
  station += forwardError(city, lane, station, x, y);
  const length = laneLength(city, lane);
  if (station > length) {
    const position = getI(slab, C_ROUTE_INDEX, car) + 1;
    lane = laneAhead(slab, city, car, 1);
    setI(slab, C_ROUTE_INDEX, car, position == routeCount(city, car) ? 0 : position);
    setI(slab, C_LANE, car, lane);
    station -= length;
  }
  station = clamp(station, 0.0, laneLength(city, lane));
  setF(slab, C_STATION, car, station);
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const tx = along(point, PT_TX, share);
  const ty = along(point, PT_TY, share);
  const dx = x - along(point, PT_X, share);
  const dy = y - along(point, PT_Y, share);
  const offset = tx * dy - ty * dx;
  setF(slab, C_OFFSET, car, offset);
  if (getI(slab, C_STATUS, car) != STATUS_CRASHED) steer(slab, city, car, tx, ty, offset);
}

/** How far a place is ahead of a station along the lane, by the lane's tangent and curvature. */
@inline function forwardError(city: usize, lane: i32, station: f64, x: f64, y: f64): f64 {
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const tx = along(point, PT_TX, share);
  const ty = along(point, PT_TY, share);
  const dx = x - along(point, PT_X, share);
  const dy = y - along(point, PT_Y, share);
  const bend = 1.0 - along(point, PT_CURVATURE, share) * (tx * dy - ty * dx);
  return clamp((tx * dx + ty * dy) / greatest(bend, 0.3), -2.0, 2.0);
}

/**
 * Curvature command for critically damped return to the lane: with e the offset, θ the angle of the
 * car's motion to the lane and l a distance, κ = κ_lane − 2θ/l − e/l². The wheel angle that drives it
 * is that of the single-track model in steady state, δ = atan(L κ) + K v² κ, on a dry road.
 */
@inline function steer(slab: usize, city: usize, car: i32, tx: f64, ty: f64, offset: f64): void {
  const type = typeOf(slab, car);
  const vx = getF(slab, C_VX, car);
  const slip = clamp(getF(slab, C_VY, car) / greatest(vx, 1.0), -0.5, 0.5);
  const mx = getF(slab, C_HX, car) - slip * getF(slab, C_HY, car);
  const my = getF(slab, C_HY, car) + slip * getF(slab, C_HX, car);
  const angle = clamp(tx * my - ty * mx, -0.7, 0.7);
  const turn = tx * mx + ty * my > 0.0 ? angle : angle > 0.0 ? 0.7 : -0.7;
  const perReach = 1.0 / greatest(REACH_MIN_M, REACH_S * vx);
  const error = (2.0 * turn + clamp(offset, -4.0, 4.0) * perReach) * perReach;
  const curvature = previewCurvature(slab, city, car, vx) - error;
  const rolling = arcTangent(clamp(curvature * load<f64>(type + CT_WHEELBASE), -0.8, 0.8));
  setF(slab, C_STEER_TARGET, car, rolling + load<f64>(type + CT_UNDERSTEER) * (1.0 / DRY) * vx * vx * clamp(curvature, -0.2, 0.2));
}

@inline function previewCurvature(slab: usize, city: usize, car: i32, speed: f64): f64 {
  let lane = getI(slab, C_LANE, car);
  let station = getF(slab, C_STATION, car) + speed * PREVIEW_S;
  const length = laneLength(city, lane);
  if (station > length) {
    lane = laneAhead(slab, city, car, 1);
    station -= length;
  }
  return along(pointAt(city, lane, station), PT_CURVATURE, shareAt(city, lane, station));
}

/** Friction under each axle, where the axle is. */
@inline function sampleFriction(slab: usize, city: usize, car: i32): void {
  const zones = load<u32>(laneAt(city, getI(slab, C_LANE, car)) + L_ZONES);
  if (zones == 0) {
    setF(slab, C_FRICTION_FRONT, car, DRY);
    setF(slab, C_FRICTION_REAR, car, DRY);
    return;
  }
  const type = typeOf(slab, car);
  setF(slab, C_FRICTION_FRONT, car, frictionAt(slab, city, car, zones, load<f64>(type + CT_FRONT)));
  setF(slab, C_FRICTION_REAR, car, frictionAt(slab, city, car, zones, -load<f64>(type + CT_REAR)));
}

/** Friction `ahead` m of a car's centre of gravity: the least of the zones there. */
function frictionAt(slab: usize, city: usize, car: i32, zones: u32, ahead: f64): f64 {
  const x = getF(slab, C_X, car) + ahead * getF(slab, C_HX, car);
  const y = getF(slab, C_Y, car) + ahead * getF(slab, C_HY, car);
  let friction = DRY;
  for (let left = zones; left != 0; left &= left - 1) {
    const zone = city + load<i32>(city + T_ZONES) + <usize>ctz(left) * ZONE_BYTES;
    if (load<f64>(zone + Z_FRICTION) < friction && isInside(zone, x, y)) friction = load<f64>(zone + Z_FRICTION);
  }
  return friction;
}

function isInside(zone: usize, x: f64, y: f64): bool {
  if (x < load<f64>(zone + Z_MIN_X) || x > load<f64>(zone + Z_MAX_X)) return false;
  if (y < load<f64>(zone + Z_MIN_Y) || y > load<f64>(zone + Z_MAX_Y)) return false;
  const count = load<i32>(zone + Z_CORNERS);
  for (let i = 0; i < count; i++) {
    const from = zone + Z_CORNER + (<usize>i << 4);
    const to = zone + Z_CORNER + (<usize>(i + 1 == count ? 0 : i + 1) << 4);
    const fx = load<f64>(from);
    const fy = load<f64>(from + 8);
    if ((load<f64>(to) - fx) * (y - fy) - (load<f64>(to + 8) - fy) * (x - fx) < 0.0) return false;
  }
  return true;
}
