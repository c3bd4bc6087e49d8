/** How a car is pulled off its lane to the roadside, and from there back into the lane. */
import {
  CAR_COUNT,
  CT_CENTRE,
  C_HX,
  C_HY,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  RS_HX,
  RS_HY,
  RS_X,
  RS_Y,
  SCRATCH,
  TICK_S,
  TOW_ASIDE,
  TOW_PULLS_OUT,
} from '../layout';
import { BODY_A, BODY_B, bodyOf } from '../body';
import { along, pointAt, shareAt } from '../lanes';
import { clamp, greatest, least } from '../math';
import { getF, setF, typeOf } from '../memory';
import {
  BOX_HALF_LENGTH,
  BOX_HALF_WIDTH,
  BOX_HX,
  BOX_HY,
  BOX_X,
  BOX_Y,
  boxOverlap,
} from '../overlap';
import { placeOf, towOf } from '../tow';
import { laneOfPlace, outStation, placeRecord } from './roadside';
import { cutsIn } from './room';

/** Speed of the pull, m/s. */
const PULL_MPS = 1.5;
/** Its acceleration and deceleration, m/s². */
const PULL_ACCEL = 0.6;
/** Greatest yaw rate of the car meanwhile, rad/s. */
const PULL_YAW_RATE = 0.6;
/** Deceleration where somebody is in the way, m/s². */
const STOP_DECEL = 2.0;
/** Somebody is in the way whom the car would touch within so long, s. */
const LOOK_S = 0.6;
/** Steps in which that is looked at, and the distance that is kept, m: corners pass between steps. */
const LOOKS = 9;
const SPARE_M = 0.06;
/** Steps in which a longer way is looked at, m. */
const STEP_M = 1.0;
/** Another car this far away is not in the way, m. */
const APART_M = 8.0;

// Where the pull ends, f64, as `aim` leaves it: centre of gravity, m, and heading.
const TO_X: usize = SCRATCH + 976;
const TO_Y: usize = SCRATCH + 984;
const TO_HX: usize = SCRATCH + 992;
const TO_HY: usize = SCRATCH + 1000;

/** Sets the end of the pull of a car: its place at the roadside, or the point to which it pulls out. */
function aim(slab: usize, city: usize, car: i32): void {
  const place = placeOf(slab, car);
  if (towOf(slab, car) == TOW_PULLS_OUT) {
    const lane = laneOfPlace(city, place);
    const station = outStation(city, place);
    const point = pointAt(city, lane, station);
    const share = shareAt(city, lane, station);
    store<f64>(TO_X, along(point, PT_X, share));
    store<f64>(TO_Y, along(point, PT_Y, share));
    const hx = along(point, PT_TX, share);
    const hy = along(point, PT_TY, share);
    const norm = 1.0 / sqrt(hx * hx + hy * hy);
    store<f64>(TO_HX, hx * norm);
    store<f64>(TO_HY, hy * norm);
    return;
  }
  const record = placeRecord(city, place);
  let hx = <f64>load<f32>(record + RS_HX);
  let hy = <f64>load<f32>(record + RS_HY);
  // At the other side of the road it stays turned as it is.
  const cosine = hx * getF(slab, C_HX, car) + hy * getF(slab, C_HY, car);
  if (towOf(slab, car) == TOW_ASIDE && cosine < 0.0) {
    hx = -hx;
    hy = -hy;
  }
  store<f64>(TO_HX, hx);
  store<f64>(TO_HY, hy);
  const centre = load<f64>(typeOf(slab, car) + CT_CENTRE);
  store<f64>(TO_X, <f64>load<f32>(record + RS_X) - centre * load<f64>(TO_HX));
  store<f64>(TO_Y, <f64>load<f32>(record + RS_Y) - centre * load<f64>(TO_HY));
}

/** One tick of the pull; true at its end. It pauses while another car is in the way, or it would cut in. */
export function pull(slab: usize, city: usize, car: i32): bool {
  aim(slab, city, car);
  const dx = load<f64>(TO_X) - getF(slab, C_X, car);
  const dy = load<f64>(TO_Y) - getF(slab, C_Y, car);
  const distance = sqrt(dx * dx + dy * dy);
  if (distance < 1e-3) {
    arrive(slab, car);
    return true;
  }
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  const before = sqrt(vx * vx + vy * vy);
  const faster = least(PULL_MPS, before + PULL_ACCEL * TICK_S);
  const speed = least(least(faster, sqrt(2.0 * PULL_ACCEL * distance)), distance / TICK_S);
  const wayX = dx / distance;
  const wayY = dy / distance;
  // A car that pulls out has asked before it began.
  const isFree =
    isWayFree(slab, car, PULL_MPS * wayX, PULL_MPS * wayY) &&
    !(
      towOf(slab, car) == TOW_ASIDE &&
      cutsIn(slab, city, car, LOOK_S * PULL_MPS * wayX, LOOK_S * PULL_MPS * wayY)
    );
  const next = isFree ? speed : greatest(before - STOP_DECEL * TICK_S, 0.0);
  move(slab, car, next * wayX, next * wayY);
  return false;
}

/** Stands a car where it would be pulled to. */
export function standAtPlace(slab: usize, city: usize, car: i32): void {
  aim(slab, city, car);
  arrive(slab, car);
}

function arrive(slab: usize, car: i32): void {
  setF(slab, C_X, car, load<f64>(TO_X));
  setF(slab, C_Y, car, load<f64>(TO_Y));
  setF(slab, C_HX, car, load<f64>(TO_HX));
  setF(slab, C_HY, car, load<f64>(TO_HY));
  setF(slab, C_VX, car, 0.0);
  setF(slab, C_VY, car, 0.0);
  setF(slab, C_YAW_RATE, car, 0.0);
}

/** Moves a car by a velocity over ground, m/s; the heading turns to that of the end. */
function move(slab: usize, car: i32, vx: f64, vy: f64): void {
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const turn = vx == 0.0 && vy == 0.0 ? 0.0 : turnToEnd(hx, hy, TICK_S);
  const norm = 1.0 / sqrt(1.0 + turn * turn);
  const nextHx = (hx - turn * hy) * norm;
  const nextHy = (hy + turn * hx) * norm;
  setF(slab, C_X, car, getF(slab, C_X, car) + vx * TICK_S);
  setF(slab, C_Y, car, getF(slab, C_Y, car) + vy * TICK_S);
  setF(slab, C_HX, car, nextHx);
  setF(slab, C_HY, car, nextHy);
  setF(slab, C_VX, car, vx * nextHx + vy * nextHy);
  setF(slab, C_VY, car, vy * nextHx - vx * nextHy);
  setF(slab, C_YAW_RATE, car, 0.0);
}

/** Tangent of the angle by which a heading turns to that of the end within some seconds. */
function turnToEnd(hx: f64, hy: f64, seconds: f64): f64 {
  const sine = hx * load<f64>(TO_HY) - hy * load<f64>(TO_HX);
  const cosine = hx * load<f64>(TO_HX) + hy * load<f64>(TO_HY);
  const most = PULL_YAW_RATE * seconds;
  return cosine < 0.0 ? (sine < 0.0 ? -most : most) : clamp(sine, -most, most);
}

/** Whether no other car is where this one will be in a moment, unless it touches it already. */
function isWayFree(slab: usize, car: i32, wayX: f64, wayY: f64): bool {
  const x = getF(slab, C_X, car);
  const y = getF(slab, C_Y, car);
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    const dx = getF(slab, C_X, other) - x;
    const dy = getF(slab, C_Y, other) - y;
    if (dx * dx + dy * dy > APART_M * APART_M) continue;
    bodyOf(slab, other, 0.0, BODY_B);
    bodyOf(slab, car, 0.0, BODY_A);
    if (boxOverlap(BODY_A, BODY_B) > 0.0) continue;
    enlarge(BODY_B, SPARE_M);
    // Two that are nearer than that may still part.
    if (boxOverlap(BODY_A, BODY_B) > 0.0) enlarge(BODY_B, -SPARE_M);
    for (let step = 0; step < LOOKS; step++) {
      store<f64>(BODY_A + BOX_X, load<f64>(BODY_A + BOX_X) + wayX * (LOOK_S / LOOKS));
      store<f64>(BODY_A + BOX_Y, load<f64>(BODY_A + BOX_Y) + wayY * (LOOK_S / LOOKS));
      const turn = turnToEnd(hx, hy, (LOOK_S / LOOKS) * <f64>(step + 1));
      const norm = 1.0 / sqrt(1.0 + turn * turn);
      store<f64>(BODY_A + BOX_HX, (hx - turn * hy) * norm);
      store<f64>(BODY_A + BOX_HY, (hy + turn * hx) * norm);
      if (boxOverlap(BODY_A, BODY_B) > 0.0) return false;
    }
  }
  return true;
}

@inline function enlarge(body: usize, by: f64): void {
  store<f64>(body + BOX_HALF_LENGTH, load<f64>(body + BOX_HALF_LENGTH) + by);
  store<f64>(body + BOX_HALF_WIDTH, load<f64>(body + BOX_HALF_WIDTH) + by);
}

/** Whether no other car is on the straight way of a car to a place. */
export function isWayToPlaceFree(slab: usize, city: usize, car: i32, place: i32): bool {
  const record = placeRecord(city, place);
  const wayX = <f64>load<f32>(record + RS_X) - getF(slab, C_X, car);
  const wayY = <f64>load<f32>(record + RS_Y) - getF(slab, C_Y, car);
  const steps = floor(sqrt(wayX * wayX + wayY * wayY) / STEP_M) + 1.0;
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    bodyOf(slab, other, 0.0, BODY_B);
    bodyOf(slab, car, 0.0, BODY_A);
    if (boxOverlap(BODY_A, BODY_B) > 0.0) continue;
    for (let step = 0.0; step < steps; step += 1.0) {
      store<f64>(BODY_A + BOX_X, load<f64>(BODY_A + BOX_X) + wayX / steps);
      store<f64>(BODY_A + BOX_Y, load<f64>(BODY_A + BOX_Y) + wayY / steps);
      if (boxOverlap(BODY_A, BODY_B) > 0.0) return false;
    }
  }
  return true;
}

/** Distance over which a car would be pulled to a place, m. */
export function wayToPlace(slab: usize, city: usize, car: i32, place: i32): f64 {
  const record = placeRecord(city, place);
  const dx = <f64>load<f32>(record + RS_X) - getF(slab, C_X, car);
  const dy = <f64>load<f32>(record + RS_Y) - getF(slab, C_Y, car);
  return sqrt(dx * dx + dy * dy);
}
