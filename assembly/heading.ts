import { add, div, greater, lesser, mul, signed, size, splat, sub, whereLess } from './pair';

const UNITS_PER_RAD = 10000.0;
/**
 * The arc tangent of t from 0 to 1 is t times this polynomial of t², within 1e-8 rad: it meets
 * atan(√u) ÷ √u at the nine Chebyshev nodes of u from 0 to 1.
 */
const A0 = 0.9999999817886558;
const A1 = -0.33333036709286157;
const A2 = 0.19991872029106628;
const A3 = -0.14197797794066258;
const A4 = 0.10618370636872568;
const A5 = -0.07456854825805077;
const A6 = 0.0421376235864789;
const A7 = -0.015731249120286894;
const A8 = 0.002766283501232013;
/** As near to a half, in units, the error of 1e-4 could round to the other side. */
const NEAR_HALF = 0.0005;

/** The directions of one car or of two neighbours, in 1e-4 rad, within 1e-4 of that; no vector may be 0. */
@inline function angles<T>(hx: T, hy: T): T {
  const along = size<T>(hx);
  const across = size<T>(hy);
  const t = div<T>(lesser<T>(along, across), greater<T>(along, across));
  const u = mul<T>(t, t);
  let sum = add<T>(mul<T>(splat<T>(A8), u), splat<T>(A7));
  sum = add<T>(mul<T>(sum, u), splat<T>(A6));
  sum = add<T>(mul<T>(sum, u), splat<T>(A5));
  sum = add<T>(mul<T>(sum, u), splat<T>(A4));
  sum = add<T>(mul<T>(sum, u), splat<T>(A3));
  sum = add<T>(mul<T>(sum, u), splat<T>(A2));
  sum = add<T>(mul<T>(sum, u), splat<T>(A1));
  sum = add<T>(mul<T>(sum, u), splat<T>(A0));
  const acute = mul<T>(sum, t);
  const first = whereLess<T>(along, across, sub<T>(splat<T>(NativeMath.PI / 2.0), acute), acute);
  const zero = splat<T>(0.0);
  const half = whereLess<T>(hx, zero, sub<T>(splat<T>(NativeMath.PI), first), first);
  return mul<T>(signed<T>(half, hy), splat<T>(UNITS_PER_RAD));
}

/**
 * The nearest whole number of 1e-4 rad: that of the library's arc tangent, which serves where the
 * polynomial may not tell. It is shown, and no step uses it, so that it may be the library's.
 */
@inline function wholeAngle(angle: f64, hx: f64, hy: f64): i32 {
  const fraction = angle - floor(angle);
  if (abs(fraction - 0.5) > NEAR_HALF) return <i32>nearest(angle);
  return <i32>nearest(NativeMath.atan2(hy, hx) * UNITS_PER_RAD);
}

/** The heading of a direction, in 1e-4 rad. */
export function heading(hx: f64, hy: f64): i32 {
  if (!ASC_FEATURE_SIMD) return wholeAngle(angles<f64>(hx, hy), hx, hy);
  const angle = angles<v128>(f64x2.splat(hx), f64x2.splat(hy));
  return wholeAngle(f64x2.extract_lane(angle, 0), hx, hy);
}

/**
 * Stores the headings of two neighbours, i32 each.
 * @param rowX,rowY where the parts of their directions are, f64 each
 */
export function storeHeadings(rowX: usize, rowY: usize, first: usize, second: usize): void {
  const ax = load<f64>(rowX);
  const ay = load<f64>(rowY);
  const bx = load<f64>(rowX, 8);
  const by = load<f64>(rowY, 8);
  if (ASC_FEATURE_SIMD) {
    const both = angles<v128>(v128.load(rowX), v128.load(rowY));
    store<i32>(first, wholeAngle(f64x2.extract_lane(both, 0), ax, ay));
    store<i32>(second, wholeAngle(f64x2.extract_lane(both, 1), bx, by));
  } else {
    store<i32>(first, heading(ax, ay));
    store<i32>(second, heading(bx, by));
  }
}
