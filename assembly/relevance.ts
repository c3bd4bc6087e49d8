/**
 * Which targets can matter to the functions at all, judged by what the sensors report: a cheap test,
 * because most targets do not.
 */
import {
  AEB_EASES,
  CONTACT_VEHICLE,
  C_AEB_STAGE,
  C_AEB_TICK,
  C_ANIMAL_STAGE,
  C_EMERGENCY,
  C_EVADE_TICK,
  C_VX,
  TG_ACCEL,
  TG_CLASS,
  TG_HX,
  TG_PATH,
  TG_VX,
  TG_VY,
  TG_X,
} from './layout';
import { getF, getI } from './memory';
import { targetRecord, targetCount } from './targets';

/** Speed across the path below which an object is assumed to stay, m/s. */
export const CROSSING_MPS = 0.3;
/**
 * Objects matter within this time, s, this distance, m, or this distance while the car brakes, m.
 */
const NEAR_S = 3.0;
const NEAR_M = 4.0;
const HELD_M = 25.0;
/** Braking of a leader that is harder than comfort explains, m/s². */
const HARD_DECEL = 2.5;
/**
 * Whether a target can matter at all. A vehicle must be in the path already; persons and animals
 * may step into it.
 */
@inline function mayMatter(target: usize, speed: f64, always: f64): bool {
  const ahead = <f64>load<f32>(target + TG_PATH);
  if (ahead < 0.0) {
    const vx = load<f64>(target + TG_VX);
    const vy = load<f64>(target + TG_VY);
    if (
      load<i32>(target + TG_CLASS) == CONTACT_VEHICLE ||
      vx * vx + vy * vy < CROSSING_MPS * CROSSING_MPS
    )
      return false;
    return load<f64>(target + TG_X) < always + NEAR_S * speed;
  }
  return ahead < nearTo(target, speed, always);
}

/** Distance along the path within which a target matters, m. */
@inline function nearTo(target: usize, speed: f64, always: f64): f64 {
  const vx = load<f64>(target + TG_VX);
  const mayStop = load<f64>(target + TG_ACCEL) < -HARD_DECEL || load<f64>(target + TG_HX) < 0.9;
  return always + NEAR_S * (mayStop ? speed + abs(vx) : speed - vx);
}

@inline function alwaysNear(slab: usize, car: i32): f64 {
  return isBraking(slab, car) ? HELD_M : NEAR_M;
}

/** Whether AEB or animal detection brakes a car. */
@inline export function isBraking(slab: usize, car: i32): bool {
  return (
    (<i32>(getI(slab, C_AEB_STAGE, car) >= AEB_EASES) |
      <i32>(getI(slab, C_ANIMAL_STAGE, car) >= AEB_EASES)) !=
    0
  );
}

/** Whether a vehicle that is at least `distance` m along the path can matter. */
export function canMatterFrom(slab: usize, car: i32, target: usize, distance: f64): bool {
  return distance < nearTo(target, getF(slab, C_VX, car), alwaysNear(slab, car));
}

/** Mask of the targets of a car that can matter. */
export function relevantTargets(slab: usize, car: i32): u32 {
  const speed = getF(slab, C_VX, car);
  const always = alwaysNear(slab, car);
  let mask: u32 = 0;
  const count = targetCount(car);
  for (let i = 0; i < count; i++) {
    if (mayMatter(targetRecord(car, i), speed, always)) mask |= 1 << i;
  }
  return mask;
}

/** Whether no function of a car is acting. */
export function isIdle(slab: usize, car: i32): bool {
  if (getF(slab, C_EMERGENCY, car) > 0.0 || getI(slab, C_EVADE_TICK, car) != 0) return false;
  return (
    (getI(slab, C_AEB_STAGE, car) |
      getI(slab, C_ANIMAL_STAGE, car) |
      getI(slab, C_AEB_TICK, car)) ==
    0
  );
}
