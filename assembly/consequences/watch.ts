/**
 * Consequences short of a collision: what a car does wrong because something is switched off, and
 * what an observer of the frames would see. Runs at the end of a frame.
 */
import {
  ACTOR_ACTS,
  A_STATE,
  CAR_COUNT,
  CT_CENTRE,
  C_EFFECTIVE,
  C_EVADE_TICK,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_LANE,
  C_OFFSET,
  C_STALL_TICK,
  C_STATION,
  C_STATUS,
  C_UNANNOUNCED,
  C_VX,
  C_VY,
  EVENT_LANE_LEFT,
  EVENT_NOT_YIELDED,
  EVENT_RED_LIGHT,
  EVENT_STALLED,
  F_BRAKES,
  F_ESC,
  F_INTERSECTION_ASSIST,
  F_STEERING,
  F_THROTTLE,
  F_TRAFFIC_LIGHT_RECOGNITION,
  HS_LANE_COUNT,
  H_LEFT_LANE,
  H_PAST_LINE,
  H_STALLED,
  H_TICK,
  L_HALF_WIDTH,
  L_LIGHT,
  PT_TX,
  PT_TY,
  STATUS_CRASHED,
  STATUS_DRIVING,
  TICK_S,
  T_HAZARD_COUNT,
} from '../layout';
import { noseOf } from '../body';
import { laneOf } from '../hazards/triggers';
import { actorRecord, siteRecord } from '../hazards/spots';
import { along, isConnector, laneAhead, laneLength, laneRecord, pointAt, shareAt } from '../lanes';
import { carsBeyond, carsWithout } from '../masks';
import { least } from '../math';
import { getF, getI, typeOf } from '../memory';
import { redAge } from '../signals';
import { watchNearMisses } from './near-misses';
import { tell } from './raise';
import { firstReason, reason } from './reasons';

/** A front this far beyond the line has passed it, m: cars stop up to half a metre beyond. */
const PAST_LINE_M = 1.0;
/** A light counts as red after so many ticks (0.5 s): who has to pass at amber may be held up. */
const RED_TICKS: i32 = 25;
/** A car is back in its lane if its middle is this far within the edge again, m. */
const BACK_M = 0.5;
/** Up to this offset no part of the check of the lane is needed, m. */
const WELL_WITHIN_M: f32 = 1.0;
/** On a road with less friction a car may leave its lane for want of ESC. */
const SLIPPERY = 0.7;
/** A car that could not drive off for so many ticks (3 s) has stalled. */
const STALLED_TICKS: u32 = 150;

export function tellConsequences(slab: usize, city: usize): void {
  const wasPast = load<u32>(slab + H_PAST_LINE);
  const wasOut = load<u32>(slab + H_LEFT_LANE);
  const wasStalled = load<u32>(slab + H_STALLED);
  const driven = carsWithout(slab, C_STATUS, STATUS_CRASHED);
  const past = (carsPastLine(slab, city) & driven) | (wasPast & ~driven);
  const mayBeOut = carsBeyond(slab + C_OFFSET, WELL_WITHIN_M);
  const mayBeStalled = carsWithoutThrottle(slab);
  let out: u32 = 0;
  let stalled: u32 = 0;
  // There is nothing to tell of most cars.
  const cars = driven & ((past & ~wasPast) | mayBeOut | mayBeStalled);
  for (let left = cars; left != 0; left &= left - 1) {
    const bit = left & -left;
    const car = <i32>ctz(left);
    if ((past & ~wasPast & bit) != 0) tellEntry(slab, city, car);
    if ((mayBeOut & bit) != 0 && isOutside(slab, city, car, (wasOut & bit) != 0)) {
      out |= bit;
      if ((wasOut & bit) == 0 && getI(slab, C_STATUS, car) == STATUS_DRIVING)
        tell(slab, EVENT_LANE_LEFT, car, reasonOutside(slab, car), -1, -1, 0);
    }
    if ((mayBeStalled & bit) != 0 && hasStalled(slab, car)) {
      stalled |= bit;
      if ((wasStalled & bit) == 0) tell(slab, EVENT_STALLED, car, F_THROTTLE, -1, -1, 0);
    }
  }
  store<u32>(slab + H_PAST_LINE, past);
  store<u32>(slab + H_LEFT_LANE, out);
  store<u32>(slab + H_STALLED, stalled);
  watchNearMisses(slab, city);
}

/** Mask of the cars on a connector or with the front well beyond the line before one. */
function carsPastLine(slab: usize, city: usize): u32 {
  let cars: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car++) {
    const lane = getI(slab, C_LANE, car);
    const beyond = getF(slab, C_STATION, car) + noseOf(slab, car) - laneLength(city, lane);
    // Without a branch, which would often be predicted wrongly.
    cars |= (<u32>isConnector(city, lane) | <u32>(beyond > PAST_LINE_M)) << car;
  }
  return cars;
}

/** Mask of the cars whose throttle is off. */
function carsWithoutThrottle(slab: usize): u32 {
  let cars: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car++)
    cars |= (<u32>((getI(slab, C_EFFECTIVE, car) & F_THROTTLE) == 0)) << car;
  return cars;
}

/** A car has just entered a junction: against a red light, or without giving way? */
function tellEntry(slab: usize, city: usize, car: i32): void {
  const lane = getI(slab, C_LANE, car);
  const connector = isConnector(city, lane) ? lane : laneAhead(slab, city, car, 1);
  const light = load<i32>(laneRecord(city, connector) + L_LIGHT);
  if (light >= 0 && redAge(slab, city, light, 0) >= RED_TICKS) {
    const feature = reason(slab, car, F_TRAFFIC_LIGHT_RECOGNITION);
    tell(slab, EVENT_RED_LIGHT, car, feature, -1, -1, 0);
    return;
  }
  const spot = actorCrossing(slab, city, connector);
  const isForced = (getI(slab, C_EFFECTIVE, car) & F_INTERSECTION_ASSIST) == 0;
  if (isForced && (getI(slab, C_UNANNOUNCED, car) != 0 || spot >= 0))
    tell(slab, EVENT_NOT_YIELDED, car, reason(slab, car, F_INTERSECTION_ASSIST), spot, -1, 0);
}

/** The spot whose actor is under way over a connector, −1 none. */
function actorCrossing(slab: usize, city: usize, connector: i32): i32 {
  const spots = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < spots; spot++) {
    if (load<i32>(actorRecord(slab, spot) + A_STATE) != ACTOR_ACTS) continue;
    const site = siteRecord(city, spot);
    if (laneOf(site, load<i32>(site + HS_LANE_COUNT) - 1) == connector) return spot;
  }
  return -1;
}

/** Whether the middle of the body is outside the lane, but for an evasion. */
function isOutside(slab: usize, city: usize, car: i32, was: bool): bool {
  if (getI(slab, C_EVADE_TICK, car) != 0) return false;
  const offset = getF(slab, C_OFFSET, car);
  const lane = getI(slab, C_LANE, car);
  const station = getF(slab, C_STATION, car);
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const tx = along(point, PT_TX, share);
  const ty = along(point, PT_TY, share);
  const aside = getF(slab, C_HY, car) * tx - getF(slab, C_HX, car) * ty;
  // The offset is that of the tick before: it is found in every other one.
  const since = (getF(slab, C_VX, car) * aside + getF(slab, C_VY, car)) * TICK_S;
  const middle = abs(offset + since + load<f64>(typeOf(slab, car) + CT_CENTRE) * aside);
  return middle > load<f64>(laneRecord(city, lane) + L_HALF_WIDTH) - (was ? BACK_M : 0.0);
}

function reasonOutside(slab: usize, car: i32): i32 {
  const friction = least(getF(slab, C_FRICTION_FRONT, car), getF(slab, C_FRICTION_REAR, car));
  return firstReason(slab, car, F_STEERING, friction < SLIPPERY ? F_ESC : 0, F_BRAKES);
}

/** Whether a car without throttle has stalled. */
function hasStalled(slab: usize, car: i32): bool {
  const since = <u32>getI(slab, C_STALL_TICK, car);
  return since != 0 && load<u32>(slab + H_TICK) - since >= STALLED_TICKS;
}
