import {
  CT_MASS,
  CT_PER_INERTIA,
  CT_WHEELBASE,
  C_ACCEL,
  C_EFFECTIVE,
  C_FLAGS,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_STATUS,
  C_TOW,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  F_BRAKES,
  STATUS_CRASHED,
  TICK_S,
  TOW_NONE,
} from './layout';
import { carsWith } from './masks';
import { greatest, least } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';
import { AIR_DRAG } from './type-rows';
import { GRAVITY } from './tyre';

/** Braking of a wreck that still has brakes, and least deceleration of any wreck, m/s². */
const BRAKE_DECEL = 4.0;
const ROLLING_DECEL = 0.2;

/** Moves every wreck by one tick. */
export function slideWrecks(slab: usize): void {
  // One that is pulled, or stands at the roadside, does not slide.
  const wrecks = carsWith(slab, C_STATUS, STATUS_CRASHED) & carsWith(slab, C_TOW, TOW_NONE);
  for (let left = wrecks; left != 0; left &= left - 1) slide(slab, <i32>ctz(left));
}

/**
 * One tick of a wreck: it brakes or rolls along its wheels, its tyres scrub across them, and the
 * scrub slows its spin. All three only decelerate.
 */
function slide(slab: usize, car: i32): void {
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  const yawRate = getF(slab, C_YAW_RATE, car);
  setI(slab, C_FLAGS, car, 0);
  if (vx == 0.0 && vy == 0.0 && yawRate == 0.0) {
    setF(slab, C_ACCEL, car, 0.0);
    return;
  }
  const type = typeOf(slab, car);
  const mass = load<f64>(type + CT_MASS);
  const arm = 0.5 * load<f64>(type + CT_WHEELBASE);
  const grip =
    0.5 * GRAVITY * (getF(slab, C_FRICTION_FRONT, car) + getF(slab, C_FRICTION_REAR, car));
  // Sliding speed of the tyres: translation and rotation.
  const slip = sqrt(vx * vx + vy * vy + arm * arm * yawRate * yawRate);
  const hasBrakes = (getI(slab, C_EFFECTIVE, car) & F_BRAKES) != 0;
  const braking = hasBrakes ? least(BRAKE_DECEL, (grip * abs(vx)) / slip) : 0.0;
  const along = greatest(braking, ROLLING_DECEL) + (AIR_DRAG * vx * vx) / mass;
  const across = greatest((grip * abs(vy)) / slip, ROLLING_DECEL);
  const leverage = mass * load<f64>(type + CT_PER_INERTIA) * arm;
  const turning = leverage * greatest((grip * arm * abs(yawRate)) / slip, ROLLING_DECEL);
  const nextVx = slowed(vx, along);
  drift(slab, car, nextVx, slowed(vy, across), slowed(yawRate, turning));
  setF(slab, C_ACCEL, car, (nextVx - vx) / TICK_S);
}

/** Speed after one tick of a deceleration, which ends at 0. */
@inline function slowed(speed: f64, decel: f64): f64 {
  const less = decel * TICK_S;
  return speed > less ? speed - less : speed < -less ? speed + less : 0.0;
}

/**
 * Position by the mean velocity of the tick. The direction of the velocity stays while the car
 * turns.
 */
function drift(slab: usize, car: i32, vx: f64, vy: f64, yawRate: f64): void {
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const meanX = 0.5 * (vx + getF(slab, C_VX, car));
  const meanY = 0.5 * (vy + getF(slab, C_VY, car));
  setF(slab, C_X, car, getF(slab, C_X, car) + (meanX * hx - meanY * hy) * TICK_S);
  setF(slab, C_Y, car, getF(slab, C_Y, car) + (meanX * hy + meanY * hx) * TICK_S);
  // Rotation by the tangent of half the angle keeps the length.
  const half = 0.25 * TICK_S * (yawRate + getF(slab, C_YAW_RATE, car));
  const scale = 1.0 / (1.0 + half * half);
  const cosine = (1.0 - half * half) * scale;
  const sine = 2.0 * half * scale;
  const tx = hx * cosine - hy * sine;
  const ty = hy * cosine + hx * sine;
  const norm = 1.0 / sqrt(tx * tx + ty * ty);
  setF(slab, C_HX, car, tx * norm);
  setF(slab, C_HY, car, ty * norm);
  setF(slab, C_VX, car, vx * cosine + vy * sine);
  setF(slab, C_VY, car, vy * cosine - vx * sine);
  setF(slab, C_YAW_RATE, car, yawRate);
}
