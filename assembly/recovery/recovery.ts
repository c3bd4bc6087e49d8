/**
 * Cars out of the traffic: wrecks, and cars that have lost their lane or cannot go on. Such a car is
 * pulled to the roadside if it is in anybody's way, taken away while nobody sees it, and put beside
 * its own route elsewhere, where nobody sees that either. From there it pulls out into a free lane.
 * One that does the same again and again waits there.
 */
import {
  CAR_COUNT,
  CRASH_ALIKE,
  C_ACCEL_WANTED,
  C_CRASH,
  C_DECLARED,
  C_EFFECTIVE,
  C_EMERGENCY,
  C_EVADE_OFFSET,
  C_EVADE_TICK,
  C_HALT_TICK,
  C_HX,
  C_HY,
  C_LANE,
  C_OFFSET,
  C_RETURNS,
  C_STALL_TICK,
  C_STATION,
  C_STATUS,
  C_STILL_TICK,
  C_TOW,
  C_TOW_TICK,
  C_X,
  C_Y,
  EVENT_TOWED,
  EVENT_WAITS,
  F_ALL,
  F_BRAKES,
  F_STEERING,
  F_THROTTLE,
  H_SEED,
  H_STRANDED,
  H_TICK,
  RS_HX,
  RS_HY,
  RS_X,
  RS_Y,
  STATUS_CRASHED,
  TOW_ASIDE,
  TOW_BACK,
  TOW_NONE,
  TOW_PARKED,
  TOW_PULLS_OUT,
} from '../layout';
import { findNearOf } from '../broad-phase';
import { tell } from '../consequences/raise';
import { isConnector, routeCount, routeLane } from '../lanes';
import { carsBeyond, carsWithout } from '../masks';
import { least } from '../math';
import { getF, getI, setF, setI } from '../memory';
import { OFF_LANE_M } from '../occupancy';
import { isPlainRoad } from '../plain-road';
import { draw, PURPOSE_RETURN, streamKey } from '../random';
import { CLEAR_TICKS, STOPPED_MPS } from '../thresholds';
import { placeOf, towOf, towWith } from '../tow';
import { isSeen } from '../view';
import { place } from '../world';
import { isWayToPlaceFree, pull, standAtPlace, wayToPlace } from './pull';
import { reset } from './reset';
import {
  firstPlaceOn,
  isFreePlace,
  laneOfPlace,
  outStation,
  placeCount,
  placeRecord,
  refugeCount,
  stationOfPlace,
} from './roadside';
import { hasRoom, speedOf } from './room';

/**
 * Offset from which a car has lost its lane, m. A standing car has lost it beyond OFF_LANE_M, and a
 * car has found it again within that.
 */
const LOST_M = 3.0;
/** A wreck that still rolls is cleared after so many ticks (20 s). */
const CLEAR_ROLLING_TICKS: u32 = 1000;
/** Interval between attempts, ticks. */
const RETRY_TICKS: u32 = 50;
/**
 * A car that stands for so many ticks (100 s, without throttle 40 s) and wanted to go for more than
 * so many of them (2 s) is out of the traffic.
 */
const STALL_TICKS: u32 = 5000;
const POWERLESS_TICKS: u32 = 2000;
const WANTS_TICKS: u32 = 100;
/** One that stands for so many (120 s) is out even if it does not want to go: a wreck may lie ahead. */
const HELD_UP_TICKS: u32 = 6000;
/** A car wants to go if it wants more than this acceleration, m/s². */
const GO_ACCEL = 0.3;
/** Distance to the roadside place to which a car is pulled, m; beside another lane only half of it. */
const PULL_M = 70.0;
/** After so many ticks (24 s) any place that is free will do. */
const REFUGE_TICKS: u32 = 1200;
/** Places that are tried in one attempt. */
const DRAWS = 6;
/** Half the length of a car that must not be seen, m. */
const HALF_LENGTH_M = 2.3;
/** A car returns at least this far from where it was taken away, m. */
const ELSEWHERE_M = 60.0;
/** A car that has pulled out drives no faster than this for the next seconds, m/s. */
const PULLED_OUT_MPS = 7.0;
/** How much longer it may wait for a gap, ticks (30 s). */
const HURRY_TICKS: u32 = 1500;
/** A car that is still pulling out after so many ticks (20 s) is held up. */
const PULL_OUT_TICKS: u32 = 1000;
/** How long a car waits that has crashed twice alike, ticks (60 s). */
const WAIT_TICKS: u32 = 3000;

/** Detects cars that have lost their lane or are stuck, and brings all that are out back again. */
export function recover(slab: usize, city: usize): void {
  const tick = load<u32>(slab + H_TICK);
  const isTurn = tick % RETRY_TICKS == 0;
  if (isTurn) {
    for (let car = 0; car < CAR_COUNT; car++) watchStall(slab, city, car, tick);
  }
  // Most cars are on their lanes. A car that halted has a tick, wreck or not.
  const cars = carsWithout(slab, C_HALT_TICK, 0) | carsBeyond(slab + C_OFFSET, <f32>OFF_LANE_M);
  for (let left = cars; left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    const since = <u32>getI(slab, C_HALT_TICK, car);
    const tow = towOf(slab, car);
    if (tow != TOW_NONE) {
      goOn(slab, city, car, tow, tick);
      continue;
    }
    if (getI(slab, C_STATUS, car) != STATUS_CRASHED && !watchLane(slab, car, tick, since)) continue;
    const waited = tick - since;
    if (waited < CLEAR_TICKS || waited % RETRY_TICKS != 0) continue;
    if (waited < CLEAR_ROLLING_TICKS && speedOf(slab, car) > STOPPED_MPS) continue;
    if (getI(slab, C_STATUS, car) != STATUS_CRASHED) strand(slab, city, car);
    leave(slab, city, car, waited);
  }
}

/**
 * Finds a car that stands although it wants to go. In a queue of such cars each waits for the next
 * one: the time of standing counts, not that of wanting. Cars that block each other are held by
 * their own brakes, for as long.
 */
function watchStall(slab: usize, city: usize, car: i32, tick: u32): void {
  if (speedOf(slab, car) > STOPPED_MPS || getI(slab, C_STATUS, car) == STATUS_CRASHED) {
    setI(slab, C_STILL_TICK, car, 0);
    setI(slab, C_STALL_TICK, car, 0);
    return;
  }
  if (getI(slab, C_STILL_TICK, car) == 0) setI(slab, C_STILL_TICK, car, tick);
  const stood = tick - <u32>getI(slab, C_STILL_TICK, car);
  const since = <u32>getI(slab, C_STALL_TICK, car);
  const isStalled = since != 0 && tick - since > WANTS_TICKS;
  const wants = getF(slab, C_ACCEL_WANTED, car) > GO_ACCEL;
  const isHeld = getF(slab, C_EMERGENCY, car) > 0.0;
  if (!isStalled) {
    if (!wants || isHeld) setI(slab, C_STALL_TICK, car, 0);
    else if (since == 0) setI(slab, C_STALL_TICK, car, tick);
    if ((!wants || !isHeld) && stood < HELD_UP_TICKS) return;
  }
  const isPowerless = (getI(slab, C_EFFECTIVE, car) & F_THROTTLE) == 0;
  const patience = isPowerless ? POWERLESS_TICKS : STALL_TICKS;
  if (stood < patience) return;
  // As if it had halted so long ago that it is cleared in this tick.
  setI(slab, C_HALT_TICK, car, tick - CLEAR_TICKS);
  strand(slab, city, car);
}

/**
 * Keeps the tick since which a driving car is off its lane and off its evasion path; true while it
 * is.
 */
function watchLane(slab: usize, car: i32, tick: u32, since: u32): bool {
  const offset = abs(getF(slab, C_OFFSET, car));
  const evades = getI(slab, C_EVADE_TICK, car) != 0;
  const away = evades
    ? least(offset, abs(getF(slab, C_OFFSET, car) - getF(slab, C_EVADE_OFFSET, car)))
    : offset;
  const isAway =
    away > LOST_M || (away > OFF_LANE_M && !evades && speedOf(slab, car) < STOPPED_MPS);
  if (since == 0 && isAway) setI(slab, C_HALT_TICK, car, tick);
  else if (since != 0 && away < OFF_LANE_M) setI(slab, C_HALT_TICK, car, 0);
  return since != 0 && away >= OFF_LANE_M;
}

/** Takes a car out of the traffic that has not crashed: others no longer count on it. */
function strand(slab: usize, city: usize, car: i32): void {
  setI(slab, C_STATUS, car, STATUS_CRASHED);
  store<u32>(slab + H_STRANDED, load<u32>(slab + H_STRANDED) | (1 << car));
  findNearOf(slab, city, car);
}

function begin(slab: usize, car: i32, tow: i32, roadside: i32): void {
  setI(slab, C_TOW, car, towWith(tow, roadside));
  setI(slab, C_TOW_TICK, car, load<u32>(slab + H_TICK));
}

/** A car that lies where it came to rest: taken away, or pulled aside first. */
function leave(slab: usize, city: usize, car: i32, waited: u32): void {
  if (takeAway(slab, city, car)) return;
  const aside = nearestPlace(slab, city, car, waited > REFUGE_TICKS);
  if (aside >= 0) begin(slab, car, TOW_ASIDE, aside);
}

/** The next step of a car that has one. */
function goOn(slab: usize, city: usize, car: i32, tow: i32, tick: u32): void {
  const begun = <u32>getI(slab, C_TOW_TICK, car);
  if (tow == TOW_ASIDE) {
    if (pull(slab, city, car)) begin(slab, car, TOW_PARKED, placeOf(slab, car));
    // Somebody stands in the way: another place may be free.
    else if (tick % RETRY_TICKS == 0 && speedOf(slab, car) == 0.0)
      leave(slab, city, car, tick - <u32>getI(slab, C_HALT_TICK, car));
    return;
  }
  if (tow == TOW_PULLS_OUT) {
    if (pull(slab, city, car)) driveOn(slab, city, car);
    // Somebody does not make way: nobody else is to pass it halfway out for long.
    else if ((tick - begun) % RETRY_TICKS == 0 && tick - begun > PULL_OUT_TICKS)
      leave(slab, city, car, tick - begun);
    return;
  }
  if ((tick - begun) % RETRY_TICKS != 0 || tick == begun) return;
  if (tow == TOW_PARKED) takeAway(slab, city, car);
  else if (!mustWait(slab, car, tick - begun)) pullOut(slab, city, car, tick - begun);
}

/** The nearest free place beside the road, or refuge, first of the own lane; −1 none. */
function nearestPlace(slab: usize, city: usize, car: i32, withRefuges: bool): i32 {
  const count = placeCount(city) + (withRefuges ? refugeCount(city) : 0);
  const ownLane = getI(slab, C_LANE, car);
  let best = -1;
  let nearest = PULL_M;
  for (let candidate = 0; candidate < count; candidate++) {
    let way = wayToPlace(slab, city, car, candidate);
    if (laneOfPlace(city, candidate) != ownLane) way *= 2.0;
    if (way >= nearest || !isFreePlace(slab, city, candidate, car)) continue;
    if (!isWayToPlaceFree(slab, city, car, candidate)) continue;
    best = candidate;
    nearest = way;
  }
  return best;
}

/** Puts a car beside its route elsewhere, unless somebody sees it leave or come. */
function takeAway(slab: usize, city: usize, car: i32): bool {
  const isWatched = isSeen(
    slab,
    city,
    getF(slab, C_X, car),
    getF(slab, C_Y, car),
    getF(slab, C_HX, car),
    getF(slab, C_HY, car),
    HALF_LENGTH_M,
    car,
  );
  if (isWatched) return false;
  const key = streamKey(load<u64>(slab + H_SEED), PURPOSE_RETURN, <u64>car);
  const returns = getI(slab, C_RETURNS, car);
  const attempt = load<u32>(slab + H_TICK) / RETRY_TICKS;
  for (let n = 0; n < DRAWS; n++) {
    const number = draw(key, ((<u64>returns) << 32) | <u64>(attempt * DRAWS + n));
    const found = drawPlace(slab, city, car, number);
    if (found < 0) continue;
    tell(slab, EVENT_TOWED, car, 0, -1, -1, 0);
    setI(slab, C_RETURNS, car, returns + 1);
    putBeside(slab, city, car, drawPosition(city, car, number), found);
    return true;
  }
  return false;
}

/** The position in the car's route that a random number chooses. */
@inline function drawPosition(city: usize, car: i32, number: u64): i32 {
  return <i32>((number >> 8) % <u64>routeCount(city, car));
}

/** A free and unseen place beside the lane at that position, −1 none. */
function drawPlace(slab: usize, city: usize, car: i32, number: u64): i32 {
  const lane = routeLane(city, car, drawPosition(city, car, number));
  if (isConnector(city, lane)) return -1;
  const first = firstPlaceOn(city, lane);
  let count = 0;
  while (first + count < placeCount(city) && laneOfPlace(city, first + count) == lane) count++;
  if (count == 0) return -1;
  const chosen = first + <i32>((number >> 40) % <u64>count);
  const record = placeRecord(city, chosen);
  if (wayToPlace(slab, city, car, chosen) < ELSEWHERE_M) return -1;
  if (!isFreePlace(slab, city, chosen, car)) return -1;
  if (!isPlainRoad(city, lane, stationOfPlace(city, chosen), PULLED_OUT_MPS)) return -1;
  const isWatched = isSeen(
    slab,
    city,
    <f64>load<f32>(record + RS_X),
    <f64>load<f32>(record + RS_Y),
    <f64>load<f32>(record + RS_HX),
    <f64>load<f32>(record + RS_HY),
    HALF_LENGTH_M,
    car,
  );
  return isWatched ? -1 : chosen;
}

/** Stands a car at the roadside beside a lane of its route. */
function putBeside(slab: usize, city: usize, car: i32, position: i32, roadside: i32): void {
  place(slab, city, car, position, stationOfPlace(city, roadside));
  reset(slab, car);
  setI(slab, C_STATUS, car, STATUS_CRASHED);
  setI(slab, C_HALT_TICK, car, load<u32>(slab + H_TICK));
  begin(slab, car, TOW_BACK, roadside);
  standAtPlace(slab, city, car);
  findNearOf(slab, city, car);
  if (mustWait(slab, car, 0)) tell(slab, EVENT_WAITS, car, reasonToWait(slab, car), -1, -1, 0);
}

/**
 * Whether a car stays at the roadside: without throttle it cannot drive off; after two crashes alike
 * it waits until something was switched on, but not for ever.
 */
function mustWait(slab: usize, car: i32, waited: u32): bool {
  if ((getI(slab, C_EFFECTIVE, car) & F_THROTTLE) == 0) return true;
  const crash = getI(slab, C_CRASH, car);
  if ((crash & CRASH_ALIKE) == 0 || waited >= WAIT_TICKS) return false;
  return (getI(slab, C_DECLARED, car) & ~crash & F_ALL) == 0;
}

/** The first feature that is off: actuators come first. */
function reasonToWait(slab: usize, car: i32): i32 {
  const off = ~getI(slab, C_DECLARED, car) & F_ALL;
  if ((off & F_THROTTLE) != 0) return F_THROTTLE;
  if ((off & F_BRAKES) != 0) return F_BRAKES;
  if ((off & F_STEERING) != 0) return F_STEERING;
  return off & -off;
}

/**
 * Begins to pull out if the lane is free and approaching cars can stop. Where that takes too long
 * the car is put elsewhere.
 */
function pullOut(slab: usize, city: usize, car: i32, waited: u32): void {
  const roadside = placeOf(slab, car);
  const lane = laneOfPlace(city, roadside);
  if (hasRoom(slab, city, car, lane, outStation(city, roadside)))
    begin(slab, car, TOW_PULLS_OUT, roadside);
  else if (waited > HURRY_TICKS && takeAway(slab, city, car))
    // It has waited for long enough.
    setI(slab, C_CRASH, car, getI(slab, C_CRASH, car) & ~CRASH_ALIKE);
}

/** The car is in its lane again, undamaged and standing. */
function driveOn(slab: usize, city: usize, car: i32): void {
  setF(slab, C_STATION, car, outStation(city, placeOf(slab, car)));
  reset(slab, car);
  findNearOf(slab, city, car);
}
