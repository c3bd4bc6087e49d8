/** Traps if any number of the cars is not finite: NaN would otherwise spread unnoticed. */
import { C_SPEED_FACTOR, C_X } from './layout';
import { add, isAllZero, mul, splat } from './pair';
export function trapUnlessFinite(slab: usize): void {
  if (ASC_FEATURE_SIMD) trapUnlessFiniteIn<v128>(slab + C_X, slab + C_SPEED_FACTOR);
  else trapUnlessFiniteIn<f64>(slab + C_X, slab + C_SPEED_FACTOR);
}

/** Infinity and NaN times zero is NaN, and so is every sum with it. */
function trapUnlessFiniteIn<T>(from: usize, end: usize): void {
  const width: usize = sizeof<T>();
  let even = splat<T>(0.0);
  let odd = splat<T>(0.0);
  for (let place = from; place < end; place += 2 * width) {
    even = add<T>(even, load<T>(place));
    odd = add<T>(odd, load<T>(place + width));
  }
  if (!isAllZero<T>(mul<T>(add<T>(even, odd), splat<T>(0.0)))) unreachable();
}
