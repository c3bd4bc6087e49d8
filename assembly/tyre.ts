import { add, constant, div, greater, mul, splat } from './quad';

/** Forces of an axle ÷ mass of the car, m/s². */

/** m/s². */
export const GRAVITY = 9.81;
const GRAVITY_AT = memory.data<f32>([<f32>GRAVITY]);
/** Least load on an axle ÷ mass of the car, m/s². */
const LOAD_MIN = memory.data<f32>([0.1]);

/**
 * Linear tyre curve, share of the friction limit = c tan α, as in the published single-track model. See
 * `saturating` for its arguments.
 */
@inline export function linear<T>(across: T, along: T, stiffness: T): T {
  return div<T>(mul<T>(stiffness, across), along);
}

/**
 * Load on an axle ÷ mass, m/s²: the static load plus the shift by `accel` (m/s²) at the height of
 * the centre of gravity. `opposite`: distance of the other axle from it, m; `shift`: −1 for the
 * front axle, 1 for the rear.
 */
@inline export function axleLoad<T>(
  opposite: T,
  height: T,
  perWheelbase: T,
  accel: T,
  shift: f32,
): T {
  const moved = mul<T>(mul<T>(accel, height), splat<T>(shift));
  const load = mul<T>(add<T>(mul<T>(constant<T>(GRAVITY_AT), opposite), moved), perWheelbase);
  return greater<T>(load, constant<T>(LOAD_MIN));
}
