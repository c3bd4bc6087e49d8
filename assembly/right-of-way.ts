import {
  C_CLAIM, C_LANE, C_ROUTE_INDEX, C_STATION, C_STATUS, C_VX, C_WAIT_TICK, CAR_COUNT, CT_CENTRE, H_TICK, L_LIGHT, L_MUST_STOP, L_RANK,
  LIGHT_GREEN, SCRATCH, STATUS_CRASHED,
} from './layout';
import { conflict, isConnector, laneAhead, laneAt, laneLength, routeLane } from './lanes';
import { greatest } from './math';
import { getF, getI, setI, typeOf } from './memory';
import { carLength } from './sensing';
import { lightState } from './signals';

/**
 * Right of way by claims: a car enters a junction only with a claim on its connector, and no two
 * cars hold claims on connectors that conflict. Who asks first is served by rank (priority road,
 * straight on before left turn), then by time, then by index: a total order, so nobody waits for
 * one another in a circle.
 */

/** Comfortable deceleration towards a line, m/s², and what one leaves between bumper and line, m. */
export const LINE_DECEL = 2.0;
/** Amber is obeyed where this deceleration suffices, m/s² (German VwV-StVO times fit it). */
const AMBER_DECEL = 3.0;
const REACTION_S = 0.3;
/** Room behind the junction beyond the car's own length, m, and the speed that frees it, m/s. */
const EXIT_MARGIN_M = 3.0;
const EXIT_MOVING_MPS = 3.0;
/** A stop sign is obeyed below this speed, m/s, this near to the line, m. */
const STOPPED_MPS = 0.3;
const STOPPED_AT_M = 3.0;
/** A claim that its car makes no use of for so many ticks (10 s) is taken back. */
const IDLE_CLAIM_TICKS: u32 = 500;
/** For so long (30 s) the car then asks for none, whatever its rank. */
const IDLE_PAUSE_TICKS: u32 = 1500;
/** After so many ticks of waiting a car goes before any rank. */
const PATIENCE_TICKS: u32 = 1500;

/** i32[CAR_COUNT]: the connector that a car could take now, −1 none. */
const READY: usize = SCRATCH;

/** Distance from a car's front bumper to the end of its lane, m. */
export function toLine(slab: usize, city: usize, car: i32): f64 {
  const lane = getI(slab, C_LANE, car);
  const bumper = load<f64>(typeOf(slab, car) + CT_CENTRE) + 0.5 * carLength(slab, car);
  return laneLength(city, lane) - getF(slab, C_STATION, car) - bumper;
}

/** Distance from the front bumper to the line before which a car must stop now, m; −1 where none. */
export function stopDistance(slab: usize, city: usize, car: i32): f64 {
  const lane = getI(slab, C_LANE, car);
  if (isConnector(city, lane) || getI(slab, C_CLAIM, car) == laneAhead(slab, city, car, 1)) return -1.0;
  const speed = getF(slab, C_VX, car);
  const distance = toLine(slab, city, car);
  return distance < (speed * speed) / (2.0 * LINE_DECEL) + 1.5 * speed + 8.0 ? greatest(distance, 0.0) : -1.0;
}

/** Gives, keeps and takes back claims; the highest in order first. */
export function decideRightOfWay(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) release(slab, city, car);
  for (let car = 0; car < CAR_COUNT; car++) {
    const connector = ask(slab, city, car);
    store<i32>(READY + (<usize>car << 2), connector);
  }
  for (let car = 0; car < CAR_COUNT; car++) {
    const connector = load<i32>(READY + (<usize>car << 2));
    // Claims given earlier in this same tick count too.
    if (connector >= 0 && isFirst(slab, city, car, connector) && !meetsClaim(slab, city, car, connector)) {
      setI(slab, C_CLAIM, car, connector);
      setI(slab, C_WAIT_TICK, car, load<u32>(slab + H_TICK));
    }
  }
}

/** Ends a claim whose connector is behind the car, or that a light has ended in time. */
function release(slab: usize, city: usize, car: i32): void {
  const lane = getI(slab, C_LANE, car);
  if (isConnector(city, lane)) {
    setI(slab, C_CLAIM, car, lane);
    return;
  }
  const claim = getI(slab, C_CLAIM, car);
  if (claim < 0) return;
  if (claim == laneAhead(slab, city, car, 1)) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED || mayNotPass(slab, city, car, claim)) giveBack(slab, car, 0);
    else if (isIdle(slab, car)) giveBack(slab, car, load<u32>(slab + H_TICK) + IDLE_PAUSE_TICKS);
    return;
  }
  const leaving = claim == routeLane(city, car, getI(slab, C_ROUTE_INDEX, car) - 1);
  if (!leaving || getF(slab, C_STATION, car) > 0.5 * carLength(slab, car) + 0.5) giveBack(slab, car, 0);
}

/** `again`: the tick from which on the car may ask for another, 0 at once. */
function giveBack(slab: usize, car: i32, again: u32): void {
  setI(slab, C_CLAIM, car, -1);
  setI(slab, C_WAIT_TICK, car, again);
}

/** Whether a car stands before the junction and makes no use of its claim: others wait for it. */
function isIdle(slab: usize, car: i32): bool {
  const held = load<u32>(slab + H_TICK) - <u32>getI(slab, C_WAIT_TICK, car);
  return getF(slab, C_VX, car) < STOPPED_MPS && held > IDLE_CLAIM_TICKS;
}

/** Whether the light is not green and the car can still stop comfortably. */
function mayNotPass(slab: usize, city: usize, car: i32, connector: i32): bool {
  const light = load<i32>(laneAt(city, connector) + L_LIGHT);
  if (light < 0 || lightState(slab, city, light) == LIGHT_GREEN) return false;
  const speed = getF(slab, C_VX, car);
  return toLine(slab, city, car) > speed * REACTION_S + (speed * speed) / (2.0 * AMBER_DECEL);
}

/** The connector that a car asks for and could enter as far as light, sign and queue go, or −1. */
function ask(slab: usize, city: usize, car: i32): i32 {
  const lane = getI(slab, C_LANE, car);
  if (getI(slab, C_CLAIM, car) >= 0 || isConnector(city, lane) || getI(slab, C_STATUS, car) == STATUS_CRASHED) return -1;
  const speed = getF(slab, C_VX, car);
  const distance = toLine(slab, city, car);
  if (distance > (speed * speed) / (2.0 * LINE_DECEL) + speed + 6.0) return -1;
  if (<u32>getI(slab, C_WAIT_TICK, car) > load<u32>(slab + H_TICK)) return -1;
  const connector = laneAhead(slab, city, car, 1);
  const at = laneAt(city, connector);
  const light = load<i32>(at + L_LIGHT);
  if (light >= 0 && lightState(slab, city, light) != LIGHT_GREEN) return -1;
  if (load<i32>(at + L_MUST_STOP) != 0 && (speed > STOPPED_MPS || distance > STOPPED_AT_M)) return -1;
  if (!isFrontmost(slab, car, lane)) return -1;
  if (getI(slab, C_WAIT_TICK, car) == 0) setI(slab, C_WAIT_TICK, car, load<u32>(slab + H_TICK));
  if (!hasExitRoom(slab, city, car, connector)) return -1;
  return meetsClaim(slab, city, car, connector) ? -1 : connector;
}

/** Whether every car between this one and the stop line has its claim already. */
function isFrontmost(slab: usize, car: i32, lane: i32): bool {
  const station = getF(slab, C_STATION, car);
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car || getI(slab, C_LANE, other) != lane || getF(slab, C_STATION, other) <= station) continue;
    if (getI(slab, C_CLAIM, other) < 0) return false;
  }
  return true;
}

/** Whether the car, and those that enter the same lane before it, fit behind the junction. */
function hasExitRoom(slab: usize, city: usize, car: i32, connector: i32): bool {
  const exit = laneAhead(slab, city, car, 2);
  let needed = carLength(slab, car) + EXIT_MARGIN_M;
  let room = laneLength(city, exit);
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    const length = carLength(slab, other);
    if (getI(slab, C_LANE, other) == exit) {
      const rear = getF(slab, C_STATION, other) - 0.5 * length;
      if (getF(slab, C_VX, other) < EXIT_MOVING_MPS && rear < room) room = rear;
    } else if (getI(slab, C_CLAIM, other) == connector) {
      needed += length + EXIT_MARGIN_M;
    }
  }
  return room > needed;
}

/** Whether somebody holds a claim that conflicts with this connector. */
function meetsClaim(slab: usize, city: usize, car: i32, connector: i32): bool {
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    const claim = getI(slab, C_CLAIM, other);
    if (claim >= 0 && conflict(city, connector, claim)) return true;
  }
  return false;
}

function isFirst(slab: usize, city: usize, car: i32, connector: i32): bool {
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    const wanted = load<i32>(READY + (<usize>other << 2));
    if (wanted >= 0 && getI(slab, C_CLAIM, other) < 0 && conflict(city, connector, wanted) && precedes(slab, city, other, wanted, car, connector)) {
      return false;
    }
  }
  return true;
}

function precedes(slab: usize, city: usize, a: i32, connectorA: i32, b: i32, connectorB: i32): bool {
  const rankA = rankOf(slab, city, a, connectorA);
  const rankB = rankOf(slab, city, b, connectorB);
  if (rankA != rankB) return rankA > rankB;
  const sinceA = getI(slab, C_WAIT_TICK, a);
  const sinceB = getI(slab, C_WAIT_TICK, b);
  return sinceA != sinceB ? sinceA < sinceB : a < b;
}

function rankOf(slab: usize, city: usize, car: i32, connector: i32): i32 {
  const waited = load<u32>(slab + H_TICK) - <u32>getI(slab, C_WAIT_TICK, car);
  return waited > PATIENCE_TICKS ? i32.MAX_VALUE : load<i32>(laneAt(city, connector) + L_RANK);
}
