/** What C_TOW holds: a step of recovery, and the place beside the road that goes with it. */
import { C_TOW } from './layout';
import { getI } from './memory';

/** The step of recovery of a car: see TOW_NONE. */
@inline export function towOf(slab: usize, car: i32): i32 {
  return getI(slab, C_TOW, car) & 0xff;
}

/** The place beside the road that a car has been given, −1 none. */
@inline export function placeOf(slab: usize, car: i32): i32 {
  return (getI(slab, C_TOW, car) >> 8) - 1;
}

/** A step of recovery with its place. */
@inline export function towWith(step: i32, place: i32): i32 {
  return ((place + 1) << 8) | step;
}
