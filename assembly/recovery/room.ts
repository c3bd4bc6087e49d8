import {
  ACTOR_WAITS,
  A_SPEED,
  A_STATE,
  CAR_COUNT,
  CT_LENGTH,
  CT_WIDTH,
  C_OFFSET,
  C_STATION,
  C_STATUS,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  SCRATCH,
  STATUS_CRASHED,
  T_HAZARD_COUNT,
} from '../layout';
import { BODY_A, BODY_B, bodyOf, noseOf } from '../body';
import { actorBody } from '../hazards/paths';
import { actorRecord, siteRecord } from '../hazards/spots';
import { along, laneAhead, laneLength, pointAt, shareAt } from '../lanes';
import { greatest } from '../math';
import { getF, getI, typeOf } from '../memory';
import { OFF_LANE_M } from '../occupancy';
import {
  BOX_HALF_LENGTH,
  BOX_HALF_WIDTH,
  BOX_HX,
  BOX_HY,
  BOX_X,
  BOX_Y,
  boxOverlap,
} from '../overlap';
import { DRIVER_DECEL_MAX, STOPPED_MPS } from '../thresholds';

/** Free space that a car needs around its body, m. */
const ROOM_ALONG_M = 4.0;
const ROOM_BESIDE_M = 0.6;
/** Who approaches must be able to stop: search distance, m, and reaction time, s. */
const APPROACH_M = 80.0;
const REACTION_S = 1.0;
/** A car sees nothing of one that pulls out before it is in the lane, s, and may go faster until then, m/s. */
const UNSEEN_S = 1.5;
const FASTER_MPS = 4.0;
/** Distance of two centres of gravity when their bumpers touch, m. */
const BUMPERS_M = 5.0;
/**
 * Cars out of control are avoided along this time of their motion, s, and within this radius, m.
 */
const ASTRAY_S = 2.0;
const ASTRAY_ROOM_M = 8.0;
/** The way of an approaching car as boxes of this length, m, wider by so much than the car, m. */
const WAY_STEP_M = 3.0;
const WAY_ASIDE_M = 0.3;
/** A box further than this from a car touches neither that nor where it will be in a moment, m. */
const WAY_NEAR_M = 9.0;

/** Body of a pulled car in a moment, f64: a box. */
const NEXT: usize = SCRATCH + 160;

export function speedOf(slab: usize, car: i32): f64 {
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  return sqrt(vx * vx + vy * vy);
}

/** Whether a car that pulls out there touches nothing and lets approaching cars stop in time. */
export function hasRoom(slab: usize, city: usize, car: i32, lane: i32, station: f64): bool {
  placeOnLane(BODY_A, city, lane, station);
  const x = load<f64>(BODY_A + BOX_X);
  const y = load<f64>(BODY_A + BOX_Y);
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

/** Puts the middle of a box on a lane, along it. */
function placeOnLane(box: usize, city: usize, lane: i32, station: f64): void {
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const hx = along(point, PT_TX, share);
  const hy = along(point, PT_TY, share);
  const norm = 1.0 / sqrt(hx * hx + hy * hy);
  store<f64>(box + BOX_X, along(point, PT_X, share));
  store<f64>(box + BOX_Y, along(point, PT_Y, share));
  store<f64>(box + BOX_HX, hx * norm);
  store<f64>(box + BOX_HY, hy * norm);
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
  const speed = speedOf(slab, car) + FASTER_MPS;
  const toStop = speed * (UNSEEN_S + REACTION_S) + (speed * speed) / (2.0 * DRIVER_DECEL_MAX);
  let base = -getF(slab, C_STATION, car);
  for (let ahead = 0; base < APPROACH_M; ahead++) {
    const next = laneAhead(slab, city, car, ahead);
    const distance = base + station;
    if (next == lane && distance > 0.0) return distance - BUMPERS_M < toStop;
    base += laneLength(city, next);
  }
  return false;
}

/**
 * Whether a car that is pulled cuts in: within a moment it will be in the way of a car that cannot stop before
 * that. It does not where it is in the way of that car already. (wayX, wayY): its way until then, m.
 */
export function cutsIn(slab: usize, city: usize, car: i32, wayX: f64, wayY: f64): bool {
  bodyOf(slab, car, 0.0, BODY_A);
  memory.copy(NEXT, BODY_A, BOX_HALF_WIDTH + 8);
  store<f64>(NEXT + BOX_X, load<f64>(BODY_A + BOX_X) + wayX);
  store<f64>(NEXT + BOX_Y, load<f64>(BODY_A + BOX_Y) + wayY);
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car || isOutOfControl(slab, other)) continue;
    const speed = speedOf(slab, other);
    if (speed < STOPPED_MPS) continue;
    const toStop = speed * (UNSEEN_S + REACTION_S) + (speed * speed) / (2.0 * DRIVER_DECEL_MAX);
    const dx = getF(slab, C_X, other) - getF(slab, C_X, car);
    const dy = getF(slab, C_Y, other) - getF(slab, C_Y, car);
    const reach = toStop + 2.0 * BUMPERS_M;
    if (dx * dx + dy * dy < reach * reach && comesToNext(slab, city, other, toStop)) return true;
  }
  return false;
}

/** Whether the way of a car over some metres leads to NEXT, but not to BODY_A. */
function comesToNext(slab: usize, city: usize, car: i32, metres: f64): bool {
  bodyOf(slab, car, 0.0, BODY_B);
  store<f64>(BODY_B + BOX_HALF_LENGTH, 0.5 * WAY_STEP_M);
  store<f64>(BODY_B + BOX_HALF_WIDTH, load<f64>(BODY_B + BOX_HALF_WIDTH) + WAY_ASIDE_M);
  let comes = false;
  let ahead = 0;
  let lane = laneAhead(slab, city, car, 0);
  let station = getF(slab, C_STATION, car) + noseOf(slab, car);
  let way = WAY_STEP_M;
  for (let left = metres; left > 0.0; left -= way, station += way) {
    while (station > laneLength(city, lane)) {
      station -= laneLength(city, lane);
      lane = laneAhead(slab, city, car, ++ahead);
    }
    const point = pointAt(city, lane, station);
    const dx = <f64>load<f32>(point + PT_X) - load<f64>(BODY_A + BOX_X);
    const dy = <f64>load<f32>(point + PT_Y) - load<f64>(BODY_A + BOX_Y);
    // The way comes no nearer than it is long: most of it is passed over in whole steps.
    const beyond = sqrt(dx * dx + dy * dy) - WAY_NEAR_M;
    way = WAY_STEP_M * greatest(floor(beyond / WAY_STEP_M), 1.0);
    if (beyond > 0.0) continue;
    placeOnLane(BODY_B, city, lane, station);
    if (boxOverlap(BODY_A, BODY_B) > 0.0) return false;
    comes = comes || boxOverlap(NEXT, BODY_B) > 0.0;
  }
  return comes;
}
