/**
 * Masks of the cars for which something holds. A loop over the bits of a mask visits the few cars that it is
 * about without a branch for each of the others.
 */
import { CAR_COUNT } from './layout';

const ALL_CARS: u32 = (1 << CAR_COUNT) - 1;

/** Mask of the cars that have a value in a row of i32. */
@inline export function carsWith(slab: usize, array: usize, value: i32): u32 {
  const row = slab + array;
  let mask: u32 = 0;
  if (ASC_FEATURE_SIMD) {
    const wanted = i32x4.splat(value);
    for (let car = 0; car < CAR_COUNT; car += 4)
      mask |= (<u32>i32x4.bitmask(i32x4.eq(v128.load(row + ((<usize>car) << 2)), wanted))) << car;
    return mask;
  }
  for (let car = 0; car < CAR_COUNT; car++)
    mask |= (<u32>(load<i32>(row + ((<usize>car) << 2)) == value)) << car;
  return mask;
}

/** Mask of the cars that have another value there. */
@inline export function carsWithout(slab: usize, array: usize, value: i32): u32 {
  return ~carsWith(slab, array, value) & ALL_CARS;
}

/** Mask of the cars whose value in a row of f64 is further than `bound` from 0. */
@inline export function carsBeyond(row: usize, bound: f64): u32 {
  let mask: u32 = 0;
  if (ASC_FEATURE_SIMD) {
    const most = f64x2.splat(bound);
    for (let car = 0; car < CAR_COUNT; car += 2) {
      const size = f64x2.abs(v128.load(row + ((<usize>car) << 3)));
      mask |= (<u32>i64x2.bitmask(f64x2.gt(size, most))) << car;
    }
    return mask;
  }
  for (let car = 0; car < CAR_COUNT; car++)
    mask |= (<u32>(abs(load<f64>(row + ((<usize>car) << 3))) > bound)) << car;
  return mask;
}
