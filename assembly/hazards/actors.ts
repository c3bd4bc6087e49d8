import {
  ACTOR_ACTS,
  ACTOR_CARRIED,
  ACTOR_LEAVES,
  ACTOR_STANDS,
  ACTOR_WAITS,
  A_ACCEL,
  A_ARMED,
  A_CAR,
  A_CRUISE,
  A_HX,
  A_HY,
  A_NEAR,
  A_SENT,
  A_SINCE,
  A_SPEED,
  A_STATE,
  A_STATION,
  A_STRUCK,
  A_WAIT,
  A_X,
  A_Y,
  CAR_COUNT,
  EVENT_HAZARD,
  FRAME_TICKS,
  HAZARD_ICE_BEND,
  HAZARD_WET_CREST,
  HS_ACTOR_LENGTH,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  H_TICK,
  TICK_S,
  T_HAZARD_COUNT,
} from '../layout';
import { BODY_B } from '../body';
import { carsNear } from '../broad-phase';
import { raise } from '../events';
import { BOX_X, BOX_Y } from '../overlap';
import { CLEAR_TICKS } from '../thresholds';
import {
  crossOver,
  cutIn,
  END_M,
  findTriggeringCar,
  follow,
  goOn,
  lead,
  stand,
  staysInLane,
  walkOver,
} from './actor-behaviour';
import { isAnybodyComing } from './actor-perception';
import { hideBehindCrest, roll } from './crests';
import { isActorSeen, placeAtEnd, putAtEnd, putAtStart, putOnPath } from './paths';
import {
  actorRecord,
  kindOf,
  leave,
  MODE_CROSSES,
  MODE_CUTS_IN,
  MODE_FOLLOWS,
  MODE_LEADS,
  MODE_NONE,
  MODE_ROLLS,
  MODE_STANDS,
  MODE_WALKS,
  modeOf,
  pauseFirst,
  siteRecord,
} from './spots';
import { findZones, freezeFirst, freezeOrThaw } from './weather';

/** Speed of a vehicle that is pulled off the road, and of whoever is carried, m/s. */
const PULL_MPS = 2.5;
const CARRY_MPS = 1.5;
/** Deceleration of an actor that slides on the road, m/s². */
const SLIDE_DECEL = 6.0;
/**
 * Distance from the edge of an actor to the centre of gravity of a car that it may touch soon, m.
 */
const NEAR_M = 8.0;
const ALL_CARS: u32 = (1 << CAR_COUNT) - 1;
/** Frames between two looks whether an actor is seen, less one. */
const LOOKS: u32 = 15;

/** Places the actors of a new world where they wait. */
export function placeActors(slab: usize, city: usize): void {
  const count = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < count; spot++) {
    putAtStart(siteRecord(city, spot), actorRecord(slab, spot));
    pauseFirst(slab, spot);
    if (kindOf(siteRecord(city, spot)) == HAZARD_ICE_BEND) freezeFirst(slab, spot);
  }
  findZones(slab, city);
}

/** Spawns actors that are due, and lets those that are present perceive and decide. */
export function sendActors(slab: usize, city: usize): void {
  const count = load<i32>(city + T_HAZARD_COUNT);
  const tick = load<u32>(slab + H_TICK);
  for (let spot = 0; spot < count; spot++) {
    const actor = actorRecord(slab, spot);
    const waits = load<i32>(actor + A_STATE) == ACTOR_WAITS;
    const turn = (tick / FRAME_TICKS) ^ spot;
    // Half of the waiting spots watch for cars at a time.
    if (waits && (tick < load<u32>(actor + A_ARMED) || (turn & 1) != 0)) continue;
    const site = siteRecord(city, spot);
    const mode = modeOf(kindOf(site));
    if (waits) {
      // Whoever needs no car at a certain moment looks every 2.56 s whether it is seen.
      if (mode == MODE_CROSSES || mode == MODE_FOLLOWS || (turn & LOOKS) == 0)
        trySpawn(slab, city, spot, site, actor, mode);
      continue;
    }
    store<u32>(actor + A_NEAR, nearMask(slab, site, actor));
    updateActor(slab, city, spot, site, actor, mode, tick);
  }
  findZones(slab, city);
}

/**
 * Spawns the actor of a spot where nobody sees that: one that drives or runs across from afar when
 * its trigger condition holds, any other to wait for that.
 */
function trySpawn(slab: usize, city: usize, spot: i32, site: usize, actor: usize, mode: i32): void {
  if (mode == MODE_NONE) {
    if (kindOf(site) == HAZARD_ICE_BEND) freezeOrThaw(slab, city, spot);
    return;
  }
  let car = -1;
  if (mode == MODE_CROSSES || mode == MODE_FOLLOWS) {
    car = findTriggeringCar(slab, city, site, actor, mode);
    if (car < 0) return;
  } else {
    putAtStart(site, actor);
    if (isActorSeen(slab, city, site, actor)) return;
  }
  if (mode == MODE_ROLLS) hideBehindCrest(actor);
  enter(slab, spot, actor, car, mode);
}

/** The actor sets off for a car or, with −1, stands. */
function enter(slab: usize, spot: i32, actor: usize, car: i32, mode: i32): void {
  const tick = load<u32>(slab + H_TICK);
  store<i32>(actor + A_STATE, car < 0 ? ACTOR_STANDS : ACTOR_ACTS);
  store<i32>(actor + A_CAR, car);
  store<u32>(actor + A_SINCE, tick);
  store<f64>(actor + A_ACCEL, 0.0);
  store<u32>(actor + A_NEAR, ALL_CARS);
  // One that waits beside the road is no hazard yet.
  if (car < 0 && mode != MODE_STANDS) return;
  store<u32>(actor + A_SENT, load<u32>(actor + A_SENT) + 1);
  raise(slab, tick, EVENT_HAZARD, car, -1, spot, 0, -1);
}

/**
 * Mask of the cars near an actor: at 45 m/s a car comes 3.6 m closer before the next update, and so
 * may the actor.
 */
function nearMask(slab: usize, site: usize, actor: usize): u32 {
  const reach = NEAR_M + 0.5 * (load<f64>(site + HS_BODY_LENGTH) + load<f64>(site + HS_BODY_WIDTH));
  return carsNear(slab, 0, load<f64>(actor + A_X), load<f64>(actor + A_Y), reach * reach);
}

/** Updates an actor that is present. */
function updateActor(
  slab: usize,
  city: usize,
  spot: i32,
  site: usize,
  actor: usize,
  mode: i32,
  tick: u32,
): void {
  const isStruck = load<u32>(actor + A_STRUCK) != 0;
  // It stays where it was struck until it is cleared.
  if (isStruck && tick - load<u32>(actor + A_SINCE) < CLEAR_TICKS) return;
  const state = load<i32>(actor + A_STATE);
  if (state == ACTOR_CARRIED) {
    store<f64>(actor + A_SPEED, isAnybodyComing(slab, actor) ? 0.0 : CARRY_MPS);
    return;
  }
  if (state == ACTOR_LEAVES) {
    goAway(slab, city, spot, site, actor, mode);
    return;
  }
  if (isStruck) {
    // Whoever was thrown or pushed off its way is carried.
    if (state == ACTOR_ACTS) pullAway(actor);
    else store<i32>(actor + A_STATE, ACTOR_CARRIED);
    return;
  }
  if (mode == MODE_STANDS) {
    if (!stand(slab, city, site, actor, tick)) pullAway(actor);
    return;
  }
  if (state == ACTOR_STANDS) {
    if (tick < load<u32>(actor + A_ARMED)) return;
    if (mode == MODE_ROLLS && (((tick / FRAME_TICKS) ^ spot) & 1) != 0) return;
    const car = findTriggeringCar(slab, city, site, actor, mode);
    if (car >= 0) enter(slab, spot, actor, car, mode);
    return;
  }
  if (mode == MODE_WALKS) walkOver(slab, city, site, actor, tick);
  else if (mode == MODE_LEADS) lead(slab, city, site, actor, tick);
  else if (mode == MODE_CUTS_IN) cutIn(slab, city, site, actor);
  else if (mode == MODE_FOLLOWS) follow(slab, city, site, actor);
  else if (mode == MODE_ROLLS) {
    if (!staysInLane(slab, city, site, actor, tick)) store<i32>(actor + A_STATE, ACTOR_LEAVES);
  } else if (!crossOver(slab, city, site, actor)) store<i32>(actor + A_STATE, ACTOR_LEAVES);
}

/** A vehicle that has broken down or was struck is pulled to the end of its way. */
function pullAway(actor: usize): void {
  store<i32>(actor + A_STATE, ACTOR_LEAVES);
  store<f64>(actor + A_CRUISE, PULL_MPS);
}

/** The rest of the way; at its end the actor vanishes once nobody sees that. */
function goAway(slab: usize, city: usize, spot: i32, site: usize, actor: usize, mode: i32): void {
  if (mode == MODE_ROLLS) {
    if (load<f64>(actor + A_STATION) > 0.0) return;
    leave(slab, spot, site);
    hideBehindCrest(actor);
    store<i32>(actor + A_STATE, ACTOR_STANDS);
  } else if (load<f64>(actor + A_STATION) < load<f64>(site + HS_ACTOR_LENGTH)) {
    goOn(slab, city, site, actor, mode);
  } else if (
    (((load<u32>(slab + H_TICK) / FRAME_TICKS) ^ spot) & LOOKS) == 0 &&
    !isActorSeen(slab, city, site, actor)
  ) {
    leave(slab, spot, site);
  }
}

/** Moves the actors that are present by one tick. */
export function moveActors(slab: usize, city: usize): void {
  for (let left = moving(slab, city); left != 0; left &= left - 1) {
    const spot = <i32>ctz(left);
    const site = siteRecord(city, spot);
    const actor = actorRecord(slab, spot);
    const state = load<i32>(actor + A_STATE);
    if (state == ACTOR_STANDS) slide(actor);
    else if (state == ACTOR_CARRIED) carry(city, site, actor);
    else if (kindOf(site) == HAZARD_WET_CREST) roll(city, site, actor, state == ACTOR_ACTS);
    else if (!advance(slab, city, site, actor)) arrive(city, site, actor);
  }
}

/** Mask of the spots whose actors may move, without a branch for each. Most stand and wait. */
function moving(slab: usize, city: usize): u32 {
  const count = load<i32>(city + T_HAZARD_COUNT);
  let mask: u32 = 0;
  for (let spot = 0; spot < count; spot++) {
    const actor = actorRecord(slab, spot);
    const state = load<i32>(actor + A_STATE);
    const isStill =
      <u32>(load<f64>(actor + A_SPEED) == 0.0) & <u32>(load<f64>(actor + A_ACCEL) <= 0.0);
    const rests = (isStill & <u32>(state == ACTOR_STANDS)) | <u32>(state == ACTOR_WAITS);
    mask |= (rests ^ 1) << spot;
  }
  return mask;
}

/** An actor that has come to where it ends stands there. */
function arrive(city: usize, site: usize, actor: usize): void {
  store<i32>(actor + A_STATE, ACTOR_LEAVES);
  store<f64>(actor + A_SPEED, 0.0);
  store<f64>(actor + A_ACCEL, 0.0);
  putAtEnd(city, site, actor);
}

/** One tick of an actor that is carried, in a straight line to where it ends. */
function carry(city: usize, site: usize, actor: usize): void {
  const way = load<f64>(actor + A_SPEED) * TICK_S;
  if (way == 0.0) return;
  placeAtEnd(city, site, BODY_B);
  const dx = load<f64>(BODY_B + BOX_X) - load<f64>(actor + A_X);
  const dy = load<f64>(BODY_B + BOX_Y) - load<f64>(actor + A_Y);
  const distance = sqrt(dx * dx + dy * dy);
  if (distance <= way) {
    arrive(city, site, actor);
    return;
  }
  const hx = dx / distance;
  const hy = dy / distance;
  store<f64>(actor + A_HX, hx);
  store<f64>(actor + A_HY, hy);
  store<f64>(actor + A_X, load<f64>(actor + A_X) + way * hx);
  store<f64>(actor + A_Y, load<f64>(actor + A_Y) + way * hy);
}

/** A standing actor moves only after it was struck. */
function slide(actor: usize): void {
  const speed = load<f64>(actor + A_SPEED);
  if (speed == 0.0) return;
  const less = SLIDE_DECEL * TICK_S;
  const next = speed > less ? speed - less : speed < -less ? speed + less : 0.0;
  const way = 0.5 * (speed + next) * TICK_S;
  store<f64>(actor + A_SPEED, next);
  store<f64>(actor + A_X, load<f64>(actor + A_X) + way * load<f64>(actor + A_HX));
  store<f64>(actor + A_Y, load<f64>(actor + A_Y) + way * load<f64>(actor + A_HY));
}

/** One tick along the path; false once the actor is at its end. */
function advance(slab: usize, city: usize, site: usize, actor: usize): bool {
  if (modeOf(kindOf(site)) == MODE_WALKS && load<u32>(slab + H_TICK) < load<u32>(actor + A_WAIT))
    return true;
  const speed = load<f64>(actor + A_SPEED);
  const accel = load<f64>(actor + A_ACCEL);
  let next = speed + accel * TICK_S;
  const cruise = load<f64>(actor + A_CRUISE);
  if (accel > 0.0 && next > cruise) next = speed > cruise ? speed : cruise;
  if (next < 0.0) next = 0.0;
  if (next == 0.0 && speed == 0.0) return true;
  const station = load<f64>(actor + A_STATION) + 0.5 * (speed + next) * TICK_S;
  store<f64>(actor + A_SPEED, next);
  store<f64>(actor + A_STATION, station);
  if (station > load<f64>(site + HS_ACTOR_LENGTH) - END_M) return false;
  putOnPath(city, site, actor);
  return true;
}
