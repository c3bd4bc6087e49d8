/**
 * Leaf arithmetic of a step. Only + − × ÷ and square root: the same bits on every engine.
 */

@inline export function clamp(value: f64, low: f64, high: f64): f64 {
  return value < low ? low : value > high ? high : value;
}

@inline export function least(a: f64, b: f64): f64 {
  return a < b ? a : b;
}

@inline export function greatest(a: f64, b: f64): f64 {
  return a > b ? a : b;
}

/** Tangent for |x| ≤ 0.6 rad: Taylor series to x⁹, error below 4e-5. */
@inline export function tangent(x: f64): f64 {
  const xx = x * x;
  return (
    x *
    (1.0 +
      xx * (0.3333333333333333 + xx * (0.13333333333333333 + xx * (0.05396825396825397 + xx * 0.021869488536155203))))
  );
}

/** Arc tangent for |x| ≤ 0.8: economised series, error below 2e-5. */
@inline export function arcTangent(x: f64): f64 {
  const xx = x * x;
  return x * (0.9998660 + xx * (-0.3302995 + xx * (0.1801410 + xx * (-0.0851330 + xx * 0.0208351))));
}
