/**
 * Which targets can matter to the functions at all, judged by what the sensors report: a cheap test,
 * because most targets do not.
 */
import {
  AEB_PARTIAL,
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

/** What moves across the way slower than this is taken to stay, m/s. */
export const CROSSING_MPS = 0.3;
/** Nothing is done about what takes longer than this to reach, s, and is not as near as this, m, or this while the car brakes. */
const NEAR_S = 3.0;
const NEAR_M = 4.0;
const HELD_M = 25.0;
/** Braking of a vehicle ahead that comfort does not explain, m/s². */
const HARD_DECEL = 2.5;
/**
 * Whether a target can matter at all, by what the sensors say of it: cheap, for most do not. A vehicle
 * must already be in the way; whoever may walk or leap into it need not.
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

/** So near along the way, m, can a target in it matter. */
@inline function nearTo(target: usize, speed: f64, always: f64): f64 {
  const vx = load<f64>(target + TG_VX);
  const mayStop = load<f64>(target + TG_ACCEL) < -HARD_DECEL || load<f64>(target + TG_HX) < 0.9;
  return always + NEAR_S * (mayStop ? speed + abs(vx) : speed - vx);
}

@inline function alwaysNear(slab: usize, car: i32): f64 {
  return isBraking(slab, car) ? HELD_M : NEAR_M;
}

/** Whether a car brakes because of what its sensors deliver. */
export function isBraking(slab: usize, car: i32): bool {
  return (
    getI(slab, C_AEB_STAGE, car) >= AEB_PARTIAL || getI(slab, C_ANIMAL_STAGE, car) >= AEB_PARTIAL
  );
}

/** Whether a target that is a vehicle can matter if it is in the way no nearer than some distance, m. */
export function canMatterFrom(slab: usize, car: i32, target: usize, distance: f64): bool {
  return distance < nearTo(target, getF(slab, C_VX, car), alwaysNear(slab, car));
}

/** Mask of the targets of a car that can matter at all. */
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

/** Whether no function of a car has anything to carry on with. */
export function isIdle(slab: usize, car: i32): bool {
  if (getF(slab, C_EMERGENCY, car) > 0.0 || getI(slab, C_EVADE_TICK, car) != 0) return false;
  return (
    (getI(slab, C_AEB_STAGE, car) |
      getI(slab, C_ANIMAL_STAGE, car) |
      getI(slab, C_AEB_TICK, car)) ==
    0
  );
}
