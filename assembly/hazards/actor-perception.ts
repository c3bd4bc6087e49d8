import {
  A_ACCEL,
  A_CAR,
  A_HX,
  A_HY,
  A_PIECE,
  A_SPEED,
  A_STATION,
  A_WAIT,
  A_X,
  A_Y,
  CAR_COUNT,
  C_HX,
  C_HY,
  C_VX,
  C_X,
  C_Y,
  HS_ACTOR_LENGTH,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  HS_SIGHT,
  H_TICK,
  SCRATCH,
} from '../layout';
import { BODY_A, BODY_B, bodyOf, noseOf, velocityX, velocityY } from '../body';
import { BODY_REACH_M } from '../broad-phase';
import { greatest, least } from '../math';
import { getF } from '../memory';
import {
  BOX_HALF_LENGTH,
  BOX_HALF_WIDTH,
  BOX_HX,
  BOX_HY,
  BOX_X,
  BOX_Y,
  boxOverlap,
} from '../overlap';
import { pieceAt, placeAt } from './paths';
import { hardestBrake, kindOf, MODE_FOLLOWS, MODE_WALKS } from './spots';

/** Step along the path ahead, m. */
const STEP_M = 1.5;
/** Distance that vehicles and pedestrians keep to an object in their path, m. */
const STOP_M = 1.5;
/** A standing actor continues once there is this much more space, m. */
const STAY_M = 1.0;
const STOP_ON_FOOT_M = 0.4;
/** Margin beside the body, m. */
const BESIDE_M = 0.2;
/** Lateral extent of a path: at its start, m, and as a share of the distance ahead. */
const ASIDE_M = 6.0;
const BEND = 0.4;
/** Greatest ratio of a bending path to the straight line. */
const LONGER = 1.2;
/** Greatest distance of perception, m. */
const SIGHT_M = 60.0;
/** A vehicle brakes once this deceleration is necessary, m/s², and then with this factor on it. */
const BRAKE_FROM = 2.0;
/**
 * It continues to brake while this deceleration is necessary, m/s²; below this speed it stops, m/s.
 */
const BRAKE_ON_FROM = 0.8;
const ROLLING_MPS = 0.5;
const BRAKE_SPARE = 1.1;
/** Braking for a vehicle that is too near but not slower, m/s². */
const KEEPING_OFF = 2.0;
/** Braking that is expected of others ahead, m/s². */
const OTHERS_DECEL = 3.5;
/** A driver with a short view reacts after so many ticks (1.2 s). */
const REACTION_TICKS: u32 = 60;

/** Horizon within which another vehicle may hide the actor, s, and its steps, s. */
const FORESEEN_S = 1.2;
const FORESEEN_STEP_S = 0.4;
/**
 * A pedestrian in the street waits for cars within this driving time, s, this distance, m, and this
 * lateral distance, m.
 */
const COMING_S = 4.0;
const COMING_M = 8.0;
const STREET_M = 8.0;

/** Half width of a free line of sight, m. */
const VIEW_HALF_M = 0.3;

/** Result of `freeAhead`: speed of the car along the actor's path, m/s, and its index, i32. */
const FOUND_SPEED: usize = SCRATCH + 960;
const FOUND_CAR: usize = SCRATCH + 968;

/** Deceleration that an actor needs for an object in its path, m/s²; 0 if it may continue. */
export function brakingFor(slab: usize, city: usize, site: usize, actor: usize, mode: i32): f64 {
  const speed = load<f64>(actor + A_SPEED);
  const hardest = hardestBrake(kindOf(site));
  if (mode == MODE_WALKS)
    return freeAhead(slab, city, site, actor, STOP_ON_FOOT_M) < STOP_ON_FOOT_M ? hardest : 0.0;
  const brakes = load<f64>(actor + A_ACCEL) < 0.0;
  const from = brakes ? BRAKE_ON_FROM : BRAKE_FROM;
  const reach = least((speed * speed) / (2.0 * from) + STOP_M + (brakes ? STAY_M : 0.0), SIGHT_M);
  const free = freeAhead(slab, city, site, actor, reach);
  // Nothing was found: the results of an earlier call must not be read.
  if (free >= reach) return 0.0;
  const found = load<i32>(FOUND_CAR);
  if (
    mode == MODE_FOLLOWS &&
    found == load<i32>(actor + A_CAR) &&
    !hasSeen(slab, site, actor, free)
  )
    return 0.0;
  const theirs = greatest(load<f64>(FOUND_SPEED), 0.0);
  const closing = speed - theirs;
  if (closing <= 0.0 && free > STOP_M) return 0.0;
  // A car ahead may be about to stop.
  const room = greatest(free - STOP_M + (theirs * theirs) / (2.0 * OTHERS_DECEL), 0.05);
  const needed = (speed * speed) / (2.0 * room);
  if (speed < ROLLING_MPS) return hardest;
  // A car that has just turned in ahead is followed, even if it is only a little faster.
  if (free <= STOP_M && needed < KEEPING_OFF) return least(KEEPING_OFF, hardest);
  if (needed < from) return 0.0;
  return least(BRAKE_SPARE * needed + 0.5, hardest);
}

/** Whether a driver has seen the standing car behind the bend for long enough. */
function hasSeen(slab: usize, site: usize, actor: usize, distance: f64): bool {
  if (distance > load<f64>(site + HS_SIGHT)) return false;
  const tick = load<u32>(slab + H_TICK);
  if (load<u32>(actor + A_WAIT) == 0) store<u32>(actor + A_WAIT, tick + REACTION_TICKS);
  return tick >= load<u32>(actor + A_WAIT);
}

/** Whether a car approaches along the street in which a pedestrian had to stop. */
export function isAnybodyComing(slab: usize, actor: usize): bool {
  for (let car = 0; car < CAR_COUNT; car++) {
    const speed = getF(slab, C_VX, car);
    if (speed < ROLLING_MPS) continue;
    const dx = load<f64>(actor + A_X) - getF(slab, C_X, car);
    const dy = load<f64>(actor + A_Y) - getF(slab, C_Y, car);
    const hx = getF(slab, C_HX, car);
    const hy = getF(slab, C_HY, car);
    const ahead = dx * hx + dy * hy;
    if (ahead > 0.0 && ahead < COMING_M + COMING_S * speed && abs(dy * hx - dx * hy) < STREET_M)
      return true;
  }
  return false;
}

/**
 * Distance along an actor's path from its front to the first car in its way, m; `reach` if there is
 * none.
 */
function freeAhead(slab: usize, city: usize, site: usize, actor: usize, reach: f64): f64 {
  const front = load<f64>(actor + A_STATION) + 0.5 * load<f64>(site + HS_BODY_LENGTH);
  let free = reach;
  for (let car = 0; car < CAR_COUNT; car++) {
    const dx = getF(slab, C_X, car) - load<f64>(actor + A_X);
    const dy = getF(slab, C_Y, car) - load<f64>(actor + A_Y);
    const near = reach + 0.5 * load<f64>(site + HS_BODY_LENGTH) + BODY_REACH_M + STEP_M;
    if (dx * dx + dy * dy > near * near) continue;
    const ahead = dx * load<f64>(actor + A_HX) + dy * load<f64>(actor + A_HY);
    const aside = abs(dy * load<f64>(actor + A_HX) - dx * load<f64>(actor + A_HY));
    // No path bends enough to contain a car further aside.
    if (ahead < 0.0 || aside > ASIDE_M + BEND * ahead) continue;
    const found = freeBefore(slab, city, site, actor, car, front, ahead, free);
    if (found >= free) continue;
    free = found;
    store<i32>(FOUND_CAR, car);
  }
  return free;
}

/**
 * The same for one car that is `ahead` m away; leaves its speed along the path if it is in the way.
 */
function freeBefore(
  slab: usize,
  city: usize,
  site: usize,
  actor: usize,
  car: i32,
  front: f64,
  ahead: f64,
  reach: f64,
): f64 {
  bodyOf(slab, car, 0.0, BODY_A);
  const step = least(STEP_M, reach);
  store<f64>(BODY_B + BOX_HALF_LENGTH, 0.5 * step);
  store<f64>(BODY_B + BOX_HALF_WIDTH, 0.5 * load<f64>(site + HS_BODY_WIDTH) + BESIDE_M);
  // The middle moves to the end of the path, the front straight on beyond it.
  const last = load<f64>(site + HS_ACTOR_LENGTH) + 0.5 * load<f64>(site + HS_BODY_LENGTH) + STOP_M;
  const end = least(
    least(front + reach, last),
    load<f64>(actor + A_STATION) + LONGER * ahead + ASIDE_M,
  );
  // The distance along the path is at least the straight one.
  const skipped = floor(
    greatest(0.0, load<f64>(actor + A_STATION) + ahead - ASIDE_M - front) / step,
  );
  const touch = BODY_REACH_M + STEP_M + load<f64>(site + HS_BODY_WIDTH);
  let piece = load<i32>(actor + A_PIECE);
  for (let station = front + skipped * step; station < end; station += step) {
    const middle = station + 0.5 * step;
    piece = pieceAt(city, site, middle, piece);
    placeAt(city, site, piece, middle, BODY_B);
    const dx = load<f64>(BODY_B + BOX_X) - load<f64>(BODY_A + BOX_X);
    const dy = load<f64>(BODY_B + BOX_Y) - load<f64>(BODY_A + BOX_Y);
    if (dx * dx + dy * dy > touch * touch || boxOverlap(BODY_A, BODY_B) <= 0.0) continue;
    const along =
      velocityX(slab, car) * load<f64>(BODY_B + BOX_HX) +
      velocityY(slab, car) * load<f64>(BODY_B + BOX_HY);
    store<f64>(FOUND_SPEED, along);
    return station - front;
  }
  return reach;
}

/** Whether another car is, or will soon be, between an actor and the front of a car. */
export function isHiddenFrom(slab: usize, actor: usize, car: i32): bool {
  const nose = noseOf(slab, car);
  const hx = load<f64>(actor + A_HX);
  const hy = load<f64>(actor + A_HY);
  store<f64>(BODY_B + BOX_HALF_WIDTH, VIEW_HALF_M);
  for (let time = 0.0; time <= FORESEEN_S; time += FORESEEN_STEP_S) {
    const way = load<f64>(actor + A_SPEED) * time;
    const x = load<f64>(actor + A_X) + way * hx;
    const y = load<f64>(actor + A_Y) + way * hy;
    const dx =
      getF(slab, C_X, car) + nose * getF(slab, C_HX, car) + time * velocityX(slab, car) - x;
    const dy =
      getF(slab, C_Y, car) + nose * getF(slab, C_HY, car) + time * velocityY(slab, car) - y;
    const distance = sqrt(dx * dx + dy * dy);
    if (distance < STOP_M) return false;
    store<f64>(BODY_B + BOX_X, x + 0.5 * dx);
    store<f64>(BODY_B + BOX_Y, y + 0.5 * dy);
    store<f64>(BODY_B + BOX_HX, dx / distance);
    store<f64>(BODY_B + BOX_HY, dy / distance);
    store<f64>(BODY_B + BOX_HALF_LENGTH, 0.5 * distance);
    if (isAnyIn(slab, car, time, 0.5 * distance + BODY_REACH_M)) return true;
  }
  return false;
}

/**
 * Whether another car will be in the box of a line of sight in `time` s, within `reach` of its
 * middle.
 */
function isAnyIn(slab: usize, car: i32, time: f64, reach: f64): bool {
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    const dx = getF(slab, C_X, other) + time * velocityX(slab, other) - load<f64>(BODY_B + BOX_X);
    const dy = getF(slab, C_Y, other) + time * velocityY(slab, other) - load<f64>(BODY_B + BOX_Y);
    if (dx * dx + dy * dy > reach * reach) continue;
    bodyOf(slab, other, -time, BODY_A);
    if (boxOverlap(BODY_A, BODY_B) > 0.0) return true;
  }
  return false;
}
