import {
  CAR_COUNT,
  C_CLAIM,
  C_LANE,
  C_ROUTE_INDEX,
  C_STATION,
  C_STATUS,
  C_STOOD_TICK,
  C_UNANNOUNCED,
  C_VX,
  C_WAIT_TICK,
  H_TICK,
  L_MUST_STOP,
  L_YIELDS,
  STATUS_CRASHED,
} from './layout';
import {
  addHolder,
  AHEAD,
  connectorAhead,
  DISTANCE,
  isUnannounced,
  lineDistance,
} from './approaches';
import { carLength, noseOf } from './body';
import { creditWaiting, crossingDistance, hasAssist } from './functions/intersection-assist';
import { canStop, hasExitRoom, isClear, isFree, isFreeOfPriority, isNext, isPaused } from './gaps';
import { isConnector, laneRecord, routeLane } from './lanes';
import { isClosed, isHeld, lightFor, mayStart } from './light-choice';
import { carsAlike, carsBelowZero } from './masks';
import { getF, getI, setI } from './memory';
import { add, bitsLess, div, mul, QUAD_ROW, splat } from './quad';
import { WAITING_MPS } from './thresholds';

/**
 * Right of way by claims. A car enters a junction only with a claim on its connector. A claim is
 * granted if no conflicting claim is held, except by a car that will have left the conflict zone.
 * Claims follow lights, signs, priority to the right, and gaps in the traffic with priority. There
 * is no deadlock: after a while the car with the lowest index goes, and cars that have waited too
 * long go in the order of their waiting.
 *
 * A car that misses a light or lacks intersection assist claims its path as well. If it would not
 * have got the claim, the claim is unannounced: other cars drive as if it did not exist.
 */

/** Comfortable deceleration towards a line, m/s². */
const LINE_DECEL: f32 = 2.0;
/** The same for a car that a light holds: it sees the light early. */
const LIGHT_DECEL = 1.5;
/** The same if no car has right of way over it: it slows down only when it has to. */
const FIRM_DECEL = 2.5;
/** A car claims from the distance of braking after so many seconds, s, with so much to spare, m. */
const CLAIM_S: f32 = 1.5;
const CLAIM_SPARE_M: f32 = 10.0;
/** The same for one that rolls up to the line, because it may have to yield: it is nearer. */
const ROLL_UP_S: f32 = 0.3;
const ROLL_UP_SPARE_M: f32 = 4.0;
/** A claim that is not used for so many ticks (10 s) is released. */
const IDLE_CLAIM_TICKS: u32 = 500;
/** The car then does not claim again for so many ticks (30 s). */
const IDLE_PAUSE_TICKS: u32 = 1500;
/** Below this speed all drivers notice a car inside a junction, m/s. */
const PLAIN_MPS = 2.0;

/**
 * Distance from a car's front bumper to the line at which it must stop, m, at least 0; −1 if it may
 * go on or is too far away to care.
 */
export function stopDistance(slab: usize, city: usize, car: i32): f64 {
  if (isConnector(city, getI(slab, C_LANE, car))) return -1.0;
  const connector = connectorAhead(car);
  if (getI(slab, C_CLAIM, car) == connector) return -1.0;
  const distance = lineDistance(car);
  const speed = getF(slab, C_VX, car);
  const record = laneRecord(city, connector);
  let range = 0.0;
  if (isHeld(slab, car)) range = (speed * speed) / (2.0 * LIGHT_DECEL) + 1.5 * speed + 6.0;
  else if (load<u32>(record + L_YIELDS) != 0 || load<i32>(record + L_MUST_STOP) != 0)
    range = lineRange<f32>(<f32>speed, 1.0, 6.0);
  else range = (speed * speed) / (2.0 * FIRM_DECEL) + 0.5 * speed + 3.0;
  if (distance > range) return -1.0;
  return distance < 0.0 ? 0.0 : distance;
}

/** Distance of comfortable braking after `seconds` of reaction, plus `spare` m. */
@inline function lineRange<T>(speed: T, seconds: f32, spare: f32): T {
  const braking = div<T>(mul<T>(speed, speed), splat<T>(2.0 * LINE_DECEL));
  return add<T>(add<T>(braking, mul<T>(splat<T>(seconds), speed)), splat<T>(spare));
}

/** Grants, keeps and releases claims, in order of index. */
export function decideRightOfWay(slab: usize, city: usize): void {
  let listed: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car++) {
    updateClaim(slab, city, car);
    const claim = getI(slab, C_CLAIM, car);
    if (claim < 0) continue;
    addHolder(city, claim, car);
    listed |= 1 << car;
  }
  const reviewed = carsAlike(slab + C_CLAIM, AHEAD);
  for (let left = reviewed; left != 0; left &= left - 1) reviewClaim(slab, city, <i32>ctz(left));
  const near = ASC_FEATURE_SIMD ? carsNearLine<v128>(slab) : carsNearLine<f32>(slab);
  for (let left = carsBelowZero(slab + C_CLAIM) & near; left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    if (!mayClaim(slab, city, car)) continue;
    const connector = connectorAhead(car);
    setI(slab, C_CLAIM, car, connector);
    setI(slab, C_WAIT_TICK, car, load<u32>(slab + H_TICK));
    if (((listed >> car) & 1) == 0) addHolder(city, connector, car);
  }
}

/** Mask of the cars near enough to their lines to claim: see `mayClaim`. */
function carsNearLine<T>(slab: usize): u32 {
  let far: u32 = 0;
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>()) {
    const range = lineRange<T>(load<T>(slab + place, C_VX), CLAIM_S, CLAIM_SPARE_M);
    far |= bitsLess<T>(range, load<T>(place, DISTANCE)) << (<u32>(place >> 2));
  }
  return ~far;
}

/** A car inside a junction holds the connector that it is on; a car that has left holds nothing. */
function updateClaim(slab: usize, city: usize, car: i32): void {
  const lane = getI(slab, C_LANE, car);
  if (isConnector(city, lane)) {
    const isPlain =
      getF(slab, C_VX, car) < PLAIN_MPS || getI(slab, C_STATUS, car) == STATUS_CRASHED;
    // A car that entered without a claim is unexpected.
    if (isPlain) setI(slab, C_UNANNOUNCED, car, 0);
    else if (getI(slab, C_CLAIM, car) != lane) setI(slab, C_UNANNOUNCED, car, 1);
    setI(slab, C_CLAIM, car, lane);
    return;
  }
  const claim = getI(slab, C_CLAIM, car);
  if (claim < 0 || claim == connectorAhead(car)) return;
  const leaving = claim == routeLane(city, car, getI(slab, C_ROUTE_INDEX, car) - 1);
  const rear = getF(slab, C_STATION, car) + noseOf(slab, car) - carLength(slab, car);
  if (!leaving || rear > 0.5) releaseClaim(slab, car, 0);
}

/** `again`: the tick from which the car may claim again, 0 at once. */
function releaseClaim(slab: usize, car: i32, again: u32): void {
  setI(slab, C_CLAIM, car, -1);
  setI(slab, C_UNANNOUNCED, car, 0);
  setI(slab, C_WAIT_TICK, car, again);
}

/**
 * Releases a claim before the line if it is unused, no longer granted, or cannot be used in time.
 */
function reviewClaim(slab: usize, city: usize, car: i32): void {
  const connector = connectorAhead(car);
  if (getI(slab, C_LANE, car) == connector) return;
  if (getI(slab, C_STATUS, car) == STATUS_CRASHED || isHeld(slab, car)) releaseClaim(slab, car, 0);
  else if (isIdle(slab, car)) releaseClaim(slab, car, load<u32>(slab + H_TICK) + IDLE_PAUSE_TICKS);
  else if (canStop(slab, car) && !isStillRight(slab, city, car, connector))
    releaseClaim(slab, car, 0);
  else if (isClosed(slab, city, lightFor(city, connector)))
    setI(slab, C_UNANNOUNCED, car, isMissed(slab, car) ? 1 : 0);
  else if (isUnannounced(slab, car) && isFree(slab, city, car, connector))
    setI(slab, C_UNANNOUNCED, car, 0);
}

/** Whether a car with a claim passes at red because it does not recognise the light. */
@inline function isMissed(slab: usize, car: i32): bool {
  return isUnannounced(slab, car) || canStop(slab, car);
}

/** Whether the car would still get its claim. An unannounced claim is judged by the car itself. */
function isStillRight(slab: usize, city: usize, car: i32, connector: i32): bool {
  if (!isNext(slab, city, car, connector) || !hasExitRoom(slab, city, car, connector)) return false;
  if (hasAssist(slab, car) && crossingDistance(car) >= 0.0) return false;
  if (isUnannounced(slab, car))
    return !hasAssist(slab, car) || isFreeOfPriority(slab, city, car, connector);
  if (isClear(slab, city, car, connector, 0.0)) return true;
  if (!hasAssist(slab, car)) setI(slab, C_UNANNOUNCED, car, 1);
  return isUnannounced(slab, car);
}

/** Whether a car stands before the junction without using its claim while others wait for it. */
function isIdle(slab: usize, car: i32): bool {
  const held = load<u32>(slab + H_TICK) - <u32>getI(slab, C_WAIT_TICK, car);
  return getF(slab, C_VX, car) < WAITING_MPS && held > IDLE_CLAIM_TICKS;
}

/** Whether a car without a claim may have one on the connector ahead. */
function mayClaim(slab: usize, city: usize, car: i32): bool {
  if (getI(slab, C_STATUS, car) == STATUS_CRASHED) return false;
  const connector = connectorAhead(car);
  const record = laneRecord(city, connector);
  const speed = getF(slab, C_VX, car);
  const distance = lineDistance(car);
  // A car that may have to yield judges gaps only after it has slowed down for the line.
  const rollsUp = load<u32>(record + L_YIELDS) != 0;
  const range = rollsUp
    ? lineRange<f32>(<f32>speed, ROLL_UP_S, ROLL_UP_SPARE_M)
    : lineRange<f32>(<f32>speed, CLAIM_S, CLAIM_SPARE_M);
  if (distance > range) return false;
  if (isPaused(slab, car)) return false;
  if (load<i32>(record + L_MUST_STOP) != 0 && getI(slab, C_STOOD_TICK, car) == 0) return false;
  if (
    !mayStart(slab, city, car, lightFor(city, connector), distance) ||
    !isNext(slab, city, car, connector)
  )
    return false;
  if (getI(slab, C_WAIT_TICK, car) == 0) setI(slab, C_WAIT_TICK, car, load<u32>(slab + H_TICK));
  return hasExitRoom(slab, city, car, connector) && decidesToGo(slab, city, car, connector);
}

/**
 * Whether the car goes. With intersection assist it goes if the path is free; at a red light that
 * it does not recognise it yields only to cars that have priority at green. Without assist it goes
 * anyway.
 */
function decidesToGo(slab: usize, city: usize, car: i32, connector: i32): bool {
  const isRed = isClosed(slab, city, lightFor(city, connector));
  const isExpected = !isRed && isFree(slab, city, car, connector);
  let isWilling = isExpected;
  if (!hasAssist(slab, car)) isWilling = true;
  else if (isRed) isWilling = isFreeOfPriority(slab, city, car, connector);
  if (hasAssist(slab, car) && (!isWilling || crossingDistance(car) >= 0.0)) {
    creditWaiting(slab, car);
    return false;
  }
  setI(slab, C_UNANNOUNCED, car, isExpected ? 0 : 1);
  return true;
}
