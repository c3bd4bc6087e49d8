import { CAR_COUNT, C_EFFECTIVE } from './layout';

/**
 * Arithmetic on one car (T = f32) or on four neighbours at once (T = v128, four f32). Both use the same operations in the same order and give the same bits.
 */

/** Bytes of a row: one f32 per car. A place in a row is the index of a car × 4. */
export const QUAD_ROW: usize = CAR_COUNT * 4;

@inline export function splat<T>(x: f32): T {
  if (isVector<T>()) return <T>f32x4.splat(x);
  return <T>x;
}

/**
 * A number in memory, for one car or for all four. V8 makes a vector of a number with three instructions
 * each time, and loads it with one.
 */
@inline export function constant<T>(address: usize): T {
  if (isVector<T>()) return <T>v128.load_splat<f32>(address);
  return <T>load<f32>(address);
}

export const ONE = memory.data<f32>([1.0]);
export const HALF = memory.data<f32>([0.5]);

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

/** `a` limited to ±`bound`. */
@inline export function within<T>(a: T, bound: T): T {
  return lesser<T>(greater<T>(a, sub<T>(splat<T>(0.0), bound)), bound);
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

/** Bit of each car for which `a` < `b`: of the first one bit 0. */
@inline export function bitsLess<T>(a: T, b: T): u32 {
  if (isVector<T>()) return <u32>i32x4.bitmask(f32x4.lt(<v128>a, <v128>b));
  return <u32>(<f32>a < <f32>b);
}

/** Whether the value of every car is 0. */
@inline export function isAllZero<T>(a: T): bool {
  if (isVector<T>()) return i32x4.all_true(f32x4.eq(<v128>a, f32x4.splat(0.0)));
  return <f32>a == 0.0;
}

/** 1 if a car effectively has a feature, else 0. */
@inline export function having<T>(slab: usize, place: usize, feature: i32): T {
  const masks = slab + place;
  if (isVector<T>()) {
    const bits = v128.and(v128.load(masks, C_EFFECTIVE), i32x4.splat(feature));
    return <T>v128.and(i32x4.ne(bits, i32x4.splat(0)), f32x4.splat(1.0));
  }
  return <T>((load<i32>(masks, C_EFFECTIVE) & feature) != 0 ? <f32>1.0 : <f32>0.0);
}
