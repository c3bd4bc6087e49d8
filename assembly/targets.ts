/**
 * What the sensors of each car report: at most TARGET_MAX records, nearest first, see TG_ in the
 * memory map. Written by `findTargets` and valid until the cars move. Functions know nothing else
 * of other objects.
 */
import { CAR_COUNT, TARGETS, TARGET_BYTES, TARGET_COUNTS, TARGET_MAX } from './layout';
import { clear } from './memory';

/** Number of targets of a car in this scan. */
@inline export function targetCount(car: i32): i32 {
  return load<i32>(<usize>TARGET_COUNTS + ((<usize>car) << 2));
}

/** Address of a target's record. */
@inline export function targetRecord(car: i32, index: i32): usize {
  return <usize>TARGETS + <usize>(car * TARGET_MAX + index) * TARGET_BYTES;
}

/** A field of a target that is f64 or i32, TG_. */
@inline export function targetF(target: usize, field: usize): f64 {
  return load<f64>(target + field);
}

@inline export function targetI(target: usize, field: usize): i32 {
  return load<i32>(target + field);
}

/** A field of a target that is f32. */
@inline export function targetF32(target: usize, field: usize): f64 {
  return <f64>load<f32>(target + field);
}

export function clearTargets(): void {
  clear(TARGET_COUNTS, CAR_COUNT << 2);
}

/** Address of a new target; 0 if there is no room left. */
export function newTarget(car: i32): usize {
  const count = targetCount(car);
  if (count == TARGET_MAX) return 0;
  store<i32>(<usize>TARGET_COUNTS + ((<usize>car) << 2), count + 1);
  return targetRecord(car, count);
}
