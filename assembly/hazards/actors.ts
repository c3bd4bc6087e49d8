import {
  ACTOR_ACTS,
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
  A_SIGHT,
  A_SINCE,
  A_SPEED,
  A_STATE,
  A_STATION,
  A_STRUCK,
  A_WAIT,
  A_X,
  A_Y,
  CAR_COUNT,
  C_X,
  C_Y,
  EVENT_HAZARD,
  FRAME_TICKS,
  HAZARD_SPOT_BYTES,
  HAZARD_WET_CREST,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  H_TICK,
  TICK_S,
  T_HAZARDS,
  T_HAZARD_COUNT,
} from '../layout';
import { raise } from '../events';
import { getF } from '../memory';
import { CLEAR_TICKS } from '../thresholds';
import {
  crossOver,
  cutIn,
  follow,
  lead,
  findTriggeringCar,
  stand,
  walkOver,
} from './actor-behaviour';
import { awaitedSight } from './crests';
import { putAtStart, putOnPath } from './paths';
import {
  actorRecord,
  kindOf,
  leave,
  MODE_CROSSES,
  MODE_CUTS_IN,
  MODE_FOLLOWS,
  MODE_LEADS,
  MODE_NONE,
  MODE_STANDS,
  MODE_WALKS,
  modeOf,
  pauseFirst,
  siteRecord,
} from './spots';
import { isUnseen } from './triggers';

/**
 * Actors appear and disappear only if no car is this near, m, nor approaching within the longer
 * distance, m.
 */
const NEAR_BY_M = 45.0;
const COMING_M = 90.0;
/** Longest time that an actor is under way, ticks (40 s). */
const ACTS_TICKS_MAX: u32 = 2000;
/** Deceleration of an actor that slides on the road, m/s². */
const SLIDE_DECEL = 6.0;
/**
 * Distance from the edge of an actor to the centre of gravity of a car that it may touch soon, m.
 */
const NEAR_M = 8.0;
const ALL_CARS: u32 = (1 << CAR_COUNT) - 1;

/** Places the actors of a new world where they wait. */
export function placeActors(slab: usize, city: usize): void {
  const count = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < count; spot++) {
    putAtStart(siteRecord(city, spot), actorRecord(slab, spot));
    pauseFirst(slab, spot);
  }
}

/** Spawns actors that are due, and lets those that are present perceive and decide. */
export function sendActors(slab: usize, city: usize): void {
  const count = load<i32>(city + T_HAZARD_COUNT);
  const tick = load<u32>(slab + H_TICK);
  for (let spot = 0; spot < count; spot++) {
    const actor = actorRecord(slab, spot);
    const waits = load<i32>(actor + A_STATE) == ACTOR_WAITS;
    // Half of the waiting spots watch for cars at a time.
    if (waits && (tick < load<u32>(actor + A_ARMED) || (((tick / FRAME_TICKS) ^ spot) & 1) != 0))
      continue;
    const site = siteRecord(city, spot);
    if (!waits) store<u32>(actor + A_NEAR, nearMask(slab, site, actor));
    const mode = modeOf(kindOf(site));
    if (mode == MODE_NONE) continue;
    if (waits) trySpawn(slab, city, spot, site, actor, mode);
    else if (load<u32>(actor + A_STRUCK) != 0) clear(slab, spot, site, actor, tick);
    else updateActor(slab, city, spot, site, actor, mode, tick);
  }
}

/** Spawns the actor of a spot if its trigger condition holds. */
function trySpawn(slab: usize, city: usize, spot: i32, site: usize, actor: usize, mode: i32): void {
  let car = -1;
  if (mode == MODE_WALKS || mode == MODE_CROSSES || mode == MODE_FOLLOWS) {
    car = findTriggeringCar(slab, city, site, actor, mode);
    if (car < 0) return;
  } else if (kindOf(site) == HAZARD_WET_CREST) {
    // The crest hides its appearance from every driver.
    const sight = awaitedSight(slab, city, site);
    if (sight < 0.0) return;
    store<f32>(actor + A_SIGHT, <f32>sight);
    putAtStart(site, actor);
  } else if (!isUnseen(slab, city, site, NEAR_BY_M, COMING_M)) {
    return;
  } else {
    putAtStart(site, actor);
  }
  store<u32>(
    actor + A_SENT,
    load<u32>(actor + A_SENT) + (mode == MODE_LEADS || mode == MODE_CUTS_IN ? 0 : 1),
  );
  enter(slab, spot, actor, car);
}

/** Makes the actor present, for a car or, with −1, for none. */
function enter(slab: usize, spot: i32, actor: usize, car: i32): void {
  const tick = load<u32>(slab + H_TICK);
  store<i32>(actor + A_STATE, car < 0 ? ACTOR_STANDS : ACTOR_ACTS);
  store<i32>(actor + A_CAR, car);
  store<u32>(actor + A_SINCE, tick);
  store<f64>(actor + A_ACCEL, 0.0);
  store<u32>(actor + A_NEAR, ALL_CARS);
  raise(slab, tick, EVENT_HAZARD, car, -1, spot, 0, -1);
}

/**
 * Mask of the cars near an actor: at 45 m/s a car comes 3.6 m closer before the next update, and so
 * may the actor.
 */
function nearMask(slab: usize, site: usize, actor: usize): u32 {
  const reach = NEAR_M + 0.5 * (load<f64>(site + HS_BODY_LENGTH) + load<f64>(site + HS_BODY_WIDTH));
  const x = load<f64>(actor + A_X);
  const y = load<f64>(actor + A_Y);
  let mask: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car++) {
    const dx = getF(slab, C_X, car) - x;
    const dy = getF(slab, C_Y, car) - y;
    if (dx * dx + dy * dy < reach * reach) mask |= 1 << car;
  }
  return mask;
}

/** An actor that was struck stays until it is cleared. */
function clear(slab: usize, spot: i32, site: usize, actor: usize, tick: u32): void {
  if (tick - load<u32>(actor + A_SINCE) >= CLEAR_TICKS) leave(slab, spot, site);
}

/** Updates an actor that stands or is under way. */
function updateActor(
  slab: usize,
  city: usize,
  spot: i32,
  site: usize,
  actor: usize,
  mode: i32,
  tick: u32,
): void {
  const stands = load<i32>(actor + A_STATE) == ACTOR_STANDS;
  if (mode == MODE_STANDS) {
    if (!stand(slab, city, site, actor, tick, isUnseen(slab, city, site, NEAR_BY_M, COMING_M)))
      leave(slab, spot, site);
    return;
  }
  if (stands) {
    const car = findTriggeringCar(slab, city, site, actor, mode);
    if (car < 0) return;
    store<u32>(actor + A_SENT, load<u32>(actor + A_SENT) + 1);
    enter(slab, spot, actor, car);
    return;
  }
  if (tick - load<u32>(actor + A_SINCE) > ACTS_TICKS_MAX) {
    leave(slab, spot, site);
    return;
  }
  if (mode == MODE_WALKS) walkOver(slab, city, site, actor, tick);
  else if (mode == MODE_CROSSES) crossOver(slab, city, site, actor);
  else if (mode == MODE_LEADS) lead(slab, city, site, actor, tick);
  else if (mode == MODE_CUTS_IN) cutIn(slab, city, site, actor);
  else follow(slab, city, site, actor);
}

/** Moves the actors that are present by one tick. */
export function moveActors(slab: usize, city: usize): void {
  const count = load<i32>(city + T_HAZARD_COUNT);
  let site = city + load<i32>(city + T_HAZARDS);
  for (let spot = 0; spot < count; spot++, site += HAZARD_SPOT_BYTES) {
    const actor = actorRecord(slab, spot);
    const state = load<i32>(actor + A_STATE);
    if (state == ACTOR_WAITS) continue;
    if (state == ACTOR_STANDS) slide(actor);
    else if (!advance(slab, city, site, actor)) leave(slab, spot, site);
  }
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

/** One tick along the path; false at its end. */
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
  store<f64>(actor + A_SPEED, next);
  store<f64>(actor + A_STATION, load<f64>(actor + A_STATION) + 0.5 * (speed + next) * TICK_S);
  return putOnPath(city, site, actor);
}
