import { add, div, greater, mul, root, size, splat, sub } from './pair';

/**
 * Forces of an axle ÷ mass of the car, so in m/s². A curve takes the tangent of the slip angle as a
 * ratio `across` ÷ `along` of velocities in the wheel's own axes, which saves a division, and gives
 * the share of the friction limit that pushes back, −1 to 1.
 */

const GRAVITY = 9.81;
/** Shape of the curve sin(C atan(…)): its peak lies at a slip of 0.15 rad for a stiffness of 20.9. */
const SHAPE = 1.35;
export const PER_SHAPE = 1.0 / SHAPE;
/** sin(C θ) ÷ sin θ as a polynomial of cos θ, error below 8e-4 of the friction limit. */
const G0 = 0.8533914621491341;
const G1 = 0.6889845595384115;
const G2 = -0.26478579766999594;
const G3 = 0.07240977598245037;
/** The friction ellipse leaves a sliding wheel this share (squared) of its side force. */
const ELLIPSE_MIN = 0.02;

/**
 * Saturating curve of a rubber tyre: share = sin(C atan(c tan α ÷ C)), Pacejka's shape without its
 * curvature term. With θ the inner arc tangent, sin θ and cos θ come from one square root.
 * `grip`: cornering stiffness ÷ (friction × load), 1/rad, times PER_SHAPE.
 */
@inline export function saturating<T>(across: T, along: T, grip: T): T {
  const x = mul<T>(grip, across);
  const z = size<T>(along);
  const inverse = div<T>(splat<T>(1.0), root<T>(add<T>(mul<T>(x, x), mul<T>(z, z))));
  const cosine = mul<T>(z, inverse);
  let ratio = add<T>(splat<T>(G2), mul<T>(cosine, splat<T>(G3)));
  ratio = add<T>(splat<T>(G1), mul<T>(cosine, ratio));
  ratio = add<T>(splat<T>(G0), mul<T>(cosine, ratio));
  return mul<T>(mul<T>(x, inverse), ratio);
}

/** Linear curve, share = c tan α: what the published single-track model has. */
@inline export function linear<T>(across: T, along: T, stiffness: T): T {
  return div<T>(mul<T>(stiffness, across), along);
}

/**
 * Load on an axle ÷ mass, m/s²: static, with what the acceleration `accel` (m/s²) shifts by the
 * height of the centre of gravity. `opposite`: distance of the other axle from it, m; `shift`: −1 for
 * the front axle, 1 for the rear.
 */
@inline export function axleLoad<T>(opposite: T, height: T, perWheelbase: T, accel: T, shift: f64): T {
  const moved = mul<T>(mul<T>(accel, height), splat<T>(shift));
  const load = mul<T>(add<T>(mul<T>(splat<T>(GRAVITY), opposite), moved), perWheelbase);
  return greater<T>(load, splat<T>(0.1));
}

/** What is left of an axle's friction limit for side force when it also transmits `force`, m/s². */
@inline export function sideLimit<T>(limit: T, force: T): T {
  const used = div<T>(force, limit);
  const left = sub<T>(splat<T>(1.0), mul<T>(used, used));
  return mul<T>(limit, root<T>(greater<T>(left, splat<T>(ELLIPSE_MIN))));
}
