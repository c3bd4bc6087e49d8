import {
  CAR_COUNT,
  CT_CENTRE,
  C_ACCEL,
  C_GAP,
  C_LEAD_SPEED,
  C_ROUTE_INDEX,
  C_STATION,
  C_VX,
  L_JUNCTION,
  L_LENGTH,
  SEEN_CAMERA,
  SEEN_RADAR,
  SIGHT,
  TG_ACCEL,
  TG_OBJECT,
  TG_PATH,
  TG_SENSORS,
  TG_VX,
} from './layout';
import { carLength } from './body';
import { laneAhead, laneRecord, routeLane } from './lanes';
import { carsWithTargets } from './masks';
import { getF, getI, setF, typeOf } from './memory';
import { astrayCars, inJunction, occupants } from './occupancy';
import { targetRecord, targetCount, targetF, targetF32, targetI } from './targets';

/** Greatest distance at which a leader is measured, m. */
const RANGE_M = 100.0;
/** A car that turned off counts as a leader up to this distance behind the stop line, m. */
const TURNED_OFF_M = 10.0;

/** i32[CAR_COUNT]: the object that the gap is to. */
const LEAD: usize = SIGHT + 2560;
/** f32[CAR_COUNT]: its acceleration, m/s². */
const LEAD_ACCEL: usize = SIGHT + 2704;

/** Measures the gap of each car to its leader, with the camera and the front radar. */
export function measureGaps(slab: usize, city: usize): void {
  const astray = astrayCars();
  for (let car = 0; car < CAR_COUNT; car++) {
    setF(slab, C_GAP, car, -1.0);
    setF(slab, C_LEAD_SPEED, car, 0.0);
  }
  for (let left = carsWithTargets(); left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    measureAhead(slab, city, car, targetCount(car), astray);
  }
}

/** Acceleration of the object that the gap of a car is to, m/s². */
@inline export function leadAccel(car: i32): f64 {
  return load<f32>(LEAD_ACCEL + ((<usize>car) << 2));
}

/** Sensors that measure the gap of a car in this scan, SEEN_. */
export function leadSensors(slab: usize, car: i32): i32 {
  if (getF(slab, C_GAP, car) < 0.0) return 0;
  const lead = load<i32>(LEAD + ((<usize>car) << 2));
  const count = targetCount(car);
  for (let i = 0; i < count; i++) {
    const target = targetRecord(car, i);
    if (targetI(target, TG_OBJECT) == lead)
      return targetI(target, TG_SENSORS) & (SEEN_CAMERA | SEEN_RADAR);
  }
  return 0;
}

/**
 * Finds the nearest object that camera or front radar see: cars on the lanes ahead, others in the
 * path.
 */
function measureAhead(slab: usize, city: usize, car: i32, count: i32, astray: u32): void {
  let onLanes: u32 = 0;
  for (let i = 0; i < count; i++) {
    const target = targetRecord(car, i);
    const object = targetI(target, TG_OBJECT);
    if (isInFront(target) && object < CAR_COUNT && ((astray >> object) & 1) == 0)
      onLanes |= 1 << object;
  }
  if (onLanes != 0) measureOnPath(slab, city, car, onLanes);
  for (let i = 0; i < count; i++) {
    const target = targetRecord(car, i);
    const object = targetI(target, TG_OBJECT);
    if (object < CAR_COUNT && ((astray >> object) & 1) == 0) continue;
    const gap = targetF32(target, TG_PATH);
    if (gap >= 0.0 && isInFront(target)) noteTarget(slab, car, target, gap);
  }
}

@inline function isInFront(target: usize): bool {
  return (targetI(target, TG_SENSORS) & (SEEN_CAMERA | SEEN_RADAR)) != 0;
}

/**
 * Measures the nearest of some cars on the lanes ahead or on another connector from the same line.
 */
function measureOnPath(slab: usize, city: usize, car: i32, others: u32): void {
  let base = -getF(slab, C_STATION, car);
  for (let ahead = 0; base < RANGE_M; ahead++) {
    const lane = laneAhead(slab, city, car, ahead);
    const onLane = occupants(lane) & others;
    if (onLane != 0) measureOnLane(slab, car, onLane, base);
    const record = laneRecord(city, lane);
    const junction = load<i32>(record + L_JUNCTION);
    if (junction >= 0) {
      const beside = inJunction(junction) & others & ~onLane;
      if (beside != 0)
        measureTurningOff(slab, city, car, beside, laneAhead(slab, city, car, ahead - 1), base);
    }
    // A car on a later lane cannot be nearer.
    if (getF(slab, C_GAP, car) >= 0.0) return;
    base += load<f64>(record + L_LENGTH);
  }
}

/**
 * `base`: distance along the path to the start of the lane, m; negative if the car is beyond it.
 */
function measureOnLane(slab: usize, car: i32, others: u32, base: f64): void {
  for (let left = others; left != 0; left &= left - 1) {
    const other = <i32>ctz(left);
    const distance = base + getF(slab, C_STATION, other);
    if (distance > 0.0) note(slab, car, other, distance);
  }
}

/**
 * Measures cars on other connectors from the lane `before`: all that are near the stop line, and
 * further on those that reach into the own path.
 */
function measureTurningOff(
  slab: usize,
  city: usize,
  car: i32,
  others: u32,
  before: i32,
  base: f64,
): void {
  for (let left = others; left != 0; left &= left - 1) {
    const other = <i32>ctz(left);
    const station = getF(slab, C_STATION, other);
    if (
      base + station <= 0.0 ||
      routeLane(city, other, getI(slab, C_ROUTE_INDEX, other) - 1) != before
    )
      continue;
    if (station <= TURNED_OFF_M) note(slab, car, other, base + station);
    else noteInTheWay(slab, car, other);
  }
}

/** Keeps a car if the sensors see it in the own path. */
function noteInTheWay(slab: usize, car: i32, other: i32): void {
  const count = targetCount(car);
  for (let i = 0; i < count; i++) {
    const target = targetRecord(car, i);
    if (targetI(target, TG_OBJECT) != other) continue;
    const gap = targetF32(target, TG_PATH);
    if (gap >= 0.0) noteTarget(slab, car, target, gap);
    return;
  }
}

/**
 * Keeps a car `distance` m ahead, between the centres of gravity, if it is the nearest so far. It
 * drives along the lanes: by its speed along the own heading it would seem to brake in a bend.
 */
function note(slab: usize, car: i32, other: i32, distance: f64): void {
  const middles =
    load<f64>(typeOf(slab, other) + CT_CENTRE) - load<f64>(typeOf(slab, car) + CT_CENTRE);
  const gap = distance + middles - 0.5 * (carLength(slab, car) + carLength(slab, other));
  const accel = getF(slab, C_ACCEL, other);
  noteGap(slab, car, other, gap > 0.0 ? gap : 0.0, getF(slab, C_VX, other), accel);
}

function noteTarget(slab: usize, car: i32, target: usize, gap: f64): void {
  const accel = targetF(target, TG_ACCEL);
  noteGap(slab, car, targetI(target, TG_OBJECT), gap, targetF(target, TG_VX), accel);
}

/** `speed`: of a car on the lanes along them, of another object along the own heading, m/s. */
function noteGap(slab: usize, car: i32, object: i32, gap: f64, speed: f64, accel: f64): void {
  const known = getF(slab, C_GAP, car);
  if (gap > RANGE_M || (known >= 0.0 && known <= gap)) return;
  setF(slab, C_GAP, car, gap);
  setF(slab, C_LEAD_SPEED, car, speed > 0.0 ? speed : 0.0);
  store<i32>(LEAD + ((<usize>car) << 2), object);
  store<f32>(LEAD_ACCEL + ((<usize>car) << 2), <f32>accel);
}
