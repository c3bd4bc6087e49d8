import {
  C_ACCEL, C_ACCEL_TARGET, C_ACCEL_WANTED, C_BRAKE, C_BRAKE_TICKS, C_CLAIM, C_DRIVE, C_FLAGS, C_HALT_TICK, C_LOAD_ACCEL, C_OFFSET, C_STATUS, C_STEER, C_STEER_TARGET, C_VX, C_VY, C_WAIT_TICK, C_X,
  C_Y, C_YAW_RATE, CAR_COUNT, H_TICK, STATUS_CRASHED, STATUS_STOPPED,
  PT_X, PT_Y,
} from './layout';
import { along, isConnector, pointAt, routeCount, routeLane, shareAt } from './lanes';
import { getF, getI, setF, setI } from './memory';
import { place } from './world';

/** A car this far from its lane has lost it, m; back within the other bound it has found it. */
const LOST_M = 3.0;
const FOUND_M = 1.5;
/** A wreck, or a lost car that stands, is cleared after so many ticks (12 s). */
const CLEAR_TICKS: u32 = 600;
/** So often a place to come back to is looked for, ticks. */
const RETRY_TICKS: u32 = 50;
/** Where on a lane a cleared car comes back, m, and how far off everybody else must be, m. */
const RETURN_STATION_M = 12.0;
const RETURN_ROOM_M = 32.0;
const STANDING_MPS = 0.1;

/** Notices cars that lost their lane; brings cleared cars back to the start of their routes. */
export function recover(slab: usize, city: usize): void {
  const tick = load<u32>(slab + H_TICK);
  for (let car = 0; car < CAR_COUNT; car++) {
    const since = <u32>getI(slab, C_HALT_TICK, car);
    if (getI(slab, C_STATUS, car) != STATUS_CRASHED && !watchLane(slab, car, tick, since)) continue;
    const waited = tick - since;
    if (waited < CLEAR_TICKS || waited % RETRY_TICKS != 0) continue;
    if (getF(slab, C_VX, car) > STANDING_MPS) continue;
    comeBack(slab, city, car, <i32>((waited - CLEAR_TICKS) / RETRY_TICKS));
  }
}

/** Keeps the tick since which a driving car is off its lane; true while it is. */
function watchLane(slab: usize, car: i32, tick: u32, since: u32): bool {
  const offset = getF(slab, C_OFFSET, car);
  const away = offset < 0.0 ? -offset : offset;
  if (since == 0 && away > LOST_M) setI(slab, C_HALT_TICK, car, tick);
  else if (since != 0 && away < FOUND_M) setI(slab, C_HALT_TICK, car, 0);
  return since != 0 && away >= FOUND_M;
}

/** The start of the route first; where that stays taken, the lanes after it, one a try. */
function comeBack(slab: usize, city: usize, car: i32, attempt: i32): void {
  const position = attempt % routeCount(city, car);
  const lane = routeLane(city, car, position);
  if (isConnector(city, lane)) return;
  const point = pointAt(city, lane, RETURN_STATION_M);
  const share = shareAt(city, lane, RETURN_STATION_M);
  if (!hasRoom(slab, car, along(point, PT_X, share), along(point, PT_Y, share))) return;
  place(slab, city, car, position, RETURN_STATION_M);
  setI(slab, C_STATUS, car, STATUS_STOPPED);
  setI(slab, C_HALT_TICK, car, 0);
  setI(slab, C_CLAIM, car, -1);
  setI(slab, C_WAIT_TICK, car, 0);
  setI(slab, C_FLAGS, car, 0);
  setF(slab, C_VX, car, 0.0);
  setF(slab, C_VY, car, 0.0);
  setF(slab, C_YAW_RATE, car, 0.0);
  setF(slab, C_STEER, car, 0.0);
  setF(slab, C_STEER_TARGET, car, 0.0);
  setF(slab, C_ACCEL, car, 0.0);
  setF(slab, C_ACCEL_TARGET, car, 0.0);
  setF(slab, C_ACCEL_WANTED, car, 0.0);
  setF(slab, C_DRIVE, car, 0.0);
  setF(slab, C_BRAKE, car, 0.0);
  setF(slab, C_LOAD_ACCEL, car, 0.0);
  setF(slab, C_BRAKE_TICKS, car, 0.0);
  setF(slab, C_OFFSET, car, 0.0);
}

function hasRoom(slab: usize, car: i32, x: f64, y: f64): bool {
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    const dx = getF(slab, C_X, other) - x;
    const dy = getF(slab, C_Y, other) - y;
    if (dx * dx + dy * dy < RETURN_ROOM_M * RETURN_ROOM_M) return false;
  }
  return true;
}
