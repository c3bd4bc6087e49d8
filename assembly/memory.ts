import { CARS_F32, CARS_I32, CAR_TYPES, CAR_TYPE_BYTES, C_TYPE } from './layout';

/**
 * Typed access to the arrays of a slab: `array` is a C_ constant of the memory map, `i` the
 * element.
 */

/** The compiler knows `array`, and so the width of its elements. */
@inline export function getF(slab: usize, array: usize, i: i32): f64 {
  if (isF32(array)) return <f64>load<f32>(slab + array + ((<usize>i) << 2));
  return load<f64>(slab + array + ((<usize>i) << 3));
}

@inline export function setF(slab: usize, array: usize, i: i32, value: f64): void {
  if (isF32(array)) store<f32>(slab + array + ((<usize>i) << 2), <f32>value);
  else store<f64>(slab + array + ((<usize>i) << 3), value);
}

@inline function isF32(array: usize): bool {
  return array >= <usize>CARS_F32 && array < <usize>CARS_I32;
}

@inline export function getI(slab: usize, array: usize, i: i32): i32 {
  return load<i32>(slab + array + ((<usize>i) << 2));
}

@inline export function setI(slab: usize, array: usize, i: i32, value: i32): void {
  store<i32>(slab + array + ((<usize>i) << 2), value);
}

/**
 * Clears a few bytes, a multiple of 16. `memory.fill` is a call out of the kernel, which takes longer than that.
 */
@inline export function clear(from: usize, bytes: usize): void {
  for (let place = from; place < from + bytes; place += 16) {
    if (ASC_FEATURE_SIMD) v128.store(place, i64x2.splat(0));
    else {
      store<u64>(place, 0);
      store<u64>(place, 0, 8);
    }
  }
}

/** Address of the parameters of a car's type, CT_. */
@inline export function typeOf(slab: usize, car: i32): usize {
  return <usize>CAR_TYPES + <usize>getI(slab, C_TYPE, car) * CAR_TYPE_BYTES;
}
