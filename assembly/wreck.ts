import { C_ACCEL, C_FLAGS, C_HX, C_HY, C_VX, C_VY, C_X, C_Y, C_YAW_RATE } from './layout';
import { getF, setF, setI } from './memory';

const TICK_S = 0.02;
/** A wreck slides with this deceleration, m/s². */
const WRECK_DECEL = 6.0;

/** A wreck keeps the direction that the collision gave it and loses speed evenly. */
export function slide(slab: usize, car: i32): void {
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  const speed = sqrt(vx * vx + vy * vy);
  const left = speed - WRECK_DECEL * TICK_S;
  const share = left > 0.0 ? left / speed : 0.0;
  advance(slab, car, vx * share, vy * share, 0.0, TICK_S);
  setF(slab, C_VX, car, vx * share);
  setF(slab, C_VY, car, vy * share);
  setF(slab, C_YAW_RATE, car, 0.0);
  setF(slab, C_ACCEL, car, speed > 0.0 ? -WRECK_DECEL : 0.0);
  setI(slab, C_FLAGS, car, 0);
}

/** Rigid motion for a tick: position by the middle heading. */
function advance(slab: usize, car: i32, vx: f64, vy: f64, yawRate: f64, dt: f64): void {
  const half = 0.5 * yawRate * dt;
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const mx = hx - half * hy;
  const my = hy + half * hx;
  const scale = 1.0 / sqrt(mx * mx + my * my);
  setF(slab, C_X, car, getF(slab, C_X, car) + (vx * mx - vy * my) * scale * dt);
  setF(slab, C_Y, car, getF(slab, C_Y, car) + (vx * my + vy * mx) * scale * dt);
}
