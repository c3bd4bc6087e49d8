import { CAR_COUNT } from './layout';

/**
 * Arithmetic on one car (T = f32) or on four neighbours at once (T = v128, four f32), as `pair` does
 * it with f64. Both use the same operations in the same order and give the same bits.
 */

/** Bytes of a row: one f32 per car. A place in a row is the index of a car × 4. */
export const QUAD_ROW: usize = CAR_COUNT * 4;

@inline export function splat<T>(x: f32): T {
  if (isVector<T>()) return <T>f32x4.splat(x);
  return <T>x;
}

/** A number in memory, for one car or for all four. */
@inline export function constant<T>(address: usize): T {
  if (isVector<T>()) return <T>v128.load_splat<f32>(address);
  return <T>load<f32>(address);
}

@inline export function add<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f32x4.add(<v128>a, <v128>b);
  return <T>(<f32>a + <f32>b);
}

@inline export function sub<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f32x4.sub(<v128>a, <v128>b);
  return <T>(<f32>a - <f32>b);
}

@inline export function mul<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f32x4.mul(<v128>a, <v128>b);
  return <T>(<f32>a * <f32>b);
}

@inline export function div<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f32x4.div(<v128>a, <v128>b);
  return <T>(<f32>a / <f32>b);
}

@inline export function root<T>(a: T): T {
  if (isVector<T>()) return <T>f32x4.sqrt(<v128>a);
  return <T>sqrt<f32>(<f32>a);
}

@inline export function size<T>(a: T): T {
  if (isVector<T>()) return <T>f32x4.abs(<v128>a);
  return <T>abs<f32>(<f32>a);
}

@inline export function lesser<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f32x4.pmin(<v128>a, <v128>b);
  return <T>(<f32>b < <f32>a ? <f32>b : <f32>a);
}

@inline export function greater<T>(a: T, b: T): T {
  if (isVector<T>()) return <T>f32x4.pmax(<v128>a, <v128>b);
  return <T>(<f32>a < <f32>b ? <f32>b : <f32>a);
}

/** `then` if `a` < `b`, else `otherwise`, for each car. */
@inline export function whereLess<T>(a: T, b: T, then: T, otherwise: T): T {
  if (isVector<T>())
    return <T>v128.bitselect(<v128>then, <v128>otherwise, f32x4.lt(<v128>a, <v128>b));
  return <T>(<f32>a < <f32>b ? <f32>then : <f32>otherwise);
}

/** Whether `a` < `b` for any car. */
@inline export function anyLess<T>(a: T, b: T): bool {
  if (isVector<T>()) return v128.any_true(f32x4.lt(<v128>a, <v128>b));
  return <f32>a < <f32>b;
}
