import {
  CAR_COUNT, CONTACT_ANIMAL, CONTACT_PERSON, CONTACT_VEHICLE, CT_CENTRE, CT_LENGTH, C_EFFECTIVE, C_HX, C_HY, C_STATUS, C_X, C_Y,
  F_CORNER_RADARS, F_FRONT_CAMERA, F_FRONT_RADAR, SEEN_CAMERA, SEEN_CORNERS, SEEN_RADAR, SIGHT, STATUS_CRASHED, TG_ACCEL, TG_ASIDE,
  TG_CLASS, TG_HALF_LENGTH, TG_HALF_WIDTH, TG_HX, TG_HY, TG_LEFT, TG_OBJECT, TG_PATH, TG_RIGHT, TG_SENSORS, TG_VX, TG_VY, TG_X, TG_Y,
} from './layout';
import { getF, getI, typeOf } from './memory';
import { gatherObjects, OB_ACCEL, OB_CLASS, OB_RADIUS, OB_VX, OB_VY, objectAt } from './objects';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';
import { beginPath, meetPath, MET_AT, MET_LEFT, MET_RIGHT, PATH_M, sharedWidth } from './own-path';
import { aim, isInSector, NEAREST } from './sight';
import { clearTargets, newTarget } from './targets';

// Ranges, m, by what is looked for.
const CAMERA_M = 120.0;
const CAMERA_PERSON_M = 60.0;
const RADAR_M = 100.0;
const RADAR_WIDE_M = 70.0;
const RADAR_PERSON_M = 40.0;
const CORNERS_M = 80.0;
const CORNERS_PERSON_M = 25.0;
/** No sensor sees further, from the centre of gravity. */
const FARTHEST_M = 123.0;
/** A radar tells a person from what stands only by its motion towards or away from it, m/s. */
const RADIAL_MPS = 0.5;

/** Behind the front bumper, m. */
const CAMERA_BEHIND_M = 1.6;
/** Left and right of the middle of the front bumper, m. */
const CORNER_ASIDE_M = 0.75;
/** Tangents of half the angles of camera (50°) and radar (10°, 45°). */
const CAMERA_TANGENT = 1.1917536;
const RADAR_TANGENT = 0.1763270;
const WIDE_TANGENT = 1.0;
/** Sector of the left corner radar, from −25° to 115°: (ahead, left) of its ends. */
const INWARD_AHEAD = 0.9063078;
const INWARD_LEFT = 0.4226183;
const OUTWARD_AHEAD = -0.4226183;
const OUTWARD_LEFT = 0.9063078;

// Objects that may be seen, nearest first: f64 distance², i32 object.
const CANDIDATES: usize = SIGHT;
const CANDIDATE_BYTES: usize = 16;

/** Fills the target records of all cars. */
export function findTargets(slab: usize, city: usize): void {
  clearTargets();
  const actors = gatherObjects(slab, city);
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    const sensors = sensorsOf(slab, car);
    if (sensors == 0) continue;
    const count = listCandidates(slab, car, actors);
    if (count > 0) lookAt(slab, city, car, sensors, count);
  }
}

/** The sensors that a car effectively has, SEEN_. */
function sensorsOf(slab: usize, car: i32): i32 {
  const mask = getI(slab, C_EFFECTIVE, car);
  let sensors = 0;
  if (mask & F_FRONT_CAMERA) sensors |= SEEN_CAMERA;
  if (mask & F_FRONT_RADAR) sensors |= SEEN_RADAR;
  if (mask & F_CORNER_RADARS) sensors |= SEEN_CORNERS;
  return sensors;
}

/** Lists who is near enough and not behind, nearest first; returns how many. */
function listCandidates(slab: usize, car: i32, actors: u32): i32 {
  let count = 0;
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other != car) count = list(slab, car, other, count);
  }
  for (let left = actors; left != 0; left &= left - 1) count = list(slab, car, CAR_COUNT + <i32>ctz(left), count);
  return count;
}

@inline function list(slab: usize, car: i32, object: i32, count: i32): i32 {
  const at = objectAt(object);
  const dx = load<f64>(at + BOX_X) - getF(slab, C_X, car);
  const dy = load<f64>(at + BOX_Y) - getF(slab, C_Y, car);
  const squared = dx * dx + dy * dy;
  if (squared > FARTHEST_M * FARTHEST_M) return count;
  insert(object, squared, count);
  return count + 1;
}

function insert(object: i32, squared: f64, count: i32): void {
  let place = CANDIDATES + <usize>count * CANDIDATE_BYTES;
  while (place > CANDIDATES && load<f64>(place - CANDIDATE_BYTES) > squared) {
    store<f64>(place, load<f64>(place - CANDIDATE_BYTES));
    store<i32>(place + 8, load<i32>(place - CANDIDATE_BYTES + 8));
    place -= CANDIDATE_BYTES;
  }
  store<f64>(place, squared);
  store<i32>(place + 8, object);
}

/** Turns those of the candidates that are seen into targets. */
function lookAt(slab: usize, city: usize, car: i32, sensors: i32, count: i32): void {
  let hasPath = false;
  for (let i = 0; i < count; i++) {
    const object = load<i32>(CANDIDATES + <usize>i * CANDIDATE_BYTES + 8);
    const at = objectAt(object);
    const seen = seenBy(slab, car, at, sensors);
    if (seen == 0) continue;
    const target = newTarget(car);
    if (target == 0) return;
    if (!hasPath) beginPath(slab, car);
    hasPath = true;
    describe(slab, car, at, target);
    store<i32>(target + TG_OBJECT, object);
    store<i32>(target + TG_SENSORS, seen);
    store<i32>(target + TG_CLASS, seen & SEEN_CAMERA ? load<i32>(at + OB_CLASS) : CONTACT_VEHICLE);
    place(slab, city, at, target);
  }
}

/** Sensors of a car, among the given, in whose range and field of view an object is. */
function seenBy(slab: usize, car: i32, object: usize, sensors: i32): i32 {
  const type = typeOf(slab, car);
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const nose = load<f64>(type + CT_CENTRE) + 0.5 * load<f64>(type + CT_LENGTH);
  const bumperX = getF(slab, C_X, car) + nose * hx;
  const bumperY = getF(slab, C_Y, car) + nose * hy;
  const kind = load<i32>(object + OB_CLASS);
  let seen = 0;
  if (sensors & SEEN_CAMERA && cameraSees(object, kind, bumperX - CAMERA_BEHIND_M * hx, bumperY - CAMERA_BEHIND_M * hy, hx, hy)) {
    seen |= SEEN_CAMERA;
  }
  if (kind == CONTACT_ANIMAL) return seen;
  if (sensors & SEEN_RADAR && radarSees(object, kind, bumperX, bumperY, hx, hy)) seen |= SEEN_RADAR;
  if (sensors & SEEN_CORNERS) {
    const ax = -CORNER_ASIDE_M * hy;
    const ay = CORNER_ASIDE_M * hx;
    if (cornerSees(object, kind, bumperX + ax, bumperY + ay, hx, hy, 1.0)) seen |= SEEN_CORNERS;
    else if (cornerSees(object, kind, bumperX - ax, bumperY - ay, hx, hy, -1.0)) seen |= SEEN_CORNERS;
  }
  return seen;
}

function cameraSees(object: usize, kind: i32, px: f64, py: f64, hx: f64, hy: f64): bool {
  const range = kind == CONTACT_PERSON || kind == CONTACT_ANIMAL ? CAMERA_PERSON_M : CAMERA_M;
  aim(object, px, py);
  if (load<f64>(NEAREST) > range * range) return false;
  return isInSector(px, py, hx, hy, 1.0, -CAMERA_TANGENT, 1.0, CAMERA_TANGENT);
}

function radarSees(object: usize, kind: i32, px: f64, py: f64, hx: f64, hy: f64): bool {
  aim(object, px, py);
  const apart = load<f64>(NEAREST);
  const range = kind == CONTACT_PERSON ? RADAR_PERSON_M : RADAR_M;
  if (apart > range * range) return false;
  if (kind == CONTACT_PERSON && !isRadial(object, px, py)) return false;
  const tangent = apart > RADAR_WIDE_M * RADAR_WIDE_M ? RADAR_TANGENT : WIDE_TANGENT;
  return isInSector(px, py, hx, hy, 1.0, -tangent, 1.0, tangent);
}

/** `side`: 1 the left one, −1 the right one. */
function cornerSees(object: usize, kind: i32, px: f64, py: f64, hx: f64, hy: f64, side: f64): bool {
  aim(object, px, py);
  const range = kind == CONTACT_PERSON ? CORNERS_PERSON_M : CORNERS_M;
  if (load<f64>(NEAREST) > range * range) return false;
  if (kind == CONTACT_PERSON && !isRadial(object, px, py)) return false;
  if (side > 0.0) return isInSector(px, py, hx, hy, INWARD_AHEAD, -INWARD_LEFT, OUTWARD_AHEAD, OUTWARD_LEFT);
  return isInSector(px, py, hx, hy, OUTWARD_AHEAD, -OUTWARD_LEFT, INWARD_AHEAD, INWARD_LEFT);
}

/** Whether an object moves towards a place or away from it fast enough for a radar. */
function isRadial(object: usize, px: f64, py: f64): bool {
  const dx = load<f64>(object + BOX_X) - px;
  const dy = load<f64>(object + BOX_Y) - py;
  const along = load<f64>(object + OB_VX) * dx + load<f64>(object + OB_VY) * dy;
  return along * along > RADIAL_MPS * RADIAL_MPS * (dx * dx + dy * dy);
}

/** Box and motion of an object in the axes of a car. */
function describe(slab: usize, car: i32, object: usize, target: usize): void {
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const dx = load<f64>(object + BOX_X) - getF(slab, C_X, car);
  const dy = load<f64>(object + BOX_Y) - getF(slab, C_Y, car);
  turn(target, TG_X, TG_Y, dx, dy, hx, hy);
  turn(target, TG_HX, TG_HY, load<f64>(object + BOX_HX), load<f64>(object + BOX_HY), hx, hy);
  turn(target, TG_VX, TG_VY, load<f64>(object + OB_VX), load<f64>(object + OB_VY), hx, hy);
  store<f64>(target + TG_HALF_LENGTH, load<f64>(object + BOX_HALF_LENGTH));
  store<f64>(target + TG_HALF_WIDTH, load<f64>(object + BOX_HALF_WIDTH));
  store<f64>(target + TG_ACCEL, load<f64>(object + OB_ACCEL));
}

@inline function turn(target: usize, ahead: usize, left: usize, x: f64, y: f64, hx: f64, hy: f64): void {
  store<f64>(target + ahead, x * hx + y * hy);
  store<f64>(target + left, y * hx - x * hy);
}

/** Where an object stands to the way that the car is about to go. */
function place(slab: usize, city: usize, object: usize, target: usize): void {
  const isMet = meetPath(slab, city, object, load<f64>(object + OB_RADIUS), PATH_M);
  store<f32>(target + TG_PATH, isMet ? <f32>load<f64>(MET_AT) : -1.0);
  store<f32>(target + TG_ASIDE, isMet ? <f32>sharedWidth() : 0.0);
  store<f32>(target + TG_RIGHT, isMet ? <f32>load<f64>(MET_RIGHT) : 0.0);
  store<f32>(target + TG_LEFT, isMet ? <f32>load<f64>(MET_LEFT) : 0.0);
}
