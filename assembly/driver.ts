import {
  C_ACCEL_COMFORT,
  C_ACCEL_WANTED,
  C_ACTED,
  C_DECEL_COMFORT,
  C_GAP,
  C_HALT_TICK,
  C_HEADWAY,
  C_LANE,
  C_LEAD_SPEED,
  C_SPEED_FACTOR,
  C_STANDSTILL_GAP,
  C_STATION,
  C_STATUS,
  C_VX,
  F_BRAKES,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  H_TICK,
  L_SPEED_LIMIT,
  PT_SPEED,
  SEEN_CAMERA,
  SEEN_RADAR,
  STATUS_CRASHED,
} from './layout';
import { crossingDistance, rollingSpeed } from './functions/intersection-assist';
import { along, exitSpeed, laneAhead, laneRecord, laneLength, pointAt, shareAt } from './lanes';
import { leadAccel, leadSensors } from './leader';
import { carsWithout } from './masks';
import { choose, clamp, greatest, least } from './math';
import { getF, getI, setF, setI } from './memory';
import { bitsLess, QUAD_ROW, splat } from './quad';
import { stopDistance } from './right-of-way';
import { DRIVER_DECEL_MAX, WAITING_MPS } from './thresholds';

/** Comfort limit, and the acceleration with which drivers keep up, m/s². */
const ACCEL_MAX = 2.0;
/** Deceleration of a car that coasts, m/s². */
const COASTING = 0.5;
/** A driver keeps up with a leader that drives up to this gap, m, at up to this share of the speed limit. */
const KEEP_UP_M = 50.0;
const KEEP_UP_SHARE = 1.02;
/** Time for which the driver expects a leader to drive away or to brake hard, s. */
const FORESIGHT_S = 1.5;
/** No bend requires harder braking, m/s². */
const BEND_DECEL_MAX = 2.0;
/** Time within which the driver adapts to a lower speed ahead, s. */
const PROFILE_S = 0.6;
/** Deceleration towards slower lanes ahead, m/s². */
const CURVE_DECEL = 1.5;
/** Distance that the delay of the brakes adds to a stop, m. */
const STOPPING_LAG_M = 0.7;
/** Distance between the front bumper and the stop line after a stop, m. */
const LINE_GAP_M = 1.0;
/** A car that has lost its lane for so many ticks stops (minimal risk manoeuvre). */
const LOST_TICKS: u32 = 150;

/**
 * Decides the acceleration that each driver wants: first on a free road, then behind a leader, then
 * before lines, so that each loop does the same for all of its cars.
 */
export function decide(slab: usize, city: usize): void {
  const driven = carsWithout(slab, C_STATUS, STATUS_CRASHED);
  const lost = driven & carsLost(slab);
  const cars = driven & ~lost;
  for (let left = cars; left != 0; left &= left - 1) driveFreely(slab, city, <i32>ctz(left));
  const alone = ASC_FEATURE_SIMD ? carsAlone<v128>(slab) : carsAlone<f32>(slab);
  for (let left = cars & ~alone; left != 0; left &= left - 1) keepDistance(slab, <i32>ctz(left));
  for (let left = cars; left != 0; left &= left - 1) heedLines(slab, city, <i32>ctz(left));
  for (let left = lost; left != 0; left &= left - 1)
    setF(slab, C_ACCEL_WANTED, <i32>ctz(left), -DRIVER_DECEL_MAX);
}

/** Mask of the cars that have lost their lane for so long that they stop. */
function carsLost(slab: usize): u32 {
  let lost: u32 = 0;
  for (let left = carsWithout(slab, C_HALT_TICK, 0); left != 0; left &= left - 1) {
    const since = <u32>getI(slab, C_HALT_TICK, <i32>ctz(left));
    if (load<u32>(slab + H_TICK) - since > LOST_TICKS) lost |= left & -left;
  }
  return lost;
}

/** Mask of the cars without a leader. */
@inline function carsAlone<T>(slab: usize): u32 {
  let alone: u32 = 0;
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>())
    alone |= bitsLess<T>(load<T>(slab + place, C_GAP), splat<T>(0.0)) << (<u32>(place >> 2));
  return alone;
}

/** Wants what road and pace allow; a car keeps up with a leader that drives. */
function driveFreely(slab: usize, city: usize, car: i32): void {
  const speed = getF(slab, C_VX, car);
  const limit = load<f64>(laneRecord(city, getI(slab, C_LANE, car)) + L_SPEED_LIMIT);
  const gap = getF(slab, C_GAP, car);
  const isNear = <i32>(gap >= 0.0) & <i32>(gap < KEEP_UP_M);
  const keepsUp = (isNear & <i32>(getF(slab, C_LEAD_SPEED, car) > WAITING_MPS)) != 0;
  const free = freeAccel(
    choose(keepsUp, ACCEL_MAX, getF(slab, C_ACCEL_COMFORT, car)),
    speed,
    limit * choose(keepsUp, KEEP_UP_SHARE, getF(slab, C_SPEED_FACTOR, car)),
  );
  const bends = (speedAhead(slab, city, car, speed * PROFILE_S) - speed) * (1.0 / PROFILE_S);
  setF(slab, C_ACCEL_WANTED, car, least(free, bends));
}

/** Wants no more than the gap to the leader allows. */
function keepDistance(slab: usize, car: i32): void {
  const accel = getF(slab, C_ACCEL_WANTED, car);
  const follow = leaderAccel(slab, car, getF(slab, C_VX, car), getF(slab, C_GAP, car));
  if (follow < accel) noteFollowing(slab, car, follow);
  setF(slab, C_ACCEL_WANTED, car, least(accel, follow));
}

/** Wants no more than allows the car to stop where it has to. */
function heedLines(slab: usize, city: usize, car: i32): void {
  const speed = getF(slab, C_VX, car);
  let accel = getF(slab, C_ACCEL_WANTED, car);
  const line = stopDistance(slab, city, car);
  if (line >= 0.0) accel = least(accel, followAccel(slab, car, speed, 0.0, line, LINE_GAP_M));
  const crossing = crossingDistance(car);
  if (crossing >= 0.0)
    accel = least(accel, followAccel(slab, car, speed, 0.0, crossing, LINE_GAP_M));
  accel = least(accel, (rollingSpeed(slab, city, car) - speed) * (1.0 / PROFILE_S));
  setF(slab, C_ACCEL_WANTED, car, clamp(accel, -DRIVER_DECEL_MAX, ACCEL_MAX));
}

/**
 * Credits the sensors that measure the leader, and the brakes if the driver uses them because of
 * it.
 */
function noteFollowing(slab: usize, car: i32, accel: f64): void {
  const sensors = leadSensors(slab, car);
  let acted = 0;
  if (sensors & SEEN_CAMERA) acted |= F_FRONT_CAMERA;
  if (sensors & SEEN_RADAR) acted |= F_FRONT_RADAR;
  if (accel < -COASTING) acted |= F_BRAKES;
  setI(slab, C_ACTED, car, getI(slab, C_ACTED, car) | acted);
}

/** Intelligent driver model (Treiber, Hennecke, Helbing 2000): acceleration on a free road. */
@inline export function freeAccel(comfort: f64, speed: f64, wanted: f64): f64 {
  const ratio = speed / greatest(wanted, 0.5);
  const squared = ratio * ratio;
  // Above the wanted speed the fourth power would brake harder.
  return greatest(comfort * (1.0 - squared * squared), -BEND_DECEL_MAX);
}

/**
 * Acceleration behind the leader. If the leader drives away, the driver expects the gap to open and
 * keeps up: both cars pass the same bends at the same speeds, so the time that a follower loses at a
 * start or in a bend stays lost until the next stop.
 */
function leaderAccel(slab: usize, car: i32, speed: f64, gap: f64): f64 {
  // One sees the brake lights before one has come nearer.
  const slowing = least(leadAccel(car) + BEND_DECEL_MAX, 0.0) * FORESIGHT_S;
  const lead = greatest(getF(slab, C_LEAD_SPEED, car) + slowing, 0.0);
  // Which of the two drives faster is unpredictable, so there is no branch.
  const opens = greatest(lead - speed, 0.0);
  const expected = gap + opens * FORESIGHT_S;
  // Brakes that act late lengthen a stop, and nothing else.
  const standstill = getF(slab, C_STANDSTILL_GAP, car) - least(opens, STOPPING_LAG_M);
  const accel = followAccel(slab, car, speed, lead, expected, standstill);
  return accel * choose(accel > 0.0, ACCEL_MAX / getF(slab, C_ACCEL_COMFORT, car), 1.0);
}

/**
 * The same model's acceleration behind a vehicle `gap` m ahead, with a gap of `standstill` m at
 * rest.
 */
@inline export function followAccel(
  slab: usize,
  car: i32,
  speed: f64,
  leadSpeed: f64,
  gap: f64,
  standstill: f64,
): f64 {
  const a = getF(slab, C_ACCEL_COMFORT, car);
  const b = getF(slab, C_DECEL_COMFORT, car);
  const approach = (speed * (speed - leadSpeed)) / (2.0 * sqrt(a * b));
  const headway = getF(slab, C_HEADWAY, car) * headwayShare(speed, leadSpeed);
  const desired = standstill + STOPPING_LAG_M + greatest(0.0, speed * headway + approach);
  const ratio = desired / greatest(gap, 0.1);
  return a * (1.0 - ratio * ratio);
}

/**
 * Towards a standing vehicle the braking distance counts more than the headway. The headway returns
 * gradually until the leader is half as fast: cars behind a queue that starts do not brake.
 */
@inline function headwayShare(speed: f64, leadSpeed: f64): f64 {
  const ratio = (2.0 * leadSpeed) / greatest(speed, 0.1);
  return 0.3 + 0.7 * least(ratio, 1.0);
}

/** Speed that bends and limits of the route allow `ahead` m further on, m/s. */
export function speedAhead(slab: usize, city: usize, car: i32, ahead: f64): f64 {
  let position = 0;
  let lane = getI(slab, C_LANE, car);
  let station = getF(slab, C_STATION, car) + ahead;
  let length = laneLength(city, lane);
  while (station > length) {
    station -= length;
    lane = laneAhead(slab, city, car, ++position);
    length = laneLength(city, lane);
  }
  const own = along(pointAt(city, lane, station), PT_SPEED, shareAt(city, lane, station));
  const exit = exitSpeed(slab, city, car, position);
  return least(own, sqrt(exit * exit + 2.0 * CURVE_DECEL * (length - station)));
}
