/** Traps if any number of the cars is not finite: NaN would otherwise spread unnoticed. */
import { CARS_F32, C_HEADWAY, C_X } from './layout';
import * as pair from './pair';
import * as quad from './quad';

export function trapUnlessFinite(slab: usize): void {
  if (ASC_FEATURE_SIMD) {
    trapUnlessPosesFinite<v128>(slab);
    trapUnlessMotionFinite<v128>(slab);
  } else {
    trapUnlessPosesFinite<f64>(slab);
    trapUnlessMotionFinite<f32>(slab);
  }
}

// Infinity and NaN times zero is NaN, and so is every sum with it.

/** The rows of f64: an even number of vectors. */
@inline function trapUnlessPosesFinite<T>(slab: usize): void {
  const width: usize = sizeof<T>();
  let even = pair.splat<T>(0.0);
  let odd = pair.splat<T>(0.0);
  for (let place = slab + C_X; place < slab + CARS_F32; place += 2 * width) {
    even = pair.add<T>(even, load<T>(place));
    odd = pair.add<T>(odd, load<T>(place + width));
  }
  if (!pair.isAllZero<T>(pair.mul<T>(pair.add<T>(even, odd), pair.splat<T>(0.0)))) unreachable();
}

/** The rows of f32 that change: motion, targets. An even number of vectors. */
@inline function trapUnlessMotionFinite<T>(slab: usize): void {
  const width: usize = sizeof<T>();
  let even = quad.splat<T>(0.0);
  let odd = quad.splat<T>(0.0);
  for (let place = slab + CARS_F32; place < slab + C_HEADWAY; place += 2 * width) {
    even = quad.add<T>(even, load<T>(place));
    odd = quad.add<T>(odd, load<T>(place + width));
  }
  if (!quad.isAllZero<T>(quad.mul<T>(quad.add<T>(even, odd), quad.splat<T>(0.0)))) unreachable();
}
