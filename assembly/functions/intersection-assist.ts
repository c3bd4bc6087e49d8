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
import { carsWithout, carsWithTargets } from '../masks';
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
 * Intersection assist: watches crossing traffic at junctions. Right of way covers cars that behave
 * as expected; this function covers cars that do not wait when they should, and objects that are no
 * cars of the fleet.
 */

/** Distance before the line from which a car watches the junction, m. */
const WATCH_M = 60.0;
/**
 * Without the function a car rolls over yield lines at this speed, m/s, with this deceleration,
 * m/s².
 */
const ROLL_MPS = 5.0;
const ROLL_DECEL = 2.0;
/** Delay of its pedals, s. */
const ROLL_AHEAD_S = 0.8;
/** Time margins to crossing traffic, s: for yielding, for emergency braking, and for a stop. */
const YIELD_MARGIN_S = 1.0;
const EMERGENCY_MARGIN_S = 0.3;
const STOP_MARGIN_S = 0.5;
/**
 * An object that went out of sight is assumed to continue until it is this long past, s. The time
 * is stored in scans of 0.08 s, at most SCANS_MAX.
 */
const PAST_S = 0.5;
const SCANS_PER_S = <f64>TICKS_PER_S / <f64>FRAME_TICKS;
const SCANS_MAX = 75.0;
/** Crossing traffic that arrives later than this is no reason to wait, s. */
const HORIZON_S = 4.0;
/** Acceleration of a car that starts, m/s². */
const LAUNCH_ACCEL = 1.8;
/**
 * Emergency braking begins if the distance to the zone is v² ÷ (2·6) plus the way during build-up,
 * s.
 */
const EMERGENCY_DECEL = 6.0;
const BUILD_UP_S = 0.45;
/** Emergency deceleration on a dry road, m/s². */
const FULL_DECEL = 9.3;
/** Mean of that deceleration, m/s², after dead time and half of the build-up, s. */
const STOP_DECEL = 8.7;
const STOP_LAG_S = 0.25;
/**
 * Zones are wider than the bodies: a car that stands so far inside one is still clear of traffic,
 * m.
 */
const CLEAR_OF_M = 1.0;

/** f64[CAR_COUNT] m, from the front bumper to the nearest crossing, −1 none */
const EDGE: usize = CROSSINGS;
const OBJECT: usize = EDGE + CAR_COUNT * 8; // i32[CAR_COUNT], object that crosses there
const SEEN: usize = OBJECT + CAR_COUNT * 4; // i32[CAR_COUNT] SEEN_, sensors that have confirmed it
const URGENT: usize = SEEN + CAR_COUNT * 4; // i32[CAR_COUNT], 1 if the brakes must act now

/** Whether a car has intersection assist. */
@inline export function hasAssist(slab: usize, car: i32): bool {
  return (getI(slab, C_EFFECTIVE, car) & F_INTERSECTION_ASSIST) != 0;
}

/** Credits the features by which a car waits for traffic that it has seen. */
@inline export function creditWaiting(slab: usize, car: i32): void {
  credit(slab, car, F_INTERSECTION_ASSIST | F_CORNER_RADARS | F_BRAKES);
}

/** Speed limit towards the line, m/s: without the function a car rolls over yield lines. */
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

/**
 * Distance from a car's front bumper to the crossing at which it yields, m; −1 if there is none.
 */
@inline export function crossingDistance(car: i32): f64 {
  return load<f64>(EDGE + ((<usize>car) << 3));
}

/** Finds what crosses the path of each car, among the targets that its sensors have confirmed. */
export function watchCrossings(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    store<f64>(EDGE + ((<usize>car) << 3), -1.0);
    store<i32>(URGENT + ((<usize>car) << 2), 0);
  }
  const cars = carsWithTargets() | carsWithout(slab, C_CROSSING, 0);
  for (let left = cars; left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    const count = targetCount(car);
    const lost = getI(slab, C_CROSSING, car);
    setI(slab, C_CROSSING, car, 0);
    if (!hasAssist(slab, car) || getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    const isInside = isConnector(city, getI(slab, C_LANE, car));
    if (!isInside && lineDistance(car) > WATCH_M) continue;
    for (let i = 0; i < count; i++) watch(slab, city, car, isInside, targetRecord(car, i));
    if (lost != 0 && crossingDistance(car) < 0.0) recall(slab, city, car, lost);
  }
}

/** Distance from a car's front bumper to the start of its present or next connector, m. */
function toConnector(slab: usize, city: usize, car: i32): f64 {
  if (!isConnector(city, getI(slab, C_LANE, car))) return lineDistance(car);
  return -getF(slab, C_STATION, car) - noseOf(slab, car);
}

/** Keeps yielding to an object that went out of sight until it will have passed. */
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
  if (isInside(slab, car, speed, begins)) return;
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

/**
 * Notes the object to which the car yields, where, and for how many scans if it goes out of sight.
 */
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
  // A car that had to stop inside a junction does not creep forward: others pass close by.
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

/**
 * Whether a car is so far inside a zone that it only leaves it. One that hardly moves may still stand at the
 * edge, or clear of the path, and one that brakes in full may come to stand there. `begins`: where the zone
 * begins, m from its front bumper.
 */
function isInside(slab: usize, car: i32, speed: f64, begins: f64): bool {
  if (begins > 0.0) return false;
  if (speed < KEEPING_UP_MPS) return load<i32>(STANDS_CLEAR) == 0 && begins <= -CLEAR_OF_M;
  if (getI(slab, C_ASSIST_STAGE, car) != AEB_FULL) return true;
  return begins + CLEAR_OF_M <= (speed * speed) / (2.0 * STOP_DECEL);
}

/**
 * Whether a car that hardly moves in a zone may have to stay: objects outside the fleet stop for
 * it.
 */
@inline function mayStayIn(speed: f64, target: usize): bool {
  return speed < KEEPING_UP_MPS && targetI(target, TG_OBJECT) >= CAR_COUNT;
}

/** Speed at which a car drives over a connector, m/s. */
function paceOver(slab: usize, city: usize, car: i32, connector: i32): f64 {
  const wanted =
    load<f64>(laneRecord(city, connector) + L_SPEED_LIMIT) * getF(slab, C_SPEED_FACTOR, car);
  return greatest(least(middleSpeed(city, connector), wanted), 1.0);
}

/** Time until a car that starts, or drives on, has covered `ahead` m, s. */
function soonestAt(slab: usize, car: i32, ahead: f64, pace: f64): f64 {
  const accel = least(LAUNCH_ACCEL, getF(slab, C_ACCEL_COMFORT, car));
  return timeToCover(ahead, greatest(getF(slab, C_VX, car), 0.0), pace, accel);
}

/** Keeps the nearest conflict in which both would be in the zone at the same time. */
function weigh(slab: usize, city: usize, car: i32, connector: i32, base: f64, target: usize): void {
  const begins = load<f64>(ZONE_FROM);
  const to = load<f64>(ZONE_TO);
  const speed = getF(slab, C_VX, car);
  const isIn = isInside(slab, car, speed, begins);
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
    // A car that would stop inside the zone, or only just before it, should rather clear it.
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

/** Whether only hard braking still stops the car before a zone `ahead` m away. */
@inline function isLate(speed: f64, ahead: f64): bool {
  return speed >= WAITING_MPS && ahead / speed <= speed / (2.0 * EMERGENCY_DECEL) + BUILD_UP_S;
}

/** Whether full braking from now on stops the car before a zone `ahead` m away. */
@inline function canStay(speed: f64, ahead: f64): bool {
  return ahead + CLEAR_OF_M > (speed * speed) / (2.0 * STOP_DECEL) + STOP_LAG_S * speed;
}

/** Brakes for urgent crossings, and announces when the car begins to yield. */
export function brakeAtCrossing(slab: usize, car: i32): void {
  const place = (<usize>car) << 2;
  const before = getI(slab, C_ASSIST_STAGE, car);
  if (crossingDistance(car) < 0.0) {
    if (before != AEB_NONE) setI(slab, C_ASSIST_STAGE, car, AEB_NONE);
    return;
  }
  const goesOn = before == AEB_FULL && getF(slab, C_VX, car) > WAITING_MPS;
  const seen = load<i32>(SEEN + place);
  // A driver waits for traffic that it sees; for what only the corner radars see, the function
  // waits.
  let stage = seen & SEEN_CORNERS ? AEB_WARN : AEB_NONE;
  if (load<i32>(URGENT + place) != 0 || goesOn) stage = AEB_FULL;
  setI(slab, C_ASSIST_STAGE, car, stage);
  if (stage == AEB_FULL) demand(slab, car, FULL_DECEL);
  credit(slab, car, F_INTERSECTION_ASSIST | F_BRAKES | featuresOf(seen));
  if (stage > before) announce(slab, car, F_INTERSECTION_ASSIST, load<i32>(OBJECT + place));
}
