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
