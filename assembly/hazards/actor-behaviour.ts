import {
  A_ACCEL,
  A_CAR,
  A_CRUISE,
  A_PIECE,
  A_SINCE,
  A_SPEED,
  A_STATION,
  A_WAIT,
  CAR_COUNT,
  C_ACCEL,
  C_STATUS,
  C_VX,
  HS_ACTOR_LENGTH,
  HS_ACTOR_STATION,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  HS_SPEED,
  H_TICK,
  STATUS_CRASHED,
  TICKS_PER_S,
} from '../layout';
import { clamp, greatest, least, timeToCover } from '../math';
import { getF, getI } from '../memory';
import { STANDING_FOR_ACTORS_MPS } from '../thresholds';
import { brakingFor, isAnybodyComing, isHiddenFrom } from './actor-perception';
import { crestTrigger, isCrestSpared, isNobodyNear } from './crests';
import { isActorSeen, putOnPath } from './paths';
import {
  hardestBrake,
  hasLine,
  kindOf,
  leadTime,
  metBeyond,
  MODE_CROSSES,
  MODE_CUTS_IN,
  MODE_FOLLOWS,
  MODE_LEADS,
  MODE_ROLLS,
  MODE_WALKS,
  shortBy,
  speedNeeded,
  startAccel,
} from './spots';
import { stallTrigger } from './stalls';
import {
  arrivalIn,
  carsAt,
  findArriving,
  hasFreeWay,
  hasRoomAt,
  isFirst,
  isJunctionFree,
  lightsAllow,
  longWayTo,
  wayTo,
} from './triggers';

/** A pedestrian is ready so long before setting off, s: a spot is updated every 0.16 s. */
const READY_S = 0.2;
/**
 * A pedestrian checks all lanes before setting off: another car may be off its prediction by this
 * share of its way.
 */
const UNSURE = 0.15;
/** After the encounter an actor is still in the way for this time, s. */
const AFTER_S = 1.0;
/** A crossing vehicle adapts its speed to the car's until this long before the car arrives, s. */
const SYNC_S = 2.0;
/** Time ahead in which no other car may come into the junction as it sets off, s. */
const JUNCTION_S = 3.5;
/** Range of that adaptation as shares of its own speed. */
const SLOWER = 0.65;
const FASTER = 1.1;
/** Acceleration and deceleration of that adaptation and before the end of a way, m/s². */
const EASE = 2.5;
/** So near to the end of its way an actor is there, m. */
export const END_M = 0.25;
/** A vehicle has crossed once its rear is this far beyond the middle of the car's lane, m. */
const CROSSED_M = 4.0;
/** A crossing vehicle must be visible to the car this long before the car arrives, s. */
const VIEW_S = 2.6;
/**
 * Distance from the middle of the car's lane at which it stops to yield, m, and a factor on its
 * braking.
 */
const SHORT_OF_M = 2.0;
const WAIT_SPARE = 1.1;
/** Gap at which a lead reaches the speed of the car behind it, m. */
const LEAD_GAP_M = 8.5;
/** Share of its acceleration that a car keeps on average until the lead is as fast. */
const LEAD_GAINED = 0.75;
/** A lead brakes only for a car in this range of gaps, m: others could not stop, or need no help. */
const LEAD_NEAR_M = 5.5;
const LEAD_FAR_M = 9.0;
/** A lead ignores cars further away than this, m. */
const LEAD_SEES_M = 110.0;
/** Braking of a lead, m/s², its stop in ticks (4 s), and its speed afterwards, m/s. */
const LEAD_BRAKE = 8.0;
const LEAD_TICKS: u32 = 200;
const LEAD_ON_MPS = 8.0;
/** A lead may set off while the car is up to this much nearer than intended, m. */
const LEAD_LATE_M = 3.0;
/**
 * A van is struck this far before it is in the middle of the lane, m: its rear swings out last, and
 * until then the gap behind it closes at the car's speed.
 */
const VAN_SHORT_M = 3.1;
/** Up to this station a van adapts its speed to the car's; beyond the second it accelerates, m. */
const VAN_SUITS_M = 2.0;
const VAN_STEADY_M = 10.0;
const VAN_ON_MPS = 9.0;
/**
 * A broken-down vehicle stands for so many ticks (60 s), or until a car has stood this near behind
 * it, m, for so many (8 s).
 */
const STAND_TICKS: u32 = 3000;
const TOW_TICKS: u32 = 400;
const TOW_M = 12.0;
/** The car for which the actor has to set off now, with the actor placed accordingly; −1 none. */
export function findTriggeringCar(
  slab: usize,
  city: usize,
  site: usize,
  actor: usize,
  mode: i32,
): i32 {
  if (mode == MODE_WALKS) return walkTrigger(slab, city, site, actor);
  if (mode == MODE_CROSSES) return crossTrigger(slab, city, site, actor);
  if (mode == MODE_ROLLS) return crestTrigger(slab, city, site, actor);
  if (mode == MODE_LEADS) return leadTrigger(slab, city, site, actor);
  if (mode == MODE_CUTS_IN) return cutInTrigger(slab, city, site, actor);
  return mode == MODE_FOLLOWS ? stallTrigger(slab, city, site, actor) : -1;
}

/** A pedestrian will be in front of the car when the car arrives. */
function walkTrigger(slab: usize, city: usize, site: usize, actor: usize): i32 {
  const needed = walkTime(site);
  const short = 0.5 * load<f64>(site + HS_BODY_LENGTH);
  const car = findArriving(
    slab,
    city,
    site,
    needed + READY_S,
    short,
    speedNeeded(kindOf(site)),
    -1,
  );
  if (car < 0) return -1;
  const speed = load<f64>(site + HS_SPEED);
  const across =
    needed + (load<f64>(site + HS_ACTOR_LENGTH) - load<f64>(site + HS_ACTOR_STATION)) / speed;
  if (!hasFreeWay(slab, city, site, car, 0.0, speed, across, UNSURE)) return -1;
  store<f64>(actor + A_CRUISE, speed);
  setOff(slab, city, site, actor, car, needed);
  return car;
}

@inline function walkTime(site: usize): f64 {
  const station = load<f64>(site + HS_ACTOR_STATION) + metBeyond(kindOf(site));
  return timeToCover(station, 0.0, load<f64>(site + HS_SPEED), startAccel(MODE_WALKS));
}

/** Sets the tick at which a pedestrian sets off. */
function setOff(slab: usize, city: usize, site: usize, actor: usize, car: i32, needed: f64): void {
  const way = wayTo(slab, city, car, site) - 0.5 * load<f64>(site + HS_BODY_LENGTH);
  const early = arrivalIn(slab, car, way, kindOf(site)) - needed;
  const ticks = early > 0.0 ? <u32>nearest(early * TICKS_PER_S) : 0;
  store<u32>(actor + A_WAIT, load<u32>(slab + H_TICK) + ticks);
}

export function walkOver(slab: usize, city: usize, site: usize, actor: usize, tick: u32): void {
  if (tick < load<u32>(actor + A_WAIT)) {
    setOff(slab, city, site, actor, load<i32>(actor + A_CAR), walkTime(site));
    return;
  }
  const hadToStop = load<f64>(actor + A_SPEED) == 0.0 && load<f64>(actor + A_STATION) > 0.0;
  if (hadToStop && isAnybodyComing(slab, actor)) return;
  goOn(slab, city, site, actor, MODE_WALKS);
}

/** Continues, or brakes for an object in its path or for the end of it. */
export function goOn(slab: usize, city: usize, site: usize, actor: usize, mode: i32): void {
  const braking = brakingFor(slab, city, site, actor, mode);
  const speed = load<f64>(actor + A_SPEED);
  const cruise = load<f64>(actor + A_CRUISE);
  let accel = 0.0;
  if (braking > 0.0) accel = -braking;
  else if (speed < cruise) accel = startAccel(mode);
  else if (speed > cruise + 0.1) accel = -EASE;
  const left = load<f64>(site + HS_ACTOR_LENGTH) - load<f64>(actor + A_STATION);
  const toEnd = (0.5 * speed * speed) / greatest(left, END_M);
  store<f64>(actor + A_ACCEL, toEnd > EASE ? least(accel, -toEnd) : accel);
}

/**
 * A crossing vehicle is under way already, at the station from which it arrives together with the
 * car, where nobody sees it.
 */
function crossTrigger(slab: usize, city: usize, site: usize, actor: usize): i32 {
  const kind = kindOf(site);
  const short = 0.5 * load<f64>(site + HS_BODY_WIDTH);
  let car = -1;
  do {
    car = findArriving(slab, city, site, leadTime(kind), short, speedNeeded(kind), car);
  } while (car >= 0 && !canCrossFor(slab, city, site, actor, car, short));
  return car;
}

/** Places a crossing vehicle for a car if it can set off now. */
function canCrossFor(
  slab: usize,
  city: usize,
  site: usize,
  actor: usize,
  car: i32,
  short: f64,
): bool {
  const arrival = arrivalIn(slab, car, wayTo(slab, city, car, site) - short, kindOf(site));
  if (!lightsAllow(slab, city, site, car, arrival)) return false;
  const aim = load<f64>(site + HS_ACTOR_STATION) - shortBy(site);
  const start = aim - load<f64>(site + HS_SPEED) * arrival;
  const station = start < 0.0 ? 0.0 : start;
  const speed = (aim - station) / arrival;
  if (
    !hasRoomAt(slab, city, site, station) ||
    !isJunctionFree(slab, city, site, car, least(arrival, JUNCTION_S)) ||
    !hasFreeWay(slab, city, site, car, station, speed, arrival + AFTER_S, 0.0)
  )
    return false;
  store<f64>(actor + A_STATION, station);
  store<f64>(actor + A_SPEED, speed);
  store<f64>(actor + A_CRUISE, speed);
  store<i32>(actor + A_PIECE, 0);
  putOnPath(city, site, actor);
  return !isActorSeen(slab, city, site, actor);
}

/** Crosses the car's lane; false once it has. */
export function crossOver(slab: usize, city: usize, site: usize, actor: usize): bool {
  if (yieldsToCar(slab, city, site, actor)) return true;
  matchSpeed(slab, city, site, actor);
  goOn(slab, city, site, actor, MODE_CROSSES);
  const beyond = load<f64>(actor + A_STATION) - load<f64>(site + HS_ACTOR_STATION);
  return beyond < 0.5 * load<f64>(site + HS_BODY_LENGTH) + CROSSED_M;
}

/**
 * Whether a crossing vehicle stops until the car has passed: another vehicle hides the two from
 * each other, and it can still stop. A vehicle with a stop line need not see the car.
 */
function yieldsToCar(slab: usize, city: usize, site: usize, actor: usize): bool {
  const car = load<i32>(actor + A_CAR);
  const way = wayTo(slab, city, car, site);
  const waits = load<u32>(actor + A_WAIT) != 0;
  if (way <= 0.0 || (waits && getF(slab, C_VX, car) < STANDING_FOR_ACTORS_MPS)) {
    store<u32>(actor + A_WAIT, 0);
    return false;
  }
  const kind = kindOf(site);
  if (hasLine(kind)) return false;
  const speed = load<f64>(actor + A_SPEED);
  const room =
    load<f64>(site + HS_ACTOR_STATION) -
    load<f64>(actor + A_STATION) -
    0.5 * load<f64>(site + HS_BODY_LENGTH) -
    SHORT_OF_M;
  if (!waits) {
    if (room <= 0.0 || speed * speed > 2.0 * hardestBrake(kind) * room) return false;
    if (arrivalIn(slab, car, way, kind) > VIEW_S || !isHiddenFrom(slab, actor, car)) return false;
    store<u32>(actor + A_WAIT, load<u32>(slab + H_TICK));
  }
  const needed = greatest((WAIT_SPARE * speed * speed) / (2.0 * greatest(room, 0.1)), EASE);
  store<f64>(
    actor + A_ACCEL,
    -least(greatest(needed, brakingFor(slab, city, site, actor, MODE_CROSSES)), hardestBrake(kind)),
  );
  return true;
}

function matchSpeed(slab: usize, city: usize, site: usize, actor: usize): void {
  const car = load<i32>(actor + A_CAR);
  const way = wayTo(slab, city, car, site) - 0.5 * load<f64>(site + HS_BODY_WIDTH);
  if (way <= 0.0) return;
  const arrival = arrivalIn(slab, car, way, kindOf(site));
  const left = load<f64>(site + HS_ACTOR_STATION) - shortBy(site) - load<f64>(actor + A_STATION);
  if (left <= 0.0) return;
  if (arrival < SYNC_S) {
    // From now on it is predictable.
    store<f64>(actor + A_CRUISE, load<f64>(actor + A_SPEED));
    return;
  }
  const own = load<f64>(site + HS_SPEED);
  store<f64>(actor + A_CRUISE, clamp(left / arrival, SLOWER * own, FASTER * own));
}

/** A lead sets off so that it reaches the car's speed and the gap ahead of it in the lane. */
function leadTrigger(slab: usize, city: usize, site: usize, actor: usize): i32 {
  const kind = kindOf(site);
  const start = load<f64>(site + HS_ACTOR_STATION);
  for (let car = 0; car < CAR_COUNT; car++) {
    const speed = getF(slab, C_VX, car);
    if (speed < speedNeeded(kind) || getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    const behind = longWayTo(slab, city, car, site, LEAD_SEES_M) - start;
    const accel = startAccel(MODE_LEADS);
    const gained = LEAD_GAINED * clamp(getF(slab, C_ACCEL, car), 0.0, EASE);
    const later = (speed * accel) / (accel - gained);
    const wanted =
      LEAD_GAP_M + 0.5 * load<f64>(site + HS_BODY_LENGTH) + (0.5 * speed * later) / accel;
    if (
      behind > wanted ||
      behind < wanted - LEAD_LATE_M ||
      !isFirst(slab, city, site, car, LEAD_GAP_M)
    )
      continue;
    store<f64>(actor + A_CRUISE, speed);
    store<u32>(actor + A_WAIT, 0);
    return car;
  }
  return -1;
}

/**
 * A lead keeps the car's speed and stops with its rear at the conflict point if the car has reason to
 * brake for that; else it drives on, as it does some time after its stop.
 */
export function lead(slab: usize, city: usize, site: usize, actor: usize, tick: u32): void {
  const speed = load<f64>(actor + A_SPEED);
  const left =
    load<f64>(site + HS_ACTOR_STATION) +
    0.5 * load<f64>(site + HS_BODY_LENGTH) -
    load<f64>(actor + A_STATION);
  const until = load<u32>(actor + A_WAIT);
  if (until == 0) {
    const car = load<i32>(actor + A_CAR);
    if (left > (speed * speed) / (2.0 * LEAD_BRAKE)) {
      store<f64>(actor + A_CRUISE, greatest(getF(slab, C_VX, car), LEAD_ON_MPS));
      goOn(slab, city, site, actor, MODE_LEADS);
      return;
    }
    const gap = wayTo(slab, city, car, site) - left;
    if (speed > 0.0 && load<f64>(actor + A_ACCEL) > -LEAD_BRAKE && !isWorthwhile(gap)) {
      store<u32>(actor + A_WAIT, tick);
      goOn(slab, city, site, actor, MODE_LEADS);
      return;
    }
    store<f64>(actor + A_ACCEL, -LEAD_BRAKE);
    if (speed == 0.0) store<u32>(actor + A_WAIT, tick + LEAD_TICKS);
  } else if (tick >= until) {
    store<f64>(actor + A_CRUISE, LEAD_ON_MPS);
    goOn(slab, city, site, actor, MODE_LEADS);
  }
}

@inline function isWorthwhile(gap: f64): bool {
  return gap > LEAD_NEAR_M && gap < LEAD_FAR_M;
}

/** The car's front is at the van's rear when the van is nearly in the middle of the lane. */
function cutInTrigger(slab: usize, city: usize, site: usize, actor: usize): i32 {
  const aim = load<f64>(site + HS_ACTOR_STATION) - VAN_SHORT_M;
  const needed = timeToCover(aim, 0.0, load<f64>(site + HS_SPEED), startAccel(MODE_CUTS_IN));
  const short = VAN_SHORT_M + 0.5 * load<f64>(site + HS_BODY_LENGTH);
  const car = findArriving(slab, city, site, needed, short, speedNeeded(kindOf(site)), -1);
  if (car < 0 || !isFirst(slab, city, site, car, LEAD_GAP_M)) return -1;
  store<f64>(actor + A_CRUISE, load<f64>(site + HS_SPEED));
  return car;
}

function suitVan(slab: usize, city: usize, site: usize, actor: usize, left: f64): void {
  const car = load<i32>(actor + A_CAR);
  const way = wayTo(slab, city, car, site) - VAN_SHORT_M - 0.5 * load<f64>(site + HS_BODY_LENGTH);
  if (way <= 0.0) return;
  const own = load<f64>(site + HS_SPEED);
  store<f64>(
    actor + A_CRUISE,
    clamp(left / arrivalIn(slab, car, way, kindOf(site)), SLOWER * own, FASTER * own),
  );
}

export function cutIn(slab: usize, city: usize, site: usize, actor: usize): void {
  const station = load<f64>(actor + A_STATION);
  const middle = load<f64>(site + HS_ACTOR_STATION);
  if (station > middle + VAN_STEADY_M) store<f64>(actor + A_CRUISE, VAN_ON_MPS);
  else if (station < VAN_SUITS_M) suitVan(slab, city, site, actor, middle - VAN_SHORT_M - station);
  goOn(slab, city, site, actor, MODE_CUTS_IN);
}

export function follow(slab: usize, city: usize, site: usize, actor: usize): void {
  goOn(slab, city, site, actor, MODE_FOLLOWS);
}

/** Whether a vehicle that has broken down in the lane stays there for now. */
export function stand(slab: usize, city: usize, site: usize, actor: usize, tick: u32): bool {
  return (
    tick - load<u32>(actor + A_SINCE) <= STAND_TICKS && !hasHeldUp(slab, city, site, actor, tick)
  );
}

/** Whether what has rolled into the lane stays there for now. */
export function staysInLane(slab: usize, city: usize, site: usize, actor: usize, tick: u32): bool {
  if (isNobodyNear(slab, city, site) || isCrestSpared(slab, city, site, actor)) return false;
  return !hasHeldUp(slab, city, site, actor, tick);
}

/** Whether a car has stood behind an actor for long enough. */
function hasHeldUp(slab: usize, city: usize, site: usize, actor: usize, tick: u32): bool {
  let waiting = false;
  for (let left = carsAt(site); left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    if (
      getF(slab, C_VX, car) > STANDING_FOR_ACTORS_MPS ||
      getI(slab, C_STATUS, car) == STATUS_CRASHED
    )
      continue;
    const way = wayTo(slab, city, car, site);
    if (way > -0.99 && way < TOW_M) waiting = true;
  }
  const until = load<u32>(actor + A_WAIT);
  if (!waiting) store<u32>(actor + A_WAIT, 0);
  else if (until == 0) store<u32>(actor + A_WAIT, tick + TOW_TICKS);
  else if (tick >= until) return true;
  return false;
}
