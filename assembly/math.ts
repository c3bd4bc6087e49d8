/** Basic arithmetic of a step. Only + − × ÷ and square root: the same bits on every engine. */

/** `low` ≤ `high`. */
@inline export function clamp(value: f64, low: f64, high: f64): f64 {
  if (ASC_FEATURE_SIMD) {
    const atLeast = f64x2.pmax(f64x2.splat(value), f64x2.splat(low));
    return f64x2.extract_lane(f64x2.pmin(atLeast, f64x2.splat(high)), 0);
  }
  return value < low ? low : value > high ? high : value;
}

// An engine without a conditional move for f64 takes a branch for `?:`, which it often guesses wrong. The order of the
// operands gives the bits of `?:` for zeros of either sign, too.
@inline export function least(a: f64, b: f64): f64 {
  if (ASC_FEATURE_SIMD) {
    return f64x2.extract_lane(f64x2.pmin(f64x2.splat(b), f64x2.splat(a)), 0);
  }
  return a < b ? a : b;
}

@inline export function greatest(a: f64, b: f64): f64 {
  if (ASC_FEATURE_SIMD) {
    return f64x2.extract_lane(f64x2.pmax(f64x2.splat(b), f64x2.splat(a)), 0);
  }
  return a > b ? a : b;
}

/** `a` if `condition` holds, else `b`, without a branch: engines have a conditional move for integers. */
@inline export function choose(condition: bool, a: f64, b: f64): f64 {
  return reinterpret<f64>(select<i64>(reinterpret<i64>(a), reinterpret<i64>(b), condition));
}

/** Time in which a car covers a distance, s, if it accelerates up to `top` when it is slower. */
export function timeToCover(distance: f64, speed: f64, top: f64, accel: f64): f64 {
  if (speed >= top) return distance / greatest(speed, 0.1);
  const reach = (top * top - speed * speed) / (2.0 * accel);
  if (distance <= reach) return (sqrt(speed * speed + 2.0 * accel * distance) - speed) / accel;
  return (top - speed) / accel + (distance - reach) / top;
}
