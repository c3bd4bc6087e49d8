/** Bodies that pass each other too close and too fast without touching. */
import {
  ACTOR_WAITS,
  A_HX,
  A_HY,
  A_NEAR,
  A_SPEED,
  A_STATE,
  A_STRUCK,
  CAR_COUNT,
  CONTACT_OBSTACLE,
  CONTACT_VEHICLE,
  C_CONTACT_TICK,
  C_LANE,
  C_NEAR,
  C_NEAR_MISS,
  EVENT_NEAR_MISS,
  F_AEB,
  F_ANIMAL_DETECTION,
  F_BRAKES,
  F_INTERSECTION_ASSIST,
  F_STEERING,
  F_TRAFFIC_LIGHT_RECOGNITION,
  CONTACT_ANIMAL,
  HS_CLASS,
  L_JUNCTION,
  L_LIGHT,
  NEAR_BLOCKS,
  OTHER_ACTOR,
  STATUS_CRASHED,
  T_HAZARD_COUNT,
} from '../layout';
import { BODY_A, BODY_B, bodyOf, velocityX, velocityY } from '../body';
import { actorBody } from '../hazards/paths';
import { actorRecord, siteRecord } from '../hazards/spots';
import { laneRecord } from '../lanes';
import { getI, setI } from '../memory';
import { boxClearance } from '../overlap';
import { publicStatus } from '../status';
import { tell } from './raise';
import { firstReason, reason } from './reasons';

/** A clearance below this is a near miss: of vehicles, and of people and animals, m. */
const CLOSE_M = 0.5;
const CLOSE_TO_LIFE_M = 1.0;
/** At a lower relative speed bodies stop beside each other, m/s. */
const FAST_MPS = 4.0;
/** It is told this many frames (0.96 s) after the last close one: a collision would come first. */
const PASSED_FRAMES = 12;

/** Follows what each car nearly touches, and tells it once it is past. Runs at the end of a frame. */
export function watchNearMisses(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    let others = getI(slab, C_NEAR, car) & ~NEAR_BLOCKS;
    for (; others != 0; others &= others - 1) meet(slab, car, <i32>ctz(others));
  }
  const spots = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < spots; spot++) {
    const actor = actorRecord(slab, spot);
    if (load<i32>(actor + A_STATE) == ACTOR_WAITS) continue;
    if (load<i32>(siteRecord(city, spot) + HS_CLASS) == CONTACT_OBSTACLE) continue;
    let cars = load<u32>(actor + A_NEAR);
    for (; cars != 0; cars &= cars - 1) meetActor(slab, city, <i32>ctz(cars), spot);
  }
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_NEAR_MISS, car) != 0) grow(slab, city, car);
  }
}

@inline function isWreck(slab: usize, car: i32): bool {
  return publicStatus(slab, car) == STATUS_CRASHED;
}

function meet(slab: usize, car: i32, other: i32): void {
  if (isWreck(slab, car) || isWreck(slab, other)) return;
  const vx = velocityX(slab, car) - velocityX(slab, other);
  const vy = velocityY(slab, car) - velocityY(slab, other);
  if (vx * vx + vy * vy < FAST_MPS * FAST_MPS) return;
  bodyOf(slab, car, 0.0, BODY_A);
  bodyOf(slab, other, 0.0, BODY_B);
  note(slab, car, other, boxClearance(BODY_A, BODY_B), CLOSE_M);
}

function meetActor(slab: usize, city: usize, car: i32, spot: i32): void {
  if (isWreck(slab, car)) return;
  const site = siteRecord(city, spot);
  const actor = actorRecord(slab, spot);
  const speed = load<f64>(actor + A_SPEED);
  const vx = velocityX(slab, car) - speed * load<f64>(actor + A_HX);
  const vy = velocityY(slab, car) - speed * load<f64>(actor + A_HY);
  if (vx * vx + vy * vy < FAST_MPS * FAST_MPS) return;
  bodyOf(slab, car, 0.0, BODY_A);
  actorBody(site, actor, 0.0, 0.0, BODY_B);
  const close = load<i32>(site + HS_CLASS) == CONTACT_VEHICLE ? CLOSE_M : CLOSE_TO_LIFE_M;
  note(slab, car, CAR_COUNT + spot, boxClearance(BODY_A, BODY_B), close);
}

/** Keeps the least clearance to an object; another object takes its place only if it is nearer. */
function note(slab: usize, car: i32, object: i32, clearance: f64, close: f64): void {
  if (clearance >= close) return;
  // From 1, so that 0 means none.
  const cm = 1 + <i32>(clearance * 100.0);
  const known = getI(slab, C_NEAR_MISS, car);
  const least = known & 0xff;
  if (known != 0 && known >> 16 != object && least <= cm) return;
  const isNearer = known == 0 || known >> 16 != object || cm < least;
  setI(slab, C_NEAR_MISS, car, (object << 16) | (isNearer ? cm : least));
}

/** One frame has passed since the last close one; in that itself `note` has set 0. */
function grow(slab: usize, city: usize, car: i32): void {
  const known = getI(slab, C_NEAR_MISS, car);
  const object = known >> 16;
  const frames = (known >> 8) & 0xff;
  if (haveTouched(slab, car, object)) setI(slab, C_NEAR_MISS, car, 0);
  else if (frames < PASSED_FRAMES) setI(slab, C_NEAR_MISS, car, known + (1 << 8));
  else {
    setI(slab, C_NEAR_MISS, car, 0);
    tellMiss(slab, city, car, object, (known & 0xff) - 1);
  }
}

/** Whether the last contact of a car was with the object. */
function haveTouched(slab: usize, car: i32, object: i32): bool {
  if (object >= CAR_COUNT)
    return ((load<u32>(actorRecord(slab, object - CAR_COUNT) + A_STRUCK) >> car) & 1) != 0;
  const tick = getI(slab, C_CONTACT_TICK, car);
  return tick != 0 && tick == getI(slab, C_CONTACT_TICK, object);
}

function tellMiss(slab: usize, city: usize, car: i32, object: i32, cm: i32): void {
  if (object >= CAR_COUNT) {
    const spot = object - CAR_COUNT;
    tell(slab, EVENT_NEAR_MISS, car, reasonAt(slab, city, car, spot), spot, OTHER_ACTOR, cm);
    return;
  }
  const own = reasonOf(slab, city, car);
  const theirs = own == 0 ? reasonOf(slab, city, object) : 0;
  if (theirs == 0) tell(slab, EVENT_NEAR_MISS, car, own, -1, object, cm);
  else tell(slab, EVENT_NEAR_MISS, object, theirs, -1, car, cm);
}

/** The feature that would have kept a car away from others. */
function reasonOf(slab: usize, city: usize, car: i32): i32 {
  const lane = laneRecord(city, getI(slab, C_LANE, car));
  let atJunction = 0;
  if (load<i32>(lane + L_JUNCTION) >= 0)
    atJunction =
      load<i32>(lane + L_LIGHT) >= 0 ? F_TRAFFIC_LIGHT_RECOGNITION : F_INTERSECTION_ASSIST;
  const found = firstReason(slab, car, F_STEERING, F_BRAKES, atJunction);
  return found == 0 ? reason(slab, car, F_AEB) : found;
}

/** The feature that would have kept a car away from the actor of a spot. */
function reasonAt(slab: usize, city: usize, car: i32, spot: i32): i32 {
  const kind = load<i32>(siteRecord(city, spot) + HS_CLASS);
  if (kind == CONTACT_ANIMAL) return firstReason(slab, car, F_ANIMAL_DETECTION, F_STEERING, 0);
  return kind == CONTACT_VEHICLE
    ? reasonOf(slab, city, car)
    : firstReason(slab, car, F_AEB, F_STEERING, 0);
}
