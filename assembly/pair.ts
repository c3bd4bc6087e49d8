/**
 * Arithmetic that works on one car (T = f64) or on two neighbours at once (T = v128, two f64): the
 * same operations in the same order, so both give the same bits. A build without SIMD has `Lanes` = f64.
 */

@inline export function splat<T>(x: f64): T {
  if (isVector<T>()) return <T>f64x2.splat(x);
  return <T>x;
}

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

@inline export function root<T>(a: T): T {
  if (isVector<T>()) return <T>f64x2.sqrt(<v128>a);
  return <T>sqrt(<f64>a);
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

/** `a` limited to ±`bound`. */
@inline export function within<T>(a: T, bound: T): T {
  return lesser<T>(greater<T>(a, sub<T>(splat<T>(0.0), bound)), bound);
}

/** Where `a` < `b` the one, elsewhere the other. */
@inline export function whereLess<T>(a: T, b: T, then: T, otherwise: T): T {
  if (isVector<T>()) return <T>v128.bitselect(<v128>then, <v128>otherwise, f64x2.lt(<v128>a, <v128>b));
  return <T>(<f64>a < <f64>b ? <f64>then : <f64>otherwise);
}

/** Whether `a` < `b` for any of the cars. */
@inline export function anyLess<T>(a: T, b: T): bool {
  if (isVector<T>()) return v128.any_true(f64x2.lt(<v128>a, <v128>b));
  return <f64>a < <f64>b;
}
