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
import { addHolder, connectorAhead, isUnannounced, lineDistance } from './approaches';
import { carLength, noseOf } from './body';
import { creditWaiting, crossingDistance, hasAssist } from './functions/intersection-assist';
import { canStop, hasExitRoom, isClear, isFree, isFreeOfPriority, isNext, isPaused } from './gaps';
import { isConnector, laneAhead, laneRecord, laneLength, routeLane } from './lanes';
import { isClosed, isHeld, lightFor, mayStart } from './light-choice';
import { getF, getI, setI } from './memory';
import { WAITING_MPS } from './thresholds';

/**
 * Right of way by claims: a car enters a junction only with a claim on its connector, and whoever
 * is given one meets nobody there: a conflicting claim is still held only by a car that will have
 * driven out of the way. Who gets it is decided as drivers do: by lights, signs, priority to the
 * right and gaps in the traffic that goes first. Nobody waits for one another in a circle, since
 * after a while the lowest index goes, and patience ends in the order of waiting.
 *
 * A car that misses a light, or does not look out, claims its way as well. Where nobody would have
 * given it the claim the others know nothing of it: they go as if that car were not there.
 */

/** Comfortable deceleration towards a line, m/s². */
const LINE_DECEL = 2.0;
/** The same where a light holds the car: seen early. */
const LIGHT_DECEL = 1.5;
/** Where nobody has right of way over the car it slows down only when it must. */
const FIRM_DECEL = 2.5;
/** A claim that its car makes no use of for so many ticks (10 s) is taken back. */
const IDLE_CLAIM_TICKS: u32 = 500;
/** For so long (30 s) the car then asks for none. */
const IDLE_PAUSE_TICKS: u32 = 1500;
/** Slower than this a car in a junction is in plain view, m/s. */
const PLAIN_MPS = 2.0;

/** Distance from a car's front bumper to the end of its lane, m. */
export function toLine(slab: usize, city: usize, car: i32): f64 {
  return laneLength(city, getI(slab, C_LANE, car)) - getF(slab, C_STATION, car) - noseOf(slab, car);
}

/**
 * Distance from a car's front bumper to the line that it must stop before now, m, never below 0;
 * −1 where it may go on, or need not care yet.
 */
export function stopDistance(slab: usize, city: usize, car: i32): f64 {
  if (isConnector(city, getI(slab, C_LANE, car))) return -1.0;
  const connector = laneAhead(slab, city, car, 1);
  if (getI(slab, C_CLAIM, car) == connector) return -1.0;
  const distance = toLine(slab, city, car);
  const speed = getF(slab, C_VX, car);
  const record = laneRecord(city, connector);
  let range = 0.0;
  if (isHeld(slab, car)) range = (speed * speed) / (2.0 * LIGHT_DECEL) + 1.5 * speed + 6.0;
  else if (load<u32>(record + L_YIELDS) != 0 || load<i32>(record + L_MUST_STOP) != 0)
    range = lineRange(speed, 1.0, 6.0);
  else range = (speed * speed) / (2.0 * FIRM_DECEL) + 0.5 * speed + 3.0;
  if (distance > range) return -1.0;
  return distance < 0.0 ? 0.0 : distance;
}

/** Way of comfortable braking after `seconds` of reaction, and `spare` m. */
@inline function lineRange(speed: f64, seconds: f64, spare: f64): f64 {
  return (speed * speed) / (2.0 * LINE_DECEL) + seconds * speed + spare;
}

/** Gives, keeps and takes back claims, in order of index. */
export function decideRightOfWay(slab: usize, city: usize): void {
  let listed: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car++) {
    updateClaim(slab, city, car);
    const claim = getI(slab, C_CLAIM, car);
    if (claim < 0) continue;
    addHolder(city, claim, car);
    listed |= 1 << car;
  }
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_CLAIM, car) == connectorAhead(car)) reviewClaim(slab, city, car);
  }
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_CLAIM, car) >= 0 || !mayClaim(slab, city, car)) continue;
    const connector = connectorAhead(car);
    setI(slab, C_CLAIM, car, connector);
    setI(slab, C_WAIT_TICK, car, load<u32>(slab + H_TICK));
    if (((listed >> car) & 1) == 0) addHolder(city, connector, car);
  }
}

/** A car in a junction holds what it is on; one that has left it holds nothing. */
function updateClaim(slab: usize, city: usize, car: i32): void {
  const lane = getI(slab, C_LANE, car);
  if (isConnector(city, lane)) {
    const isPlain =
      getF(slab, C_VX, car) < PLAIN_MPS || getI(slab, C_STATUS, car) == STATUS_CRASHED;
    // Nobody expects a car that drove in without asking.
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

/** `again`: the tick from which on the car may ask for another, 0 at once. */
function releaseClaim(slab: usize, car: i32, again: u32): void {
  setI(slab, C_CLAIM, car, -1);
  setI(slab, C_UNANNOUNCED, car, 0);
  setI(slab, C_WAIT_TICK, car, again);
}

/** Ends the claim of a car before the line where it is of no use, or no longer right and in time. */
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

/** Whether a car that was given its claim drives on at red because it does not know that it is. */
@inline function isMissed(slab: usize, car: i32): bool {
  return isUnannounced(slab, car) || canStop(slab, car);
}

/** Whether the car would still go; whoever goes as others do not expect it does not mind that they are there. */
function isStillRight(slab: usize, city: usize, car: i32, connector: i32): bool {
  if (!isNext(slab, city, car, connector) || !hasExitRoom(slab, city, car, connector)) return false;
  if (hasAssist(slab, car) && crossingDistance(car) >= 0.0) return false;
  if (isUnannounced(slab, car))
    return !hasAssist(slab, car) || isFreeOfPriority(slab, city, car, connector);
  if (isClear(slab, city, car, connector, 0.0)) return true;
  if (!hasAssist(slab, car)) setI(slab, C_UNANNOUNCED, car, 1);
  return isUnannounced(slab, car);
}

/** Whether a car stands before the junction and makes no use of its claim: others wait for it. */
function isIdle(slab: usize, car: i32): bool {
  const held = load<u32>(slab + H_TICK) - <u32>getI(slab, C_WAIT_TICK, car);
  return getF(slab, C_VX, car) < WAITING_MPS && held > IDLE_CLAIM_TICKS;
}

/** Whether a car that holds no claim may have the one on the connector ahead. */
function mayClaim(slab: usize, city: usize, car: i32): bool {
  if (getI(slab, C_STATUS, car) == STATUS_CRASHED) return false;
  const connector = connectorAhead(car);
  const record = laneRecord(city, connector);
  const speed = getF(slab, C_VX, car);
  const distance = lineDistance(car);
  // Whoever may have to give way looks for a gap only once it has slowed down for the line.
  const rollsUp = load<u32>(record + L_YIELDS) != 0;
  if (distance > (rollsUp ? lineRange(speed, 0.3, 4.0) : lineRange(speed, 1.5, 10.0))) return false;
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
 * Whether the car goes, as all expect where its light is not red and the way is free. Without looking
 * out it goes all the same; where it misses a red light it heeds only whoever goes first at green.
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
