import {
  AEB_FULL,
  AEB_NONE,
  AEB_WARN,
  CAR_COUNT,
  CROSSINGS,
  C_ACCEL_COMFORT,
  C_ASSIST_STAGE,
  C_CROSSING,
  C_CROSSING_STATION,
  C_EFFECTIVE,
  C_LANE,
  C_SPEED_FACTOR,
  C_STATION,
  C_STATUS,
  C_VX,
  FRAME_TICKS,
  F_BRAKES,
  F_CORNER_RADARS,
  F_INTERSECTION_ASSIST,
  L_LIGHT,
  L_MUST_STOP,
  L_SPEED_LIMIT,
  L_YIELDS,
  SEEN_CORNERS,
  STATUS_CRASHED,
  TG_OBJECT,
  TG_SENSORS,
  TG_VX,
  TG_VY,
  TICKS_PER_S,
} from '../layout';
import { connectorAhead, lineDistance } from '../approaches';
import { noseOf } from '../body';
import { middleSpeed } from '../gaps';
import { isConnector, laneRecord } from '../lanes';
import { greatest, least, timeToCover } from '../math';
import { getF, getI, setI } from '../memory';
import { targetRecord, targetCount, targetF, targetI } from '../targets';
import { DRIVER_DECEL_MAX, MOVING_MPS, WAITING_MPS } from '../thresholds';
import {
  bodyCrosses,
  carCrosses,
  KEEPING_UP_MPS,
  STANDS_CLEAR,
  TIME_FROM,
  TIME_TO,
  ZONE_FROM,
  ZONE_TO,
} from './crossing-zones';
import { announce, credit, demand, featuresOf } from './intervention';

/**
 * Looks out for whatever crosses at junctions. What others may be expected to do, right of way
 * settles; this is for those that nobody expects: who drives on where it should wait, and what is no
 * car of the fleet.
 */

/** From so far before its line on a car looks, m. */
const WATCH_M = 60.0;
/** Where a car looks after nothing it rolls over lines at which it should give way, m/s, and slows down by so much before, m/s². */
const ROLL_MPS = 5.0;
const ROLL_DECEL = 2.0;
/** Its pedals follow so late, s. */
const ROLL_AHEAD_S = 0.8;
/** Room in time to what crosses: what gives way keeps the one, what brakes in an emergency the other, s. */
const YIELD_MARGIN_S = 1.0;
const EMERGENCY_MARGIN_S = 0.3;
const STOP_MARGIN_S = 0.5;
/** What went out of sight is taken to go on as it did, until it is so long past, s, as looks of 0.08 s, at most so many. */
const PAST_S = 0.5;
const SCANS_PER_S = <f64>TICKS_PER_S / <f64>FRAME_TICKS;
const SCANS_MAX = 75.0;
/** What only comes after so long is no reason to wait, s. */
const HORIZON_S = 4.0;
/** How a car moves off, m/s². */
const LAUNCH_ACCEL = 1.8;
/** Emergency braking begins where the way to the zone is v² ÷ 2·6 and what build-up and latency take, s. */
const EMERGENCY_DECEL = 6.0;
const BUILD_UP_S = 0.45;
/** It is then as strong as a dry road allows, m/s². */
const FULL_DECEL = 9.3;
/** What it then comes to on average, m/s², once dead time and half of the build-up are over, s. */
const STOP_DECEL = 8.7;
const STOP_LAG_S = 0.25;
/** Zones begin so long before two bodies touch that a car which stands so far in one is still clear of who passes, m. */
const CLEAR_OF_M = 1.0;

const EDGE: usize = CROSSINGS; // f64[CAR_COUNT] m, from the front bumper to where the nearest crosses, −1 nothing does
const OBJECT: usize = EDGE + CAR_COUNT * 8; // i32[CAR_COUNT], what it is
const SEEN: usize = OBJECT + CAR_COUNT * 4; // i32[CAR_COUNT] SEEN_, by what it was confirmed
const URGENT: usize = SEEN + CAR_COUNT * 4; // i32[CAR_COUNT], 1 where the brakes must act now

/** Whether a car looks out for traffic that crosses or goes first. */
@inline export function hasAssist(slab: usize, car: i32): bool {
  return (getI(slab, C_EFFECTIVE, car) & F_INTERSECTION_ASSIST) != 0;
}

/** Notes that a car waits for somebody whom it saw. */
@inline export function creditWaiting(slab: usize, car: i32): void {
  credit(slab, car, F_INTERSECTION_ASSIST | F_CORNER_RADARS | F_BRAKES);
}

/** Speed at which a car drives towards its line, m/s: one that does not look out rolls over those where it should give way. */
export function rollingSpeed(slab: usize, city: usize, car: i32): f64 {
  if (hasAssist(slab, car) || isConnector(city, getI(slab, C_LANE, car))) return Infinity;
  const record = laneRecord(city, connectorAhead(car));
  if (
    load<u32>(record + L_YIELDS) == 0 ||
    load<i32>(record + L_LIGHT) >= 0 ||
    load<i32>(record + L_MUST_STOP) != 0
  )
    return Infinity;
  const left = lineDistance(car) - getF(slab, C_VX, car) * ROLL_AHEAD_S;
  return sqrt(ROLL_MPS * ROLL_MPS + 2.0 * ROLL_DECEL * greatest(left, 0.0));
}

/** Distance from a car's front bumper to where something crosses that it gives way to, m, −1 where nothing does. */
@inline export function crossingDistance(car: i32): f64 {
  return load<f64>(EDGE + ((<usize>car) << 3));
}

/** Finds what crosses the way of each car, among what its sensors have confirmed. */
export function watchCrossings(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    store<f64>(EDGE + ((<usize>car) << 3), -1.0);
    store<i32>(URGENT + ((<usize>car) << 2), 0);
    const count = targetCount(car);
    const lost = getI(slab, C_CROSSING, car);
    if ((count | lost) == 0) continue;
    setI(slab, C_CROSSING, car, 0);
    if (!hasAssist(slab, car) || getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    const isInside = isConnector(city, getI(slab, C_LANE, car));
    if (!isInside && lineDistance(car) > WATCH_M) continue;
    for (let i = 0; i < count; i++) watch(slab, city, car, isInside, targetRecord(car, i));
    if (lost != 0 && crossingDistance(car) < 0.0) recall(slab, city, car, lost);
  }
}

/** m from a car's front bumper to the start of the connector that it is on or comes to. */
function toConnector(slab: usize, city: usize, car: i32): f64 {
  if (!isConnector(city, getI(slab, C_LANE, car))) return lineDistance(car);
  return -getF(slab, C_STATION, car) - noseOf(slab, car);
}

/** Keeps giving way to what is seen no longer, by a corner or because the car has turned, until it will be past. */
function recall(slab: usize, city: usize, car: i32, lost: i32): void {
  const object = lost & 255;
  const scans = (lost >> 16) - 1;
  if (scans == 0) return;
  const count = targetCount(car);
  for (let i = 0; i < count; i++) {
    if (targetI(targetRecord(car, i), TG_OBJECT) == object) return;
  }
  const record = <f64>load<f32>(slab + C_CROSSING_STATION + ((<usize>car) << 2));
  const begins = toConnector(slab, city, car) + record;
  const speed = getF(slab, C_VX, car);
  store<i32>(STANDS_CLEAR, 0);
  if (begins <= insideEdge(speed)) return;
  const connector = isConnector(city, getI(slab, C_LANE, car))
    ? getI(slab, C_LANE, car)
    : connectorAhead(car);
  const past = <f64>scans * (1.0 / SCANS_PER_S) - PAST_S;
  if (
    past + YIELD_MARGIN_S <
    soonestAt(slab, car, greatest(begins, 0.0), paceOver(slab, city, car, connector))
  )
    return;
  const isUrgent = isLate(speed, greatest(begins, 0.0)) && canStay(speed, begins);
  keep(
    slab,
    car,
    isConnector(city, getI(slab, C_LANE, car)),
    begins,
    record,
    object,
    (lost >> 8) & 255,
    scans,
    isUrgent,
  );
}

/** Notes what the car gives way to, where, and for how many looks if it goes out of sight. */
function keep(
  slab: usize,
  car: i32,
  isInside: bool,
  begins: f64,
  record: f64,
  object: i32,
  seen: i32,
  scans: i32,
  isUrgent: bool,
): void {
  const place = <usize>car;
  // Who had to stop in a junction does not creep up to what it waits for: others pass close by.
  const stands = isInside && getF(slab, C_VX, car) < WAITING_MPS;
  store<f64>(EDGE + (place << 3), stands ? 0.0 : greatest(begins, 0.0));
  store<i32>(OBJECT + (place << 2), object);
  store<i32>(SEEN + (place << 2), seen);
  if (isUrgent) store<i32>(URGENT + (place << 2), 1);
  setI(slab, C_CROSSING, car, object | (seen << 8) | (scans << 16));
  store<f32>(slab + C_CROSSING_STATION + (place << 2), <f32>record);
}

function watch(slab: usize, city: usize, car: i32, isInside: bool, target: usize): void {
  const vx = targetF(target, TG_VX);
  const vy = targetF(target, TG_VY);
  if (targetI(target, TG_SENSORS) == 0 || vx * vx + vy * vy < MOVING_MPS * MOVING_MPS) return;
  const connector = isInside ? getI(slab, C_LANE, car) : connectorAhead(car);
  const base = toConnector(slab, city, car);
  const speed = sqrt(vx * vx + vy * vy);
  const other = targetI(target, TG_OBJECT);
  const crosses =
    other < CAR_COUNT
      ? carCrosses(slab, city, car, connector, base, other, speed)
      : bodyCrosses(slab, city, car, connector, base, target, speed);
  if (crosses) weigh(slab, city, car, connector, base, target);
}

/** Who is in a zone, m from the front bumper, already only gets out of it, unless it as good as stands at its edge or clear of it. */
@inline function insideEdge(speed: f64): f64 {
  if (speed >= KEEPING_UP_MPS) return 0.0;
  return load<i32>(STANDS_CLEAR) != 0 ? -Infinity : -CLEAR_OF_M;
}

/** Whether a car that as good as stands in a zone may have to stay there: what is no car of the fleet stops for who stands. */
@inline function mayStayIn(speed: f64, target: usize): bool {
  return speed < KEEPING_UP_MPS && targetI(target, TG_OBJECT) >= CAR_COUNT;
}

/** Speed at which a car drives over a connector, m/s. */
function paceOver(slab: usize, city: usize, car: i32, connector: i32): f64 {
  const wanted =
    load<f64>(laneRecord(city, connector) + L_SPEED_LIMIT) * getF(slab, C_SPEED_FACTOR, car);
  return greatest(least(middleSpeed(city, connector), wanted), 1.0);
}

/** When a car that starts, or goes on, at once is so far ahead, s. */
function soonestAt(slab: usize, car: i32, ahead: f64, pace: f64): f64 {
  const accel = least(LAUNCH_ACCEL, getF(slab, C_ACCEL_COMFORT, car));
  return timeToCover(ahead, greatest(getF(slab, C_VX, car), 0.0), pace, accel);
}

/** Keeps what the car must give way to where both would be in the zone at once, the nearest of them. */
function weigh(slab: usize, city: usize, car: i32, connector: i32, base: f64, target: usize): void {
  const begins = load<f64>(ZONE_FROM);
  const to = load<f64>(ZONE_TO);
  const speed = getF(slab, C_VX, car);
  const isIn = begins <= insideEdge(speed);
  if (to <= 0.0 || (isIn && !mayStayIn(speed, target))) return;
  const from = greatest(begins, 0.0);
  const theirsFrom = load<f64>(TIME_FROM);
  const theirsTo = load<f64>(TIME_TO);
  if (theirsTo < 0.0 || theirsFrom > HORIZON_S) return;
  const pace = paceOver(slab, city, car, connector);
  const soonest = soonestAt(slab, car, from, pace);
  const latest = speed > pace ? to / pace : soonestAt(slab, car, to, pace);
  if (
    theirsFrom - (isIn ? EMERGENCY_MARGIN_S : YIELD_MARGIN_S) > latest ||
    theirsTo + YIELD_MARGIN_S < soonest
  )
    return;
  let isUrgent = false;
  if (!isIn && isLate(speed, from)) {
    const stays = canStay(speed, begins);
    const steadyTo = least(latest, to / speed);
    // Who would stop in the zone had better be through it, and so had who would only just stop before it.
    const spare = stays ? STOP_MARGIN_S : 0.0;
    isUrgent = theirsFrom - spare <= steadyTo && theirsTo + EMERGENCY_MARGIN_S >= from / speed;
    if (!isUrgent && (!stays || speed * speed > 2.0 * DRIVER_DECEL_MAX * from)) return;
  }
  const known = crossingDistance(car);
  if (known >= 0.0 && from >= known && !isUrgent) return;
  const scans = <i32>least((theirsTo + PAST_S) * SCANS_PER_S + 1.0, SCANS_MAX);
  const isInside = isConnector(city, getI(slab, C_LANE, car));
  keep(
    slab,
    car,
    isInside,
    begins,
    begins - base,
    targetI(target, TG_OBJECT),
    targetI(target, TG_SENSORS),
    scans,
    isUrgent,
  );
}

/** Whether only hard braking still ends before a zone that begins so far ahead. */
@inline function isLate(speed: f64, ahead: f64): bool {
  return speed >= WAITING_MPS && ahead / speed <= speed / (2.0 * EMERGENCY_DECEL) + BUILD_UP_S;
}

/** Whether full braking ends, from now on, before a zone that begins so far ahead. */
@inline function canStay(speed: f64, ahead: f64): bool {
  return ahead + CLEAR_OF_M > (speed * speed) / (2.0 * STOP_DECEL) + STOP_LAG_S * speed;
}

/** Brakes for what crosses where that cannot wait, and tells when the car first gives way to it. */
export function brakeAtCrossing(slab: usize, car: i32): void {
  const place = (<usize>car) << 2;
  const before = getI(slab, C_ASSIST_STAGE, car);
  if (crossingDistance(car) < 0.0) {
    if (before != AEB_NONE) setI(slab, C_ASSIST_STAGE, car, AEB_NONE);
    return;
  }
  const goesOn = before == AEB_FULL && getF(slab, C_VX, car) > WAITING_MPS;
  const seen = load<i32>(SEEN + place);
  // A driver would wait for what it sees ahead; the function is what waits for what the corner radars see.
  let stage = seen & SEEN_CORNERS ? AEB_WARN : AEB_NONE;
  if (load<i32>(URGENT + place) != 0 || goesOn) stage = AEB_FULL;
  setI(slab, C_ASSIST_STAGE, car, stage);
  if (stage == AEB_FULL) demand(slab, car, FULL_DECEL);
  credit(slab, car, F_INTERSECTION_ASSIST | F_BRAKES | featuresOf(seen));
  if (stage > before) announce(slab, car, F_INTERSECTION_ASSIST, load<i32>(OBJECT + place));
}
