/**
 * The objects near the car that scans, cars before actors, as columns: so two of them are tested at
 * once. Index 0 to count − 1; one more is a copy of the last if the count is odd.
 */
import { NEAR_OBJECTS, OBJECT_MAX } from './layout';
import { objectRecord } from './objects';

const COLUMN_BYTES: usize = OBJECT_MAX * 8;
/** f64 m from the middle of the front bumper to the middle of the object. */
export const NEAR_X: usize = NEAR_OBJECTS;
export const NEAR_Y: usize = NEAR_X + COLUMN_BYTES;
/** f64 m, from its middle to a corner. */
export const NEAR_RADIUS: usize = NEAR_Y + COLUMN_BYTES;
/** u64, number of the object. */
export const NEAR_OBJECT: usize = NEAR_RADIUS + COLUMN_BYTES;
/** u64, sensors that may see it, SEEN_; other bits have no meaning. */
export const NEAR_SENSORS: usize = NEAR_OBJECT + COLUMN_BYTES;
/** i32, number of these objects. */
const NEAR_COUNT: usize = NEAR_SENSORS + COLUMN_BYTES;

@inline export function nearF(column: usize, index: i32): f64 {
  return load<f64>(column + ((<usize>index) << 3));
}

@inline export function nearObject(index: i32): i32 {
  return load<i32>(NEAR_OBJECT + ((<usize>index) << 3));
}

/** Address of the record of a near object. */
@inline export function nearRecord(index: i32): usize {
  return objectRecord(nearObject(index));
}

@inline export function nearCount(): i32 {
  return load<i32>(NEAR_COUNT);
}

@inline export function setNearCount(count: i32): void {
  store<i32>(NEAR_COUNT, count);
}

/** Mask of the indices of all near objects. */
@inline export function allNear(): u64 {
  return ((<u64>1) << nearCount()) - 1;
}
