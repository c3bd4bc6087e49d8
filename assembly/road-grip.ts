/** Effects of the road on a car: friction under its axles, and slope. */
import {
  CAR_COUNT,
  CT_FRONT,
  CT_REAR,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_LANE,
  C_OFFSET,
  C_SLOPE,
  C_STATION,
  C_STATUS,
  C_X,
  C_Y,
  DRY_FRICTION,
  H_ZONES,
  L_GRADE,
  L_GRADE_FROM,
  L_GRADE_TO,
  L_SLIP_FROM,
  L_SLIP_TO,
  L_ZONES,
  ZONE_OFFSET_M,
  STATUS_CRASHED,
  T_ZONES,
  ZONE_BYTES,
  Z_CORNER,
  Z_CORNERS,
  Z_FRICTION,
  Z_MAX_X,
  Z_MAX_Y,
  Z_MIN_X,
  Z_MIN_Y,
} from './layout';
import { laneRecord } from './lanes';
import { carsBeyond, carsWith } from './masks';
import { getF, getI, setF, typeOf } from './memory';
import { GRAVITY } from './tyre';

export const DRY = DRY_FRICTION;

/** Samples the friction under each axle of some cars, given as a mask. */
export function sampleFriction(slab: usize, city: usize, cars: u32): void {
  for (let left = cars; left != 0; left &= left - 1) setDry(slab, <i32>ctz(left));
  sampleZones(slab, city, carsAtIce(slab, city, cars & carsNearZones(slab, city)));
}

/** Does the same for the cars on lanes with zones: the friction of others changes with the lane only. */
export function sampleFrictionInZones(slab: usize, city: usize): void {
  sampleFriction(slab, city, carsNearZones(slab, city));
}

function setDry(slab: usize, car: i32): void {
  setF(slab, C_FRICTION_FRONT, car, DRY);
  setF(slab, C_FRICTION_REAR, car, DRY);
}

/** Mask of the cars on lanes with zones that count now. */
function carsNearZones(slab: usize, city: usize): u32 {
  let cars: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car++)
    cars |= (<u32>(zonesNear(slab, city, getI(slab, C_LANE, car)) != 0)) << car;
  return cars;
}

/** Those of some cars that may have an axle on less friction than a dry road has. */
function carsAtIce(slab: usize, city: usize, cars: u32): u32 {
  let found = carsAnywhere(slab);
  for (let left = cars; left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    found |= (<u32>isWithin(slab, city, car, L_SLIP_FROM, L_SLIP_TO)) << car;
  }
  return found & cars;
}

/** Mask of the cars that may be in a zone wherever it is: their stations say little. */
export function carsAnywhere(slab: usize): u32 {
  return carsWith(slab, C_STATUS, STATUS_CRASHED) | carsBeyond(slab + C_OFFSET, <f32>ZONE_OFFSET_M);
}

/** Whether the station of a car is in a range of its lane. */
@inline export function isWithin(slab: usize, city: usize, car: i32, from: usize, to: usize): bool {
  const lane = laneRecord(city, getI(slab, C_LANE, car));
  const station = getF(slab, C_STATION, car);
  // Without a branch, which would often be predicted wrongly.
  return (
    (<i32>(station >= <f64>load<f32>(lane + from)) & <i32>(station <= <f64>load<f32>(lane + to))) !=
    0
  );
}

/** Mask of the zones near a lane that count now. */
@inline export function zonesNear(slab: usize, city: usize, lane: i32): u32 {
  return load<u32>(laneRecord(city, lane) + L_ZONES) & load<u32>(slab + H_ZONES);
}

/** Samples the friction of some cars from the zones near their lanes. */
function sampleZones(slab: usize, city: usize, cars: u32): void {
  for (let left = cars; left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    const zones = zonesNear(slab, city, getI(slab, C_LANE, car));
    const type = typeOf(slab, car);
    const front = load<f64>(type + CT_FRONT);
    const rear = -load<f64>(type + CT_REAR);
    if (ASC_FEATURE_SIMD) sampleBothAxles(slab, city, car, zones, front, rear);
    else {
      setF(slab, C_FRICTION_FRONT, car, frictionAt(slab, city, car, zones, front));
      setF(slab, C_FRICTION_REAR, car, frictionAt(slab, city, car, zones, rear));
    }
  }
}

/** Samples the friction under two axles, `front` and `rear` m ahead of a car's centre of gravity, at once. */
@inline function sampleBothAxles(
  slab: usize,
  city: usize,
  car: i32,
  zones: u32,
  front: f64,
  rear: f64,
): void {
  const ahead = f64x2.replace_lane(f64x2.splat(front), 1, rear);
  const x = ofBothAxles(getF(slab, C_X, car), ahead, getF(slab, C_HX, car));
  const y = ofBothAxles(getF(slab, C_Y, car), ahead, getF(slab, C_HY, car));
  let friction = f64x2.splat(DRY);
  for (let left = zones; left != 0; left &= left - 1) {
    const zone = zoneRecord(city, <i32>ctz(left));
    const own = v128.load_splat<u64>(zone + Z_FRICTION);
    const isIn = v128.and(f64x2.lt(own, friction), areInBounds(zone, x, y));
    if (!v128.any_true(isIn)) continue;
    friction = v128.bitselect(own, friction, v128.andnot(isIn, areOutside(zone, x, y)));
  }
  setF(slab, C_FRICTION_FRONT, car, f64x2.extract_lane(friction, 0));
  setF(slab, C_FRICTION_REAR, car, f64x2.extract_lane(friction, 1));
}

/** A coordinate of both axles. */
@inline function ofBothAxles(from: f64, ahead: v128, heading: f64): v128 {
  return f64x2.add(f64x2.splat(from), f64x2.mul(ahead, f64x2.splat(heading)));
}

/** Whether a place in one of some zones has less friction than a dry road. */
export function isSlippery(city: usize, zones: u32, x: f64, y: f64): bool {
  return leastFriction(city, zones, x, y) < DRY;
}

/** Friction `ahead` m of a car's centre of gravity. */
function frictionAt(slab: usize, city: usize, car: i32, zones: u32, ahead: f64): f64 {
  const x = getF(slab, C_X, car) + ahead * getF(slab, C_HX, car);
  const y = getF(slab, C_Y, car) + ahead * getF(slab, C_HY, car);
  return leastFriction(city, zones, x, y);
}

/** Friction of a place: the least of all zones there. */
@inline function leastFriction(city: usize, zones: u32, x: f64, y: f64): f64 {
  let friction = DRY;
  for (let left = zones; left != 0; left &= left - 1) {
    const zone = zoneRecord(city, <i32>ctz(left));
    if (load<f64>(zone + Z_FRICTION) < friction && isInside(zone, x, y))
      friction = load<f64>(zone + Z_FRICTION);
  }
  return friction;
}

/** Address of a zone's record. */
@inline export function zoneRecord(city: usize, zone: i32): usize {
  return city + load<i32>(city + T_ZONES) + <usize>zone * ZONE_BYTES;
}

/** Samples the acceleration of each car by gravity along its lane. */
export function sampleSlopes(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++)
    setF(slab, C_SLOPE, car, slopeAt(city, getI(slab, C_LANE, car), getF(slab, C_STATION, car)));
}

@inline function slopeAt(city: usize, lane: i32, station: f64): f64 {
  const record = laneRecord(city, lane);
  const grade = <f64>load<f32>(record + L_GRADE);
  if (
    grade == 0.0 ||
    station < <f64>load<f32>(record + L_GRADE_FROM) ||
    station > <f64>load<f32>(record + L_GRADE_TO)
  )
    return 0.0;
  return -GRAVITY * grade;
}

/** Whether a place lies in a zone, given by its address. */
export function isInside(zone: usize, x: f64, y: f64): bool {
  if (!isInBounds(zone, x, y)) return false;
  const count = load<i32>(zone + Z_CORNERS);
  // Most places within the bounds are inside: all sides are tested.
  let isOutside = 0;
  let from = zone + Z_CORNER + ((<usize>(count - 1)) << 4);
  for (let i = 0; i < count; i++) {
    const to = zone + Z_CORNER + ((<usize>i) << 4);
    const fx = load<f64>(from);
    const fy = load<f64>(from + 8);
    isOutside |= <i32>((load<f64>(to) - fx) * (y - fy) - (load<f64>(to + 8) - fy) * (x - fx) < 0.0);
    from = to;
  }
  return isOutside == 0;
}

@inline function isInBounds(zone: usize, x: f64, y: f64): bool {
  if (ASC_FEATURE_SIMD) {
    const place = f64x2.replace_lane(f64x2.splat(x), 1, y);
    const below = f64x2.lt(place, v128.load(zone + Z_MIN_X));
    return !v128.any_true(v128.or(below, f64x2.gt(place, v128.load(zone + Z_MAX_X))));
  }
  if (x < load<f64>(zone + Z_MIN_X) || x > load<f64>(zone + Z_MAX_X)) return false;
  return y >= load<f64>(zone + Z_MIN_Y) && y <= load<f64>(zone + Z_MAX_Y);
}

/** The same for two places, whose coordinates are in `x` and `y`: all bits set in the lane of each. */
@inline function areInBounds(zone: usize, x: v128, y: v128): v128 {
  return v128.and(
    v128.and(
      f64x2.ge(x, v128.load_splat<u64>(zone + Z_MIN_X)),
      f64x2.le(x, v128.load_splat<u64>(zone + Z_MAX_X)),
    ),
    v128.and(
      f64x2.ge(y, v128.load_splat<u64>(zone + Z_MIN_Y)),
      f64x2.le(y, v128.load_splat<u64>(zone + Z_MAX_Y)),
    ),
  );
}

/** Which of two places lie outside a side of a zone. */
@inline function areOutside(zone: usize, x: v128, y: v128): v128 {
  const count = load<i32>(zone + Z_CORNERS);
  let outside = i64x2.splat(0);
  let from = zone + Z_CORNER + ((<usize>(count - 1)) << 4);
  for (let i = 0; i < count; i++) {
    const to = zone + Z_CORNER + ((<usize>i) << 4);
    const fx = load<f64>(from);
    const fy = load<f64>(from + 8);
    const sideX = f64x2.splat(load<f64>(to) - fx);
    const sideY = f64x2.splat(load<f64>(to + 8) - fy);
    const left = f64x2.sub(
      f64x2.mul(sideX, f64x2.sub(y, f64x2.splat(fy))),
      f64x2.mul(sideY, f64x2.sub(x, f64x2.splat(fx))),
    );
    outside = v128.or(outside, f64x2.lt(left, f64x2.splat(0.0)));
    from = to;
  }
  return outside;
}
