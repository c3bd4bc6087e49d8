import { CAR_COUNT } from './layout';

/**
 * Arithmetic on one car (T = f64) or on two neighbours at once (T = v128, two f64), as `quad` does it with f32.
 * Both use the same operations in the same order and give the same bits.
 */

@inline export function splat<T>(x: f64): T {
  if (isVector<T>()) return <T>f64x2.splat(x);
  return <T>x;
}

/**
 * A number in memory, for one car or for both. V8 makes a vector of a number with three instructions
 * each time, and loads it with one.
 */
@inline export function constant<T>(address: usize): T {
  if (isVector<T>()) return <T>v128.load_splat<f64>(address);
  return <T>load<f64>(address);
}

export const ONE = memory.data<f64>([1.0]);
export const HALF = memory.data<f64>([0.5]);

@inline export function add<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f64x2.add(<v128>a, <v128>b);
  return <T>(<f64>a + <f64>b);
}

@inline export function sub<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f64x2.sub(<v128>a, <v128>b);
  return <T>(<f64>a - <f64>b);
}

@inline export function mul<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f64x2.mul(<v128>a, <v128>b);
  return <T>(<f64>a * <f64>b);
}

@inline export function div<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f64x2.div(<v128>a, <v128>b);
  return <T>(<f64>a / <f64>b);
}

@inline export function size<T>(a: T): T {
  if (isVector<T>()) return <T>f64x2.abs(<v128>a);
  return <T>abs(<f64>a);
}

@inline export function lesser<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f64x2.pmin(<v128>a, <v128>b);
  return <T>(<f64>b < <f64>a ? <f64>b : <f64>a);
}

@inline export function greater<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f64x2.pmax(<v128>a, <v128>b);
  return <T>(<f64>a < <f64>b ? <f64>b : <f64>a);
}

/** `a`, which is not negative, with the sign of `b`, that of a zero as well. */
@inline export function signed<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>v128.or(<v128>a, v128.and(<v128>b, f64x2.splat(-0.0)));
  return <T>copysign<f64>(<f64>a, <f64>b);
}

/** `then` if `a` < `b`, else `otherwise`, for each car. */
@inline export function whereLess<T>(a: T, b: T, then: T, otherwise: T): T {
  if (isVector<T>())
    return <T>v128.bitselect(<v128>then, <v128>otherwise, f64x2.lt(<v128>a, <v128>b));
  return <T>(<f64>a < <f64>b ? <f64>then : <f64>otherwise);
}

/** Whether the value of every car is 0. */
@inline export function isAllZero<T>(a: T): bool {
  if (isVector<T>()) return i64x2.all_true(f64x2.eq(<v128>a, f64x2.splat(0.0)));
  return <f64>a == 0.0;
}

/** Bytes of a row: one f64 per car. A place in a row is the index of a car × 8. */
export const ROW: usize = CAR_COUNT * 8;
