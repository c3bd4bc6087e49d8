import {
  ACTOR_WAITS,
  A_SPEED,
  A_STATE,
  A_X,
  A_Y,
  CAR_COUNT,
  CT_LENGTH,
  CT_WIDTH,
  C_ACCEL,
  C_ACCEL_TARGET,
  C_ACCEL_WANTED,
  C_BRAKE,
  C_BRAKE_TICKS,
  C_CLAIM,
  C_CONTACT_TICK,
  C_DRIVE,
  C_EMERGENCY,
  C_EVADE_OFFSET,
  C_EVADE_TICK,
  C_FLAGS,
  C_HALT_TICK,
  C_LANE,
  C_LIGHT_CHOICE,
  C_LOAD_ACCEL,
  C_OFFSET,
  C_STALL_TICK,
  C_STATION,
  C_STATUS,
  C_STEER,
  C_STEER_TARGET,
  C_STILL_TICK,
  C_STOOD_TICK,
  C_UNANNOUNCED,
  C_VX,
  C_VY,
  C_WAIT_TICK,
  C_X,
  C_Y,
  C_YAW_RATE,
  H_TICK,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  STATUS_CRASHED,
  STATUS_STOPPED,
  T_HAZARD_COUNT,
} from './layout';
import { BODY_A, BODY_B, bodyOf } from './body';
import { findNearOf } from './broad-phase';
import { resetFunctions } from './functions/assist';
import { actorBody } from './hazards/paths';
import { actorRecord, siteRecord } from './hazards/spots';
import {
  along,
  isConnector,
  laneAhead,
  laneLength,
  pointAt,
  routeCount,
  routeLane,
  shareAt,
} from './lanes';
import { least } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';
import { OFF_LANE_M } from './occupancy';
import {
  BOX_HALF_LENGTH,
  BOX_HALF_WIDTH,
  BOX_HX,
  BOX_HY,
  BOX_X,
  BOX_Y,
  boxOverlap,
} from './overlap';
import { isPlainRoad } from './plain-road';
import { CLEAR_TICKS, DRIVER_DECEL_MAX, STOPPED_MPS } from './thresholds';
import { place, roll } from './world';

/**
 * Offset from which a car has lost its lane, m. A standing car has lost it beyond OFF_LANE_M, and a
 * car has found it again within that.
 */
const LOST_M = 3.0;
/** A wreck that still rolls is cleared after so many ticks (20 s). */
const CLEAR_ROLLING_TICKS: u32 = 1000;
/** Interval between attempts to put a car back, ticks. */
const RETRY_TICKS: u32 = 50;
/**
 * A car that stands for so many ticks (100 s) and wanted to go for more than so many of them (2 s)
 * is towed.
 */
const STALL_TICKS: u32 = 5000;
const WANTS_TICKS: u32 = 100;
/** A car wants to go if it wants more than this acceleration, m/s². */
const GO_ACCEL = 0.3;

/** Station at which a cleared car returns, m, and the free space it needs around its body, m. */
const RETURN_STATION_M = 12.0;
const ROOM_ALONG_M = 4.0;
const ROOM_BESIDE_M = 0.6;
/** Cars that approach must be able to stop: search distance, m, and reaction time, s. */
const APPROACH_M = 80.0;
const REACTION_S = 1.0;
/** Distance of two centres of gravity when their bumpers touch, m. */
const BUMPERS_M = 5.0;
/**
 * Free distance ahead of a car that returns rolling: enough to stop comfortably from 50 km/h, m.
 */
const ROLL_M = 50.0;
/**
 * Cars out of control are avoided along this time of their motion, s, and within this radius, m.
 */
const ASTRAY_S = 2.0;
const ASTRAY_ROOM_M = 8.0;

/**
 * Detects cars that have lost their lane or are stuck, and puts cleared cars back on their routes.
 */
export function recover(slab: usize, city: usize): void {
  const tick = load<u32>(slab + H_TICK);
  if (tick % RETRY_TICKS == 0) {
    for (let car = 0; car < CAR_COUNT; car++) watchStall(slab, city, car, tick);
  }
  for (let car = 0; car < CAR_COUNT; car++) {
    const since = <u32>getI(slab, C_HALT_TICK, car);
    // Most cars are on their lanes. A car that halted has a tick, wreck or not.
    if (since == 0 && abs(getF(slab, C_OFFSET, car)) <= OFF_LANE_M) continue;
    if (getI(slab, C_STATUS, car) != STATUS_CRASHED && !watchLane(slab, car, tick, since)) continue;
    const waited = tick - since;
    if (waited < CLEAR_TICKS || waited % RETRY_TICKS != 0) continue;
    if (waited < CLEAR_ROLLING_TICKS && speedOf(slab, car) > STOPPED_MPS) continue;
    comeBack(slab, city, car, <i32>((waited - CLEAR_TICKS) / RETRY_TICKS), false);
  }
}

/**
 * Tows a car that stands although it wanted to go. In a queue of such cars each waits for the next
 * one: the time of standing counts, not that of wanting. Cars that block each other are held by
 * their own brakes, for as long.
 */
function watchStall(slab: usize, city: usize, car: i32, tick: u32): void {
  if (speedOf(slab, car) > STOPPED_MPS || getI(slab, C_STATUS, car) == STATUS_CRASHED) {
    setI(slab, C_STILL_TICK, car, 0);
    setI(slab, C_STALL_TICK, car, 0);
    return;
  }
  if (getI(slab, C_STILL_TICK, car) == 0) setI(slab, C_STILL_TICK, car, tick);
  const since = <u32>getI(slab, C_STALL_TICK, car);
  const isStalled = since != 0 && tick - since > WANTS_TICKS;
  const wants = getF(slab, C_ACCEL_WANTED, car) > GO_ACCEL;
  const isHeld = getF(slab, C_EMERGENCY, car) > 0.0;
  if (!isStalled) {
    if (!wants || isHeld) setI(slab, C_STALL_TICK, car, 0);
    else if (since == 0) setI(slab, C_STALL_TICK, car, tick);
    if (!wants || !isHeld) return;
  }
  const stood = tick - <u32>getI(slab, C_STILL_TICK, car);
  if (stood < STALL_TICKS) return;
  comeBack(slab, city, car, <i32>((stood - STALL_TICKS) / RETRY_TICKS), true);
}

/**
 * Keeps the tick since which a driving car is off its lane and off its evasion path; true while it
 * is.
 */
function watchLane(slab: usize, car: i32, tick: u32, since: u32): bool {
  const offset = abs(getF(slab, C_OFFSET, car));
  const evades = getI(slab, C_EVADE_TICK, car) != 0;
  const away = evades
    ? least(offset, abs(getF(slab, C_OFFSET, car) - getF(slab, C_EVADE_OFFSET, car)))
    : offset;
  const isAway =
    away > LOST_M || (away > OFF_LANE_M && !evades && speedOf(slab, car) < STOPPED_MPS);
  if (since == 0 && isAway) setI(slab, C_HALT_TICK, car, tick);
  else if (since != 0 && away < OFF_LANE_M) setI(slab, C_HALT_TICK, car, 0);
  return since != 0 && away >= OFF_LANE_M;
}

function speedOf(slab: usize, car: i32): f64 {
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  return sqrt(vx * vx + vy * vy);
}

/**
 * Tries the start of the route every other time, and the lanes after it in turn. A car that `rolls`
 * returns at road speed, as a new world begins.
 */
function comeBack(slab: usize, city: usize, car: i32, attempt: i32, rolls: bool): void {
  const position = attempt & 1 ? ((attempt >> 1) + 1) % routeCount(city, car) : 0;
  const lane = routeLane(city, car, position);
  const station = least(RETURN_STATION_M, 0.5 * laneLength(city, lane));
  if (isConnector(city, lane) || !isPlainRoad(city, lane, station)) return;
  if (
    !hasRoom(slab, city, car, lane, station) ||
    (rolls && !hasRoomAhead(slab, city, car, position, station))
  )
    return;
  place(slab, city, car, position, station);
  reset(slab, car);
  if (rolls) roll(slab, city, car);
  findNearOf(slab, city, car);
}

/** Resets a car to undamaged and standing. */
function reset(slab: usize, car: i32): void {
  setI(slab, C_STATUS, car, STATUS_STOPPED);
  setI(slab, C_HALT_TICK, car, 0);
  setI(slab, C_CONTACT_TICK, car, 0);
  setI(slab, C_CLAIM, car, -1);
  setI(slab, C_UNANNOUNCED, car, 0);
  setI(slab, C_STILL_TICK, car, 0);
  setI(slab, C_STALL_TICK, car, 0);
  setI(slab, C_WAIT_TICK, car, 0);
  setI(slab, C_STOOD_TICK, car, 0);
  setI(slab, C_LIGHT_CHOICE, car, 0);
  setI(slab, C_FLAGS, car, 0);
  setF(slab, C_VX, car, 0.0);
  setF(slab, C_VY, car, 0.0);
  setF(slab, C_YAW_RATE, car, 0.0);
  setF(slab, C_STEER, car, 0.0);
  setF(slab, C_STEER_TARGET, car, 0.0);
  setF(slab, C_ACCEL, car, 0.0);
  setF(slab, C_ACCEL_TARGET, car, 0.0);
  setF(slab, C_ACCEL_WANTED, car, 0.0);
  setF(slab, C_LOAD_ACCEL, car, 0.0);
  setF(slab, C_DRIVE, car, 0.0);
  setF(slab, C_BRAKE, car, 0.0);
  setF(slab, C_BRAKE_TICKS, car, 0.0);
  setF(slab, C_OFFSET, car, 0.0);
  resetFunctions(slab, car);
}

/** Whether a car that appears there touches nothing and lets approaching cars stop in time. */
function hasRoom(slab: usize, city: usize, car: i32, lane: i32, station: f64): bool {
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const x = along(point, PT_X, share);
  const y = along(point, PT_Y, share);
  const hx = along(point, PT_TX, share);
  const hy = along(point, PT_TY, share);
  const norm = 1.0 / sqrt(hx * hx + hy * hy);
  store<f64>(BODY_A + BOX_X, x);
  store<f64>(BODY_A + BOX_Y, y);
  store<f64>(BODY_A + BOX_HX, hx * norm);
  store<f64>(BODY_A + BOX_HY, hy * norm);
  store<f64>(
    BODY_A + BOX_HALF_LENGTH,
    0.5 * load<f64>(typeOf(slab, car) + CT_LENGTH) + ROOM_ALONG_M,
  );
  store<f64>(
    BODY_A + BOX_HALF_WIDTH,
    0.5 * load<f64>(typeOf(slab, car) + CT_WIDTH) + ROOM_BESIDE_M,
  );
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    bodyOf(slab, other, 0.0, BODY_B);
    if (boxOverlap(BODY_A, BODY_B) > 0.0) return false;
    if (
      isOutOfControl(slab, other)
        ? mayDriftTo(slab, other, x, y)
        : comesTooSoon(slab, city, other, lane, station)
    )
      return false;
  }
  return isClearOfActors(slab, city);
}

/** Whether no actor is there or will arrive sooner than it can stop. */
function isClearOfActors(slab: usize, city: usize): bool {
  const spots = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < spots; spot++) {
    const actor = actorRecord(slab, spot);
    if (load<i32>(actor + A_STATE) == ACTOR_WAITS) continue;
    const speed = abs(load<f64>(actor + A_SPEED));
    const way = speed * REACTION_S + (speed * speed) / (2.0 * DRIVER_DECEL_MAX);
    actorBody(siteRecord(city, spot), actor, way, -0.5, BODY_B);
    store<f64>(BODY_B + BOX_HALF_LENGTH, load<f64>(BODY_B + BOX_HALF_LENGTH) + 0.5 * way);
    if (boxOverlap(BODY_A, BODY_B) > 0.0) return false;
  }
  return true;
}

/**
 * Whether no car is close enough ahead for a rolling car to run into it. Actors are not on lanes.
 */
function hasRoomAhead(slab: usize, city: usize, car: i32, position: i32, station: f64): bool {
  const spots = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < spots; spot++) {
    const actor = actorRecord(slab, spot);
    const dx = load<f64>(actor + A_X) - load<f64>(BODY_A + BOX_X);
    const dy = load<f64>(actor + A_Y) - load<f64>(BODY_A + BOX_Y);
    if (load<i32>(actor + A_STATE) != ACTOR_WAITS && dx * dx + dy * dy < ROLL_M * ROLL_M)
      return false;
  }
  const count = routeCount(city, car);
  let base = -station;
  for (let ahead = 0; base < ROLL_M; ahead++) {
    const lane = routeLane(city, car, (position + ahead) % count);
    for (let other = 0; other < CAR_COUNT; other++) {
      if (other == car || getI(slab, C_LANE, other) != lane) continue;
      const distance = base + getF(slab, C_STATION, other);
      if (distance > 0.0 && distance < ROLL_M) return false;
    }
    base += laneLength(city, lane);
  }
  return true;
}

function isOutOfControl(slab: usize, car: i32): bool {
  const offset = getF(slab, C_OFFSET, car);
  return getI(slab, C_STATUS, car) == STATUS_CRASHED || offset > OFF_LANE_M || offset < -OFF_LANE_M;
}

function mayDriftTo(slab: usize, car: i32, x: f64, y: f64): bool {
  const speed = speedOf(slab, car);
  const dx = getF(slab, C_X, car) - x;
  const dy = getF(slab, C_Y, car) - y;
  const reach = ASTRAY_ROOM_M + speed * ASTRAY_S;
  return speed > 0.0 && dx * dx + dy * dy < reach * reach;
}

/** Whether a car's route leads it there sooner than it can stop. */
function comesTooSoon(slab: usize, city: usize, car: i32, lane: i32, station: f64): bool {
  const speed = speedOf(slab, car);
  const toStop = speed * REACTION_S + (speed * speed) / (2.0 * DRIVER_DECEL_MAX);
  let base = -getF(slab, C_STATION, car);
  for (let ahead = 0; base < APPROACH_M; ahead++) {
    const next = laneAhead(slab, city, car, ahead);
    const distance = base + station;
    if (next == lane && distance > 0.0) return distance - BUMPERS_M < toStop;
    base += laneLength(city, next);
  }
  return false;
}
