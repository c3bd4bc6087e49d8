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
  C_SLOPE,
  C_STATION,
  C_X,
  C_Y,
  H_ZONES,
  L_GRADE,
  L_GRADE_FROM,
  L_GRADE_TO,
  L_ZONES,
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
import { getF, getI, setF, typeOf } from './memory';
import { GRAVITY } from './tyre';

/** Peak friction of a dry road. */
export const DRY = 0.95;

/** Samples the friction under each axle. */
@inline export function sampleFriction(slab: usize, city: usize, car: i32): void {
  const zones = zonesNear(slab, city, car);
  if (zones == 0) {
    setF(slab, C_FRICTION_FRONT, car, DRY);
    setF(slab, C_FRICTION_REAR, car, DRY);
    return;
  }
  sampleZones(slab, city, car, zones);
}

/** Does the same for the cars on lanes with zones: the friction of others changes with the lane only. */
export function sampleFrictionInZones(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    const zones = zonesNear(slab, city, car);
    if (zones != 0) sampleZones(slab, city, car, zones);
  }
}

/** Mask of the zones near a car's lane that count now. */
@inline function zonesNear(slab: usize, city: usize, car: i32): u32 {
  return load<u32>(laneRecord(city, getI(slab, C_LANE, car)) + L_ZONES) & load<u32>(slab + H_ZONES);
}

function sampleZones(slab: usize, city: usize, car: i32, zones: u32): void {
  const type = typeOf(slab, car);
  setF(slab, C_FRICTION_FRONT, car, frictionAt(slab, city, car, zones, load<f64>(type + CT_FRONT)));
  setF(slab, C_FRICTION_REAR, car, frictionAt(slab, city, car, zones, -load<f64>(type + CT_REAR)));
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
    const zone = city + load<i32>(city + T_ZONES) + <usize>ctz(left) * ZONE_BYTES;
    if (load<f64>(zone + Z_FRICTION) < friction && isInside(zone, x, y))
      friction = load<f64>(zone + Z_FRICTION);
  }
  return friction;
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
  if (x < load<f64>(zone + Z_MIN_X) || x > load<f64>(zone + Z_MAX_X)) return false;
  if (y < load<f64>(zone + Z_MIN_Y) || y > load<f64>(zone + Z_MAX_Y)) return false;
  const count = load<i32>(zone + Z_CORNERS);
  for (let i = 0; i < count; i++) {
    const from = zone + Z_CORNER + ((<usize>i) << 4);
    const to = zone + Z_CORNER + ((<usize>(i + 1 == count ? 0 : i + 1)) << 4);
    const fx = load<f64>(from);
    const fy = load<f64>(from + 8);
    if ((load<f64>(to) - fx) * (y - fy) - (load<f64>(to + 8) - fy) * (x - fx) < 0.0) return false;
  }
  return true;
}
