import { add, constant, div, greater, mul, root, size, sub } from './quad';

/** Shape C of the curve sin(C atan u): with a stiffness of 20.9 its peak is at a slip of 0.15 rad. */
const SHAPE = 1.35;
const C = memory.data<f32>([1.35]);
export const PER_SHAPE = 1.0 / SHAPE;
/** The curve for u ≥ 0 as u (C + N1 u + N2 u²) ÷ (1 + D1 u + D2 u² + D3 u³), error below 2.5e-4. */
const N1 = memory.data<f32>([2.13925091]);
const N2 = memory.data<f32>([1.20693523]);
const D1 = memory.data<f32>([1.61147811]);
const D2 = memory.data<f32>([1.35682473]);
const D3 = memory.data<f32>([1.41512028]);
/** Least share (squared) of its side force that the friction ellipse leaves a sliding wheel. */
const ELLIPSE_MIN = memory.data<f32>([0.02]);

/**
 * Saturating tyre curve: share = sin(C atan(c tan α ÷ C)), Pacejka's formula without curvature
 * term, as a ratio of polynomials with one division. `grip`: cornering stiffness ÷ (friction ×
 * load), 1/rad, times PER_SHAPE. It takes the tangent of the slip angle as the ratio `across` ÷
 * `along` of velocities in the axes of the wheel (`along` > 0), which saves a division. It returns the
 * share of the friction limit that acts against the slip, −1 to 1.
 */
@inline export function saturating<T>(across: T, along: T, grip: T): T {
  const slip = mul<T>(grip, across);
  const x = size<T>(slip);
  const zz = mul<T>(along, along);
  const inner = add<T>(mul<T>(constant<T>(N1), along), mul<T>(constant<T>(N2), x));
  const above = add<T>(mul<T>(constant<T>(C), zz), mul<T>(x, inner));
  const deep = add<T>(mul<T>(constant<T>(D2), along), mul<T>(constant<T>(D3), x));
  const below = add<T>(
    mul<T>(zz, along),
    mul<T>(x, add<T>(mul<T>(constant<T>(D1), zz), mul<T>(x, deep))),
  );
  return div<T>(mul<T>(slip, above), below);
}

/** Friction limit that is left for side force when an axle also transmits `force`, m/s². */
@inline export function sideLimit<T>(limit: T, force: T): T {
  const all = mul<T>(limit, limit);
  return root<T>(
    greater<T>(sub<T>(all, mul<T>(force, force)), mul<T>(all, constant<T>(ELLIPSE_MIN))),
  );
}
