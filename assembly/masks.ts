/**
 * Masks of the cars for which something holds. A loop over the bits of a mask visits the few cars that it is
 * about without a branch for each of the others.
 */
import { CAR_COUNT, TARGET_COUNTS } from './layout';
import { bitsLess, QUAD_ROW, size, splat } from './quad';

export const ALL_CARS: u32 = (1 << CAR_COUNT) - 1;

/** Mask of the cars that have a value in a row of i32. */
@inline export function carsWith(slab: usize, array: usize, value: i32): u32 {
  const row = slab + array;
  let mask: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car += ASC_FEATURE_SIMD ? 4 : 1) {
    const place = row + ((<usize>car) << 2);
    const bits = ASC_FEATURE_SIMD
      ? i32x4.bitmask(i32x4.eq(v128.load(place), i32x4.splat(value)))
      : <i32>(load<i32>(place) == value);
    mask |= (<u32>bits) << car;
  }
  return mask;
}

/** Mask of the cars that have another value there. */
@inline export function carsWithout(slab: usize, array: usize, value: i32): u32 {
  return ~carsWith(slab, array, value) & ALL_CARS;
}

/** Mask of the cars whose sensors report anything. */
@inline export function carsWithTargets(): u32 {
  return carsWithout(0, TARGET_COUNTS, 0);
}

/** Mask of the cars whose values in two rows of i32 are the same. */
@inline export function carsAlike(row: usize, other: usize): u32 {
  let mask: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car += ASC_FEATURE_SIMD ? 4 : 1) {
    const place = (<usize>car) << 2;
    const bits = ASC_FEATURE_SIMD
      ? i32x4.bitmask(i32x4.eq(v128.load(row + place), v128.load(other + place)))
      : <i32>(load<i32>(row + place) == load<i32>(other + place));
    mask |= (<u32>bits) << car;
  }
  return mask;
}

/** Mask of the cars whose value in a row of i32 is below 0. */
@inline export function carsBelowZero(row: usize): u32 {
  let mask: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car += ASC_FEATURE_SIMD ? 4 : 1) {
    const place = (<usize>car) << 2;
    const bits = ASC_FEATURE_SIMD
      ? i32x4.bitmask(v128.load(row + place))
      : <i32>(load<i32>(row + place) < 0);
    mask |= (<u32>bits) << car;
  }
  return mask;
}

/** Mask of the cars whose value in a row of f32 is further than `bound` from 0. */
@inline export function carsBeyond(row: usize, bound: f32): u32 {
  return ASC_FEATURE_SIMD ? beyond<v128>(row, bound) : beyond<f32>(row, bound);
}

/** The same where the bound is no f32. */
@inline export function carsBeyondExactly(row: usize, bound: f64): u32 {
  return carsBeyond(row, upTo(bound));
}

/** The greatest f32 that is not above a positive number: the same values of f32 are above both. */
@inline function upTo(bound: f64): f32 {
  const nearest = <f32>bound;
  return <f64>nearest > bound ? reinterpret<f32>(reinterpret<u32>(nearest) - 1) : nearest;
}

@inline function beyond<T>(row: usize, bound: f32): u32 {
  let mask: u32 = 0;
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>())
    mask |= bitsLess<T>(splat<T>(bound), size<T>(load<T>(row + place))) << (<u32>(place >> 2));
  return mask;
}
