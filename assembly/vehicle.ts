import {
  C_ACCEL, C_ACCEL_TARGET, C_EFFECTIVE, C_FLAGS, C_HX, C_HY, C_LANE, C_OFFSET, C_ROUTE_INDEX, C_STATION, C_STATUS, C_STEER,
  C_STEER_TARGET, C_VX, C_VY, C_X, C_Y, C_YAW_RATE, CAR_COUNT, CT_MASS, CT_REAR, CT_WHEELBASE,
  F_BRAKES, F_STEERING, F_THROTTLE, FLAG_BRAKING, STATUS_CRASHED, STATUS_DRIVING, STATUS_STOPPED,
  PT_CURVATURE, PT_TX, PT_TY, PT_X, PT_Y,
} from './layout';
import { along, laneAhead, laneLength, pointAt, routeCount, shareAt } from './lanes';
import { clamp, greatest, tangent } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';

const TICK_S = 0.02;
const SUBSTEPS = 2;
const SUBSTEP_S = TICK_S / <f64>SUBSTEPS;
/** Rate of the road wheels, rad/s. */
const STEER_RATE = 0.6;
/** Rolling resistance and engine drag of a car that coasts, m/s²; drag area term, N s²/m². */
const COAST_DECEL = 0.55;
const AIR_DRAG = 0.4;
/** A wreck slides with this deceleration, m/s². */
const WRECK_DECEL = 6.0;
const STOPPED_MPS = 0.1;
const BRAKE_LIGHT = 0.6;

/** Actuators act, cars move, stations follow. */
export function move(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) {
      slide(slab, car);
      follow(slab, city, car);
      continue;
    }
    actuate(slab, car);
    integrate(slab, car);
    follow(slab, city, car);
    setI(slab, C_STATUS, car, getF(slab, C_VX, car) < STOPPED_MPS ? STATUS_STOPPED : STATUS_DRIVING);
  }
}

/** Turns wishes into wheel angle and acceleration, with the actuators that the car has. */
function actuate(slab: usize, car: i32): void {
  const effective = getI(slab, C_EFFECTIVE, car);
  if (effective & F_STEERING) {
    const angle = getF(slab, C_STEER, car);
    const step = clamp(getF(slab, C_STEER_TARGET, car) - angle, -STEER_RATE * TICK_S, STEER_RATE * TICK_S);
    setF(slab, C_STEER, car, angle + step);
  }
  const speed = getF(slab, C_VX, car);
  const mass = load<f64>(typeOf(slab, car) + CT_MASS);
  const coast = -(COAST_DECEL + (AIR_DRAG * speed * speed) / mass);
  const target = getF(slab, C_ACCEL_TARGET, car);
  let accel = target;
  if (target > coast && (effective & F_THROTTLE) == 0) accel = coast;
  if (target < coast && (effective & F_BRAKES) == 0) accel = coast;
  setF(slab, C_ACCEL, car, accel);
  const braking = (effective & F_BRAKES) != 0 && target < coast && target < -BRAKE_LIGHT;
  setI(slab, C_FLAGS, car, braking ? FLAG_BRAKING : 0);
}

/** Kinematic single-track model about the centre of gravity: yaw rate v tan δ / L, no slip. */
function integrate(slab: usize, car: i32): void {
  const type = typeOf(slab, car);
  const turn = tangent(getF(slab, C_STEER, car)) / load<f64>(type + CT_WHEELBASE);
  const rear = load<f64>(type + CT_REAR);
  const accel = getF(slab, C_ACCEL, car);
  let vx = getF(slab, C_VX, car);
  const before = vx;
  for (let n = 0; n < SUBSTEPS; n++) {
    const next = greatest(0.0, vx + accel * SUBSTEP_S);
    const speed = 0.5 * (vx + next);
    const yawRate = speed * turn;
    advance(slab, car, speed, rear * yawRate, yawRate, SUBSTEP_S);
    vx = next;
  }
  setF(slab, C_VX, car, vx);
  setF(slab, C_VY, car, rear * vx * turn);
  setF(slab, C_YAW_RATE, car, vx * turn);
  // Telemetry shows what the car did: none once it stands, whatever the pedals ask for.
  setF(slab, C_ACCEL, car, (vx - before) / TICK_S);
}

/** Midpoint rule for position; the heading is rotated half a step before and half after. */
function advance(slab: usize, car: i32, vx: f64, vy: f64, yawRate: f64, dt: f64): void {
  const half = 0.5 * yawRate * dt;
  let hx = getF(slab, C_HX, car);
  let hy = getF(slab, C_HY, car);
  const mx = hx - half * hy;
  const my = hy + half * hx;
  const scale = 1.0 / sqrt(mx * mx + my * my);
  setF(slab, C_X, car, getF(slab, C_X, car) + (vx * mx - vy * my) * scale * dt);
  setF(slab, C_Y, car, getF(slab, C_Y, car) + (vx * my + vy * mx) * scale * dt);
  hx -= yawRate * dt * my * scale;
  hy += yawRate * dt * mx * scale;
  const norm = 1.0 / sqrt(hx * hx + hy * hy);
  setF(slab, C_HX, car, hx * norm);
  setF(slab, C_HY, car, hy * norm);
}

/** A wreck keeps the direction that the collision gave it and loses speed evenly. */
function slide(slab: usize, car: i32): void {
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  const speed = sqrt(vx * vx + vy * vy);
  const left = speed - WRECK_DECEL * TICK_S;
  const share = left > 0.0 ? left / speed : 0.0;
  advance(slab, car, vx * share, vy * share, 0.0, TICK_S);
  setF(slab, C_VX, car, vx * share);
  setF(slab, C_VY, car, vy * share);
  setF(slab, C_YAW_RATE, car, 0.0);
  setF(slab, C_ACCEL, car, speed > 0.0 ? -WRECK_DECEL : 0.0);
  setI(slab, C_FLAGS, car, 0);
}

/** Station and offset on the route's lane: one Newton step a tick is exact to the millimetre. */
function follow(slab: usize, city: usize, car: i32): void {
  let lane = getI(slab, C_LANE, car);
  let station = getF(slab, C_STATION, car);
  station += forwardError(slab, city, car, lane, station);
  const length = laneLength(city, lane);
  if (station > length) {
    const count = routeCount(city, car);
    const position = (getI(slab, C_ROUTE_INDEX, car) + 1) % count;
    lane = laneAhead(slab, city, car, 1);
    setI(slab, C_ROUTE_INDEX, car, position);
    setI(slab, C_LANE, car, lane);
    station -= length;
  }
  station = clamp(station, 0.0, laneLength(city, lane));
  setF(slab, C_STATION, car, station);
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const dx = getF(slab, C_X, car) - along(point, PT_X, share);
  const dy = getF(slab, C_Y, car) - along(point, PT_Y, share);
  setF(slab, C_OFFSET, car, along(point, PT_TX, share) * dy - along(point, PT_TY, share) * dx);
}

/** How far the car is ahead of its station along the lane, by the lane's tangent and curvature. */
function forwardError(slab: usize, city: usize, car: i32, lane: i32, station: f64): f64 {
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const tx = along(point, PT_TX, share);
  const ty = along(point, PT_TY, share);
  const dx = getF(slab, C_X, car) - along(point, PT_X, share);
  const dy = getF(slab, C_Y, car) - along(point, PT_Y, share);
  const bend = 1.0 - along(point, PT_CURVATURE, share) * (tx * dy - ty * dx);
  return clamp((tx * dx + ty * dy) / greatest(bend, 0.3), -2.0, 2.0);
}
