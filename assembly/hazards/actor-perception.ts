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

/** The way ahead is looked at in boxes of this length, m. */
const STEP_M = 1.5;
/** Room that vehicles, and those on foot, keep to what is in their way, m. */
const STOP_M = 1.5;
/** Who stands goes on once there is so much more, m. */
const STAY_M = 1.0;
const STOP_ON_FOOT_M = 0.4;
/** Beside the body that counts as its way, m. */
const BESIDE_M = 0.2;
/** How far a way may lead aside: from the start, m, and as a share of what is ahead. */
const ASIDE_M = 6.0;
const BEND = 0.4;
/** How much longer a bending way is at most than straight ahead. */
const LONGER = 1.2;
/** No car's corner is further from its centre of gravity, m. */
/** Nobody looks further ahead, m. */
const SIGHT_M = 60.0;
/** A vehicle brakes when it has to brake so hard, m/s², and then so much harder, as a share. */
const BRAKE_FROM = 2.0;
/** Once it brakes it goes on with that while it must brake so hard, m/s²; what hardly rolls any more stops. */
const BRAKE_ON_FROM = 0.8;
const ROLLING_MPS = 0.5;
const BRAKE_SPARE = 1.1;
/** How it brakes for who is too near but not slower, m/s². */
const KEEPING_OFF = 2.0;
/** How others ahead may brake, m/s². */
const OTHERS_DECEL = 3.5;
/** A driver who cannot see far reacts after so many ticks (1.2 s). */
const REACTION_TICKS: u32 = 60;

/** So far ahead, s, it is foreseen in these steps whether a vehicle comes between. */
const FORESEEN_S = 1.2;
const FORESEEN_STEP_S = 0.4;
/** Who is on foot in the street waits for whoever comes within so many seconds of driving and metres, so far aside. */
const COMING_S = 4.0;
const COMING_M = 8.0;
const STREET_M = 8.0;

/** Half the width of a view that is free, m. */
const VIEW_HALF_M = 0.3;

/** Speed along the actor's way of the car that `freeAhead` found, m/s, and its index, i32. */
const FOUND_SPEED: usize = SCRATCH + 960;
const FOUND_CAR: usize = SCRATCH + 968;

/** Deceleration that what is in an actor's way asks of it, m/s²; 0 where it may go on. */
export function brakingFor(slab: usize, city: usize, site: usize, actor: usize, mode: i32): f64 {
  const speed = load<f64>(actor + A_SPEED);
  const hardest = hardestBrake(kindOf(site));
  if (mode == MODE_WALKS)
    return freeAhead(slab, city, site, actor, STOP_ON_FOOT_M) < STOP_ON_FOOT_M ? hardest : 0.0;
  const brakes = load<f64>(actor + A_ACCEL) < 0.0;
  const from = brakes ? BRAKE_ON_FROM : BRAKE_FROM;
  const reach = least((speed * speed) / (2.0 * from) + STOP_M + (brakes ? STAY_M : 0.0), SIGHT_M);
  const free = freeAhead(slab, city, site, actor, reach);
  // Nothing found: what an earlier look has found must not be read.
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
  // Whoever is ahead may be about to stand.
  const room = greatest(free - STOP_M + (theirs * theirs) / (2.0 * OTHERS_DECEL), 0.05);
  const needed = (speed * speed) / (2.0 * room);
  if (speed < ROLLING_MPS) return hardest;
  // Somebody who has just turned in ahead is let go, however little faster.
  if (free <= STOP_M && needed < KEEPING_OFF) return least(KEEPING_OFF, hardest);
  if (needed < from) return 0.0;
  return least(BRAKE_SPARE * needed + 0.5, hardest);
}

/** Whether a driver has long enough seen what stands behind the bend. */
function hasSeen(slab: usize, site: usize, actor: usize, distance: f64): bool {
  if (distance > load<f64>(site + HS_SIGHT)) return false;
  const tick = load<u32>(slab + H_TICK);
  if (load<u32>(actor + A_WAIT) == 0) store<u32>(actor + A_WAIT, tick + REACTION_TICKS);
  return tick >= load<u32>(actor + A_WAIT);
}

/** Whether a car comes along the street in which somebody on foot had to stop: they wait for it before they go on. */
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

/** m from an actor's front along its path to the first car's body in its way, `reach` where there is none so near. */
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
    // No way bends so much that a car is in it which is further aside.
    if (ahead < 0.0 || aside > ASIDE_M + BEND * ahead) continue;
    const found = freeBefore(slab, city, site, actor, car, front, ahead, free);
    if (found >= free) continue;
    free = found;
    store<i32>(FOUND_CAR, car);
  }
  return free;
}

/** The same for one car that is so far ahead; leaves its speed along the way where it is in it. */
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
  // The middle gets as far as the path goes, the front straight on beyond it.
  const last = load<f64>(site + HS_ACTOR_LENGTH) + 0.5 * load<f64>(site + HS_BODY_LENGTH) + STOP_M;
  const end = least(
    least(front + reach, last),
    load<f64>(actor + A_STATION) + LONGER * ahead + ASIDE_M,
  );
  // Along the way it is at least as far as straight ahead.
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

/** Whether another car is, or soon comes, between an actor and the front of a car. */
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

/** Whether any car but one will be in the box of a view in `time` s, no further from its middle than `reach`. */
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
