import {
  A_SIGHT,
  A_SPEED,
  A_STATION,
  A_WAIT,
  A_X,
  CAR_COUNT,
  C_ACCEL,
  C_LANE,
  C_STATUS,
  C_VX,
  C_X,
  C_Y,
  HS_ACTOR_LENGTH,
  HS_LANE_COUNT,
  HS_START_HX,
  HS_START_HY,
  HS_X,
  HS_Y,
  STATUS_CRASHED,
  TICK_S,
} from '../layout';
import { velocityX, velocityY } from '../body';
import { greatest, least } from '../math';
import { getF, getI } from '../memory';
import { CAMERA_BEHIND_M } from '../sensor-mounts';
import { placeAt } from './paths';
import { carsAt, isFirst, laneOf, longWayTo, wayTo } from './triggers';

/**
 * Time before the obstacle at which a car does not see it yet, s, below which it no longer sets off
 * for the car, s, as it must lie still when it is seen, and below which the case is settled, s.
 */
const SOON_S = 3.4;
const SETS_OFF_S = 2.8;
const SETTLED_S = 2.0;
/** Greatest speed of the obstacle, m/s, and its acceleration and deceleration, m/s². */
const ROLL_MPS = 4.5;
const ROLL_ACCEL = 6.0;
/** Range of sight of the obstacle beside the road, m. */
const HIDDEN_M = 15.0;
/** It rolls back once no car is this near, m, nor approaches within the longer distance, m. */
const NEAR_BY_M = 45.0;
const APPROACHES_M = 90.0;
/** A car slower than this can stop in time, m/s. */
const SLOW_MPS = 5.0;
/**
 * A car that sees the obstacle this long before it can still steer around it on a wet road, s: 0.23
 * s until the camera confirms it, 1.05 s to gain a metre, and a reserve for measuring errors and
 * acceleration.
 */
const STEERS_FROM_S = 1.46;
/** Braking instead needs this reaction, s, at this deceleration, m/s². */
const BRAKES_LATE_S = 0.33;
const BRAKES = 5.2;
/** Height of the obstacle, as the time before it at which a car sees it, s. */
const SEEN_S = 1.6;
/** Position of that moment between the last one to steer and the last one to brake, as a share. */
const SEEN_SHARE = 0.35;
/**
 * These two moments must differ by this factor: otherwise a car that is a little slower could
 * brake.
 */
const WORTHWHILE = 1.03;
/** Share by which a car may turn out slower until the case is settled. */
const SPARE = 0.03;
/**
 * A car's present acceleration is expected to last up to this value, m/s²; a car that brakes harder
 * than the second may stop.
 */
const ACCEL_MAX = 1.5;
const SLOWING = -1.0;
/** A car whose front is this far beyond the obstacle has passed it, m. */
const PASSED_M = 8.0;
/** No car may stand within this distance behind the obstacle, m. */
const CLEAR_M = 20.0;
/** No car may follow within this distance, m: it would have to brake behind the obstacle. */
const FOLLOWS_M = 46.0;
/**
 * A car that arrives within this driving time, s, or is this near, m, may be beside the obstacle.
 */
const COMING_S = 7.0;
const NEAR_M = 30.0;
/** A car further than this from the lane is on another street, m. */
const STREET_M = 12.0;

/**
 * The first approaching car that will see the obstacle too late to brake but can steer around it,
 * with the sight distance for that set; −1 while no such car approaches.
 */
export function crestTrigger(slab: usize, city: usize, site: usize, actor: usize): i32 {
  for (let car = 0; car < CAR_COUNT; car++) {
    const way = soonThere(slab, city, site, car);
    if (way < SETS_OFF_S * getF(slab, C_VX, car)) continue;
    const sight = surprisingSight(slab, car, way);
    if (
      sight < 0.0 ||
      !isFirst(slab, city, site, car, CLEAR_M) ||
      isFollowed(slab, city, site, car, way)
    )
      continue;
    if (isAnybodyBeside(slab, site)) continue;
    store<f32>(actor + A_SIGHT, <f32>sight);
    store<u32>(actor + A_WAIT, 0);
    return car;
  }
  return -1;
}

/** Beside the road the obstacle is seen from nearby only. */
export function hideBehindCrest(actor: usize): void {
  store<f32>(actor + A_SIGHT, <f32>HIDDEN_M);
}

/** One tick of the obstacle on its way into the lane, or back. */
export function roll(city: usize, site: usize, actor: usize, isComing: bool): void {
  const station = load<f64>(actor + A_STATION);
  const left = (isComing ? load<f64>(site + HS_ACTOR_LENGTH) : 0.0) - station;
  const distance = abs(left);
  const faster = least(abs(load<f64>(actor + A_SPEED)) + ROLL_ACCEL * TICK_S, ROLL_MPS);
  const speed = least(least(faster, sqrt(2.0 * ROLL_ACCEL * distance)), distance / TICK_S);
  const next = left < 0.0 ? -speed : speed;
  store<f64>(actor + A_SPEED, next);
  store<f64>(actor + A_STATION, distance < 1e-6 ? station + left : station + next * TICK_S);
  placeAt(city, site, 0, load<f64>(actor + A_STATION), actor + A_X);
}

/** Whether no car is near the obstacle or approaches it. */
export function isNobodyNear(slab: usize, city: usize, site: usize): bool {
  for (let car = 0; car < CAR_COUNT; car++) {
    const dx = getF(slab, C_X, car) - load<f64>(site + HS_X);
    const dy = getF(slab, C_Y, car) - load<f64>(site + HS_Y);
    if (
      dx * dx + dy * dy < NEAR_BY_M * NEAR_BY_M ||
      longWayTo(slab, city, car, site, APPROACHES_M) >= 0.0
    )
      return false;
  }
  return true;
}

/**
 * Sight distance at which a car `way` m before the obstacle has to steer, m; −1 if it could always
 * brake.
 */
function surprisingSight(slab: usize, car: i32, way: f64): f64 {
  if (getF(slab, C_ACCEL, car) < SLOWING) return -1.0;
  const speed = speedAfter(slab, car, way - SEEN_S * getF(slab, C_VX, car));
  const steers = STEERS_FROM_S * speed;
  const brakes = brakingWay(speed);
  return brakes < steers * WORTHWHILE
    ? -1.0
    : CAMERA_BEHIND_M + steers + SEEN_SHARE * (brakes - steers);
}

/**
 * Whether a car is about to reach the obstacle for which it is not meant: one that could brake,
 * could not even steer, or has no room because another car is beside it or approaches. Not while
 * another car can see it.
 */
export function isCrestSpared(slab: usize, city: usize, site: usize, actor: usize): bool {
  let spared = false;
  for (let left = carsAt(site); left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    if (isAtIt(slab, city, site, car)) return false;
    const way = soonThere(slab, city, site, car);
    if (way >= 0.0 && (!isSurprised(slab, actor, car, way) || isAnybodyBeside(slab, site)))
      spared = true;
  }
  return spared;
}

@inline function isAtIt(slab: usize, city: usize, site: usize, car: i32): bool {
  if (getI(slab, C_LANE, car) != laneOf(site, load<i32>(site + HS_LANE_COUNT) - 1)) return false;
  const way = wayTo(slab, city, car, site);
  return way > -PASSED_M && way <= SETTLED_S * getF(slab, C_VX, car);
}

/**
 * Distance of a car that will arrive soon, as long as the case is not settled, m; −1 for other
 * cars.
 */
function soonThere(slab: usize, city: usize, site: usize, car: i32): f64 {
  const speed = getF(slab, C_VX, car);
  if (speed < SLOW_MPS || getI(slab, C_STATUS, car) == STATUS_CRASHED) return -1.0;
  const way = wayTo(slab, city, car, site);
  return way > SETTLED_S * speed && way < SOON_S * speed ? way : -1.0;
}

/**
 * Whether a car will see the obstacle late enough to have to steer, and early enough to be able to.
 */
function isSurprised(slab: usize, actor: usize, car: i32, way: f64): bool {
  if (getF(slab, C_ACCEL, car) < SLOWING) return false;
  const sight = <f64>load<f32>(actor + A_SIGHT) - CAMERA_BEHIND_M;
  const speed = speedAfter(slab, car, way - sight);
  return sight > STEERS_FROM_S * speed && sight < brakingWay(speed) * (1.0 + SPARE);
}

/** Speed of a car after `way` m with its present acceleration, m/s. */
@inline function speedAfter(slab: usize, car: i32, way: f64): f64 {
  const now = getF(slab, C_VX, car);
  return sqrt(greatest(now * now + 2.0 * least(getF(slab, C_ACCEL, car), ACCEL_MAX) * way, 0.0));
}

@inline function brakingWay(speed: f64): f64 {
  return BRAKES_LATE_S * speed + speed * speed * (0.5 / BRAKES);
}

function isFollowed(slab: usize, city: usize, site: usize, car: i32, way: f64): bool {
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other != car && longWayTo(slab, city, other, site, way + FOLLOWS_M) > way) return true;
  }
  return false;
}

function isAnybodyBeside(slab: usize, site: usize): bool {
  const lane = laneOf(site, load<i32>(site + HS_LANE_COUNT) - 1);
  const hx = load<f64>(site + HS_START_HX);
  const hy = load<f64>(site + HS_START_HY);
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_LANE, car) == lane) continue;
    const dx = getF(slab, C_X, car) - load<f64>(site + HS_X);
    const dy = getF(slab, C_Y, car) - load<f64>(site + HS_Y);
    if (abs(hx * dx + hy * dy) > STREET_M) continue;
    const vx = velocityX(slab, car);
    const vy = velocityY(slab, car);
    // A car that drives away does not approach.
    const reach = dx * vx + dy * vy > 0.0 ? NEAR_M : NEAR_M + COMING_S * sqrt(vx * vx + vy * vy);
    if (dx * dx + dy * dy < reach * reach) return true;
  }
  return false;
}
