import {
  C_ACCEL_COMFORT, C_ACCEL_TARGET, C_CLAIM, C_DECEL_COMFORT, C_GAP, C_HALT_TICK, C_HEADWAY, C_HX, C_HY, C_LANE, C_LEAD_SPEED, C_OFFSET,
  C_SPEED_FACTOR, C_STANDSTILL_GAP, C_STATION, C_STATUS, C_STEER, C_STEER_TARGET, C_VX, CAR_COUNT,
  CT_REAR, CT_WHEELBASE, H_TICK, L_SPEED_LIMIT, STATUS_CRASHED,
  PT_CURVATURE, PT_SPEED, PT_TX, PT_TY,
} from './layout';
import { along, exitSpeed, isConnector, laneAhead, laneAt, laneLength, pointAt, shareAt } from './lanes';
import { arcTangent, clamp, greatest, least, tangent } from './math';
import { getF, getI, setF, typeOf } from './memory';
import { LINE_DECEL, toLine } from './right-of-way';

/** Comfort limits: the driver must never do what an emergency function is for. m/s², m/s³. */
const ACCEL_MAX = 2.0;
const DECEL_MAX = 3.5;
const JERK_UP = 2.5;
const JERK_DOWN = 10.0;
const TICK_S = 0.02;
/** Deceleration towards slower lanes ahead, m/s². */
const CURVE_DECEL = 1.5;
/** Where the front bumper comes to stand before the stop line, m. */
const LINE_GAP_M = 1.0;
const STEER_MAX = 0.6;
/** Steering looks so far ahead for curvature, s; it makes up for the lag of the rate limit. */
const PREVIEW_S = 0.12;
/** A car that lost its lane for so many ticks stops (minimal risk manoeuvre). */
const LOST_TICKS: u32 = 150;

/** What each driver wants of pedals and steering wheel this tick. */
export function drive(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    const wanted = isLost(slab, car) ? -DECEL_MAX : wantedAccel(slab, city, car);
    const before = getF(slab, C_ACCEL_TARGET, car);
    const smooth = clamp(wanted, before - JERK_DOWN * TICK_S, before + JERK_UP * TICK_S);
    setF(slab, C_ACCEL_TARGET, car, smooth);
    setF(slab, C_STEER_TARGET, car, wantedSteer(slab, city, car));
  }
}

function isLost(slab: usize, car: i32): bool {
  const since = <u32>getI(slab, C_HALT_TICK, car);
  return since != 0 && load<u32>(slab + H_TICK) - since > LOST_TICKS;
}

function wantedAccel(slab: usize, city: usize, car: i32): f64 {
  const speed = getF(slab, C_VX, car);
  let accel = freeAccel(slab, car, speed, wantedSpeed(slab, city, car));
  const gap = getF(slab, C_GAP, car);
  if (gap >= 0.0) {
    const follow = followAccel(slab, car, speed, getF(slab, C_LEAD_SPEED, car), gap, getF(slab, C_STANDSTILL_GAP, car));
    accel = least(accel, follow);
  }
  const lane = getI(slab, C_LANE, car);
  if (!isConnector(city, lane) && getI(slab, C_CLAIM, car) != laneAhead(slab, city, car, 1)) {
    const distance = toLine(slab, city, car);
    if (distance < (speed * speed) / (2.0 * LINE_DECEL) + 1.5 * speed + 8.0) {
      accel = least(accel, followAccel(slab, car, speed, 0.0, distance, LINE_GAP_M));
    }
  }
  return clamp(accel, -DECEL_MAX, ACCEL_MAX);
}

/** Intelligent driver model (Treiber, Hennecke, Helbing 2000): acceleration on a free road. */
@inline function freeAccel(slab: usize, car: i32, speed: f64, wanted: f64): f64 {
  const ratio = speed / greatest(wanted, 0.5);
  const squared = ratio * ratio;
  const accel = getF(slab, C_ACCEL_COMFORT, car) * (1.0 - squared * squared);
  // Above the wanted speed the fourth power brakes harsher than a curve ahead ever needs.
  return greatest(accel, -2.0);
}

/** The same model's acceleration behind a vehicle `gap` m ahead, standing `standstill` m apart. */
@inline function followAccel(slab: usize, car: i32, speed: f64, leadSpeed: f64, gap: f64, standstill: f64): f64 {
  const a = getF(slab, C_ACCEL_COMFORT, car);
  const b = getF(slab, C_DECEL_COMFORT, car);
  const approach = (speed * (speed - leadSpeed)) / (2.0 * sqrt(a * b));
  const desired = standstill + greatest(0.0, speed * getF(slab, C_HEADWAY, car) * headwayShare(leadSpeed) + approach);
  const ratio = desired / greatest(gap, 0.1);
  return a * (1.0 - ratio * ratio);
}

/** Towards something that stands, only the braking distance counts, not the headway. */
@inline function headwayShare(leadSpeed: f64): f64 {
  return leadSpeed > 1.0 ? 1.0 : 0.3 + 0.7 * leadSpeed;
}

/** Own pace under the limit, and slow enough for the bends ahead. */
function wantedSpeed(slab: usize, city: usize, car: i32): f64 {
  const lane = getI(slab, C_LANE, car);
  const station = getF(slab, C_STATION, car);
  const limit = load<f64>(laneAt(city, lane) + L_SPEED_LIMIT) * getF(slab, C_SPEED_FACTOR, car);
  const here = least(limit, along(pointAt(city, lane, station), PT_SPEED, shareAt(city, lane, station)));
  const there = exitSpeed(slab, city, car);
  const left = laneLength(city, lane) - station;
  return least(here, sqrt(there * there + 2.0 * CURVE_DECEL * left));
}

/**
 * Curvature command for critically damped return to the lane: with e the offset, θ the angle of
 * the path to the lane and l a distance, κ = κ_lane − 2θ/l − e/l². Turned into a wheel angle by
 * the kinematic single-track model, δ = atan(L κ).
 */
function wantedSteer(slab: usize, city: usize, car: i32): f64 {
  const type = typeOf(slab, car);
  const wheelbase = load<f64>(type + CT_WHEELBASE);
  const speed = getF(slab, C_VX, car);
  const lane = getI(slab, C_LANE, car);
  const station = getF(slab, C_STATION, car);
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const tx = along(point, PT_TX, share);
  const ty = along(point, PT_TY, share);
  const slip = (load<f64>(type + CT_REAR) / wheelbase) * tangent(getF(slab, C_STEER, car));
  const hx = getF(slab, C_HX, car) - slip * getF(slab, C_HY, car);
  const hy = getF(slab, C_HY, car) + slip * getF(slab, C_HX, car);
  const angle = clamp(tx * hy - ty * hx, -0.7, 0.7);
  const forward = tx * hx + ty * hy;
  const reach = greatest(4.0, 0.6 * speed);
  const offset = clamp(getF(slab, C_OFFSET, car), -4.0, 4.0);
  const turn = forward > 0.0 ? angle : angle > 0.0 ? 0.7 : -0.7;
  const curvature = previewCurvature(slab, city, car, speed) - (2.0 * turn) / reach - offset / (reach * reach);
  return clamp(arcTangent(clamp(curvature * wheelbase, -0.8, 0.8)), -STEER_MAX, STEER_MAX);
}

function previewCurvature(slab: usize, city: usize, car: i32, speed: f64): f64 {
  let lane = getI(slab, C_LANE, car);
  let station = getF(slab, C_STATION, car) + speed * PREVIEW_S;
  const length = laneLength(city, lane);
  if (station > length) {
    lane = laneAhead(slab, city, car, 1);
    station -= length;
  }
  return along(pointAt(city, lane, station), PT_CURVATURE, shareAt(city, lane, station));
}
