import {
  A_SIGHT,
  CAR_COUNT,
  C_ACCEL,
  C_LANE,
  C_STATUS,
  C_VX,
  C_X,
  C_Y,
  HS_LANE_COUNT,
  HS_START_HX,
  HS_START_HY,
  HS_X,
  HS_Y,
  STATUS_CRASHED,
} from '../layout';
import { velocityX, velocityY } from '../body';
import { greatest, least } from '../math';
import { getF, getI } from '../memory';
import { CAMERA_BEHIND_M } from '../sensor-mounts';
import { isFirst, laneOf, longWayTo, wayTo } from './triggers';

/** While a car is so far in time from what lies behind a crest, s, it does not see it yet and nothing is settled. */
const SOON_S = 3.2;
const SETTLED_S = 2.0;
/** A car slower than this stops in time, m/s. */
const SLOW_MPS = 5.0;
/**
 * Who sees it so long before being there, s, can still steer around it on a wet road: 0.23 s until the camera knows
 * it, 1.05 s to gain a metre, and some for what it measures wrong and for whoever speeds up on the way.
 */
const STEERS_FROM_S = 1.46;
/** From when on one could brake instead: so late, s, and then so hard, m/s². */
const BRAKES_LATE_S = 0.33;
const BRAKES = 5.2;
/** What comes to lie there is of a height at which a car sees it about so long before, s. */
const SEEN_S = 1.6;
/** That is so far on, as a share, from where one can only just steer to where one could still brake. */
const SEEN_SHARE = 0.35;
/** Nothing is there for a car for which these two are not apart by this factor: a little slower and it could brake. */
const WORTHWHILE = 1.03;
/** Until it is settled a car may turn out to be so much slower, share. */
const SPARE = 0.03;
/** What a car does to its speed it goes on doing until it sees it, as far as so much, m/s²; who slows down so much may stop. */
const ACCEL_MAX = 1.5;
const SLOWING = -1.0;
/** Who is so far beyond it with its front has passed it, m. */
const PASSED_M = 8.0;
/** Nobody stands so near behind it, m. */
const CLEAR_M = 20.0;
/** Nobody follows so near, who would have to brake behind it, m. */
const FOLLOWS_M = 46.0;
/** Who comes within so many seconds of driving, or is so near, m, may be beside it then. */
const COMING_S = 7.0;
const NEAR_M = 30.0;
/** Who is further aside of the lane than this is on another street, m. */
const STREET_M = 12.0;

/**
 * From how far what comes to lie behind the crest is to be seen, m, so that the first car that comes along sees it
 * too late to brake and has room to steer around it; −1 while none such comes.
 */
export function awaitedSight(slab: usize, city: usize, site: usize): f64 {
  for (let car = 0; car < CAR_COUNT; car++) {
    const way = soonThere(slab, city, site, car);
    if (way < 0.0) continue;
    const sight = surprisingSight(slab, car, way);
    if (
      sight < 0.0 ||
      !isFirst(slab, city, site, car, CLEAR_M) ||
      isFollowed(slab, city, site, car, way)
    )
      continue;
    if (!isAnybodyBeside(slab, site)) return sight;
  }
  return -1.0;
}

/** From how far a car that is so far away, m, must see it to have to steer; −1 where one so slow could always brake instead. */
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
 * Whether a car is about to come upon it that it is not meant for: one that could brake, or not even steer, or
 * would have nowhere to go, since somebody else is on the street beside it or comes along there. Not while another
 * is so near that it sees it.
 */
export function isCrestSpared(slab: usize, city: usize, site: usize, actor: usize): bool {
  let spared = false;
  for (let car = 0; car < CAR_COUNT; car++) {
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

/** m from the front of a car that is there soon, and nothing settled yet; −1 of another. */
function soonThere(slab: usize, city: usize, site: usize, car: i32): f64 {
  const speed = getF(slab, C_VX, car);
  if (speed < SLOW_MPS || getI(slab, C_STATUS, car) == STATUS_CRASHED) return -1.0;
  const way = wayTo(slab, city, car, site);
  return way > SETTLED_S * speed && way < SOON_S * speed ? way : -1.0;
}

/** Whether a car, as it speeds up or slows down, will see it so late that it has to steer, and not later. */
function isSurprised(slab: usize, actor: usize, car: i32, way: f64): bool {
  if (getF(slab, C_ACCEL, car) < SLOWING) return false;
  const sight = <f64>load<f32>(actor + A_SIGHT) - CAMERA_BEHIND_M;
  const speed = speedAfter(slab, car, way - sight);
  return sight > STEERS_FROM_S * speed && sight < brakingWay(speed) * (1.0 + SPARE);
}

/** m/s of a car that goes on speeding up or slowing down for so many metres. */
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
    if (abs(hx * dy - hy * dx) > STREET_M) continue;
    const vx = velocityX(slab, car);
    const vy = velocityY(slab, car);
    // Who drives away does not come.
    const reach = dx * vx + dy * vy > 0.0 ? NEAR_M : NEAR_M + COMING_S * sqrt(vx * vx + vy * vy);
    if (dx * dx + dy * dy < reach * reach) return true;
  }
  return false;
}
