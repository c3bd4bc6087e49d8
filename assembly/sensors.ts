/**
 * What the sensors of each car report. A sensor sees an object that is in range, in its field of
 * view and not occluded. It reports an object that it has seen in enough scans. All sensors scan
 * every FRAME_TICKS.
 */
import {
  CAR_COUNT,
  CONTACT_VEHICLE,
  CT_CENTRE,
  CT_LENGTH,
  C_EFFECTIVE,
  C_HX,
  C_HY,
  C_STATUS,
  C_X,
  C_Y,
  FRAME_TICKS,
  F_CORNER_RADARS,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  H_TICK,
  SEEN_CAMERA,
  SEEN_CORNERS,
  SEEN_RADAR,
  SIGHT,
  STATUS_CRASHED,
  TG_ACCEL,
  TG_CLASS,
  TG_HALF_LENGTH,
  TG_HALF_WIDTH,
  TG_HX,
  TG_HY,
  TG_OBJECT,
  TG_PATH,
  TG_PATH_OPEN,
  TG_SENSORS,
  TG_VX,
  TG_VY,
  TG_X,
  TG_Y,
} from './layout';
import { carsNear } from './broad-phase';
import {
  ATTENTION_M,
  candidateIndex,
  candidateSquared,
  listCandidates,
  sensorsFor,
} from './candidates';
import { seenBy } from './coverage';
import { clear, getF, getI, typeOf } from './memory';
import {
  gatherObjects,
  OB_ACCEL,
  OB_CLASS,
  OB_RADIUS,
  OB_VX,
  OB_VY,
  objectRecord,
} from './objects';
import { nearObject } from './near-objects';
import { findOccluders, HIDDEN, OPEN, viewOf } from './occlusion';
import { astrayCars } from './occupancy';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';
import { beginPath } from './own-path';
import { canMatterFrom } from './relevance';
import { measurePath } from './target-paths';
import { clearTargets, newTarget } from './targets';
import { MOVING_MPS } from './thresholds';
import { ageTracks, CAMERA, CORNERS, lastSeen, RADAR, see } from './tracks';

/** Greatest range of any sensor, from the centre of gravity to the middle of the object, m. */
const FARTHEST_M = 126.0;

/** An actor that stands farther away than this is taken as in the previous scan every other time, m. */
const STANDING_M = 60.0;

/** Half the width of the own path plus rounding, m. */
const BESIDE_PATH_M = 2.0;

/** By car, u32: mask of the actors that its sensors may reach. */
const ACTORS_NEAR: usize = SIGHT + 2720;

/** Scans with the sensors of every car, and leaves what they report as targets. */
export function findTargets(slab: usize, city: usize): void {
  clearTargets();
  ageTracks(slab);
  const actors = gatherObjects(slab, city);
  findActorsNear(slab, actors);
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    const sensors = sensorsOf(slab, car);
    if (sensors == 0) continue;
    const near =
      carsNear(slab, 0, getF(slab, C_X, car), getF(slab, C_Y, car), FARTHEST_M * FARTHEST_M) &
      ~(1 << car);
    const actorsNear = load<u32>(ACTORS_NEAR + ((<usize>car) << 2));
    if ((near | actorsNear) != 0) scan(slab, city, car, sensors, near, actorsNear);
  }
}

/** Leaves for each car the mask of the actors that its sensors may reach. */
function findActorsNear(slab: usize, actors: u32): void {
  clear(ACTORS_NEAR, CAR_COUNT << 2);
  for (let left = actors; left != 0; left &= left - 1) {
    const spot = <i32>ctz(left);
    const record = objectRecord(CAR_COUNT + spot);
    const reach = FARTHEST_M + load<f64>(record + OB_RADIUS);
    let cars = carsNear(
      slab,
      0,
      load<f64>(record + BOX_X),
      load<f64>(record + BOX_Y),
      reach * reach,
    );
    for (; cars != 0; cars &= cars - 1) {
      const address = ACTORS_NEAR + ((<usize>ctz(cars)) << 2);
      store<u32>(address, load<u32>(address) | (1 << spot));
    }
  }
}

function scan(slab: usize, city: usize, car: i32, sensors: i32, near: u32, actors: u32): void {
  const type = typeOf(slab, car);
  const nose = load<f64>(type + CT_CENTRE) + 0.5 * load<f64>(type + CT_LENGTH);
  const px = getF(slab, C_X, car) + nose * getF(slab, C_HX, car);
  const py = getF(slab, C_Y, car) + nose * getF(slab, C_HY, car);
  const count = listCandidates(car, sensors, near, actors, px, py);
  if (count > 0) evaluateCandidates(slab, city, car, count, px, py);
}

/** Sensors of a car that are effective, SEEN_. */
function sensorsOf(slab: usize, car: i32): i32 {
  const mask = getI(slab, C_EFFECTIVE, car);
  let sensors = 0;
  if (mask & F_FRONT_CAMERA) sensors |= SEEN_CAMERA;
  if (mask & F_FRONT_RADAR) sensors |= SEEN_RADAR;
  if (mask & F_CORNER_RADARS) sensors |= SEEN_CORNERS;
  return sensors;
}

@inline function isMoving(object: i32): bool {
  const record = objectRecord(object);
  return load<f64>(record + OB_VX) != 0.0 || load<f64>(record + OB_VY) != 0.0;
}

/** Turns the candidates that are seen and confirmed into targets. */
function evaluateCandidates(
  slab: usize,
  city: usize,
  car: i32,
  count: i32,
  px: f64,
  py: f64,
): void {
  const own = objectRecord(car);
  let view: usize = 0;
  let hasView = false;
  let hasPath = false;
  for (let i = 0; i < count; i++) {
    const index = candidateIndex(i);
    const squared = candidateSquared(i);
    const sensors = sensorsFor(index);
    const object = nearObject(index);
    const record = objectRecord(object);
    let seen = 0;
    if (isSkipped(slab, car, object, squared)) seen = lastSeen(slab, car, object) & sensors;
    else {
      if (!hasView) view = viewOf(slab, city, car);
      hasView = true;
      const occlusion = findOccluders(city, own, px, py, index, view);
      if (occlusion != HIDDEN) seen = seenBy(own, record, px, py, sensors, occlusion == OPEN);
    }
    if (seen == 0) continue;
    const confirmed = confirm(slab, car, object, seen);
    if (confirmed == 0) continue;
    const target = newTarget(car);
    if (target == 0) continue;
    describe(slab, car, record, target);
    store<i32>(target + TG_OBJECT, object);
    store<i32>(target + TG_SENSORS, confirmed);
    store<i32>(
      target + TG_CLASS,
      confirmed & SEEN_CAMERA ? load<i32>(record + OB_CLASS) : CONTACT_VEHICLE,
    );
    if (isPathIdle(slab, car, object, target, squared)) {
      store<f32>(target + TG_PATH, <f32>TG_PATH_OPEN);
      continue;
    }
    if (!hasPath) beginPath(slab, city, car);
    hasPath = true;
    measurePath(slab, city, record, target);
  }
}

/**
 * Whether a car is taken as in the previous scan: beyond ATTENTION_M occlusion is tested every
 * other scan, and so it is of an actor that stands beyond STANDING_M. `squared`: distance² from the
 * middle of the bumper to its middle, m².
 */
@inline function isSkipped(slab: usize, car: i32, object: i32, squared: f64): bool {
  if (squared < ATTENTION_M * ATTENTION_M) return false;
  if (object >= CAR_COUNT && (squared < STANDING_M * STANDING_M || isMoving(object))) return false;
  return (((load<u32>(slab + H_TICK) / FRAME_TICKS) ^ <u32>(car + object)) & 1) != 0;
}

/**
 * Whether no function needs to know how a target stands to the path: most are vehicles on their
 * lanes, too far away. `squared`: distance² from the middle of the bumper to the middle of the
 * target, m².
 */
@inline function isPathIdle(slab: usize, car: i32, object: i32, target: usize, squared: f64): bool {
  if (object >= CAR_COUNT || ((astrayCars() >> object) & 1) != 0) return false;
  const nearest = sqrt(squared) - load<f64>(objectRecord(object) + OB_RADIUS) - BESIDE_PATH_M;
  return !canMatterFrom(slab, car, target, nearest);
}

/** Records what each sensor saw in this scan; returns the sensors that have confirmed it. */
function confirm(slab: usize, car: i32, object: i32, seen: i32): i32 {
  const record = objectRecord(object);
  const vx = load<f64>(record + OB_VX);
  const vy = load<f64>(record + OB_VY);
  const moves = vx * vx + vy * vy > MOVING_MPS * MOVING_MPS;
  let confirmed = 0;
  if (seen & SEEN_CAMERA && see(slab, car, CAMERA, object, moves)) confirmed |= SEEN_CAMERA;
  if (seen & SEEN_RADAR && see(slab, car, RADAR, object, moves)) confirmed |= SEEN_RADAR;
  if (seen & SEEN_CORNERS && see(slab, car, CORNERS, object, moves)) confirmed |= SEEN_CORNERS;
  return confirmed;
}

/** Writes box and motion of an object in the axes of a car. */
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

@inline function turn(
  target: usize,
  ahead: usize,
  left: usize,
  x: f64,
  y: f64,
  hx: f64,
  hy: f64,
): void {
  store<f64>(target + ahead, x * hx + y * hy);
  store<f64>(target + left, y * hx - x * hy);
}
