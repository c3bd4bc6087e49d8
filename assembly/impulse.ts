/**
 * Effect of a contact on two rigid bodies: one impulse at one point, with restitution along the
 * normal and Coulomb friction across it.
 */
import { SCRATCH } from './layout';
import { clamp } from './math';

/** Friction of bodywork against bodywork or masonry. */
export const BODY_FRICTION = 0.5;

/** Impulse on the first body, N s; the second body receives the opposite. */
export const IMPULSE_X: usize = SCRATCH + 296;
export const IMPULSE_Y: usize = SCRATCH + 304;

/** Coefficient of restitution by closing speed, m/s: low-speed crash tests, then nearly plastic. */
export function restitution(closing: f64): f64 {
  if (closing <= 2.0) return 0.3;
  if (closing <= 8.0) return 0.3 - ((closing - 2.0) * 0.2) / 6.0;
  if (closing <= 13.0) return 0.1 - ((closing - 8.0) * 0.05) / 5.0;
  return 0.05;
}

/**
 * Leaves the impulse of a contact; returns the kinetic energy lost, J, at least 0. Bodies that do
 * not approach each other receive none.
 *
 * `perMass` and `perInertia` are 1/kg and 1/(kg m²), 0 for immovable bodies. `r` leads from the
 * centre of gravity to the contact, n is the normal from the first body to the second, u the
 * velocity of the first body's contact point relative to the second's, `e` the restitution.
 */
export function impulse(
  perMassA: f64,
  perInertiaA: f64,
  rAx: f64,
  rAy: f64,
  perMassB: f64,
  perInertiaB: f64,
  rBx: f64,
  rBy: f64,
  nx: f64,
  ny: f64,
  ux: f64,
  uy: f64,
  e: f64,
  friction: f64,
): f64 {
  store<f64>(IMPULSE_X, 0.0);
  store<f64>(IMPULSE_Y, 0.0);
  const un = ux * nx + uy * ny;
  if (un <= 0.0) return 0.0;
  const ut = uy * nx - ux * ny;
  // Levers about the centres of gravity: r × n and r × t, where t is n turned to the left.
  const leverAn = rAx * ny - rAy * nx;
  const leverAt = rAx * nx + rAy * ny;
  const leverBn = rBx * ny - rBy * nx;
  const leverBt = rBx * nx + rBy * ny;
  const perMass = perMassA + perMassB;
  const kn = perMass + leverAn * leverAn * perInertiaA + leverBn * leverBn * perInertiaB;
  const kt = perMass + leverAt * leverAt * perInertiaA + leverBt * leverBt * perInertiaB;
  const cross = leverAn * leverAt * perInertiaA + leverBn * leverBt * perInertiaB;
  const jn = (-(1.0 + e) * un) / kn;
  const limit = friction * -jn;
  let jt = clamp(-ut / kt, -limit, limit);
  let lost = energyLost(kn, kt, cross, un, ut, jn, jt);
  if (lost < 0.0) {
    // Off the centre line, friction may do work: limit it to the amount that loses the most energy.
    const best = -(ut + cross * jn) / kt;
    jt = jt < 0.0 ? clamp(best, jt, 0.0) : clamp(best, 0.0, jt);
    lost = energyLost(kn, kt, cross, un, ut, jn, jt);
  }
  store<f64>(IMPULSE_X, jn * nx - jt * ny);
  store<f64>(IMPULSE_Y, jn * ny + jt * nx);
  return lost > 0.0 ? lost : 0.0;
}

/** The work of an impulse is its product with the mean of the speeds before and after. */
@inline function energyLost(kn: f64, kt: f64, cross: f64, un: f64, ut: f64, jn: f64, jt: f64): f64 {
  return -(jn * (un + 0.5 * (kn * jn + cross * jt)) + jt * (ut + 0.5 * (cross * jn + kt * jt)));
}
