import {
  C_ACCEL, C_ACCEL_TARGET, C_ACCEL_WANTED, C_BRAKE, C_BRAKE_TICKS, C_DRIVE, C_EFFECTIVE, C_FLAGS, C_HX, C_HY, C_STATUS, C_STEER,
  C_STEER_TARGET, C_VX, C_VY, C_X, C_Y, C_YAW_RATE, CAR_COUNT, CT_PER_MASS, F_BRAKES, F_STEERING, F_THROTTLE, FLAG_BRAKING,
  STATUS_CRASHED, STATUS_DRIVING, STATUS_STOPPED,
} from './layout';
import { AIR_DRAG, integrateAll } from './dynamics';
import { clamp, greatest } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';

const TICK_S = 0.02;
/** Rate and limit of the road wheels' angle, rad/s and rad. */
const STEER_RATE = 0.6;
const STEER_MAX = 0.6;
/** Change of the wished acceleration, m/s³: towards driving, towards braking. */
const JERK_UP = 2.5;
const JERK_DOWN = 10.0;
/** Rolling resistance, and the drag of an engine that is not driving, m/s². */
const ROLLING = 0.15;
const ENGINE_DRAG = 0.4;
/** Below this speed the engine drags less and less, m/s. */
const ENGINE_FADE_MPS = 2.0;
/** Strongest drive, m/s², up to the speed above which power limits it, m/s. */
const DRIVE_MAX = 3.0;
const POWER_LIMIT_MPS = 8.0;
/** The drive train follows with this time constant, s. */
const DRIVE_LAG_S = 0.25;
/** Brakes act after so many ticks (0.1 s) and then build up, and let go, at so many m/s³. */
const BRAKE_DELAY_TICKS = 5;
const BRAKE_RATE = 30.0;
const STOPPED_MPS = 0.1;
/** Brake lights shine above this, m/s². */
const BRAKE_LIGHT = 0.4;
/** A wreck slides with this deceleration, m/s². */
const WRECK_DECEL = 6.0;

/** Actuators act, cars move. */
export function move(slab: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) slide(slab, car);
    else actuate(slab, car);
  }
  integrateAll(slab);
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    setI(slab, C_STATUS, car, getF(slab, C_VX, car) < STOPPED_MPS ? STATUS_STOPPED : STATUS_DRIVING);
  }
}

/** Turns wishes into wheel angle, drive and brake, with the actuators that the car has. */
export function actuate(slab: usize, car: i32): void {
  const effective = getI(slab, C_EFFECTIVE, car);
  if (effective & F_STEERING) {
    const angle = getF(slab, C_STEER, car);
    const wanted = clamp(getF(slab, C_STEER_TARGET, car), -STEER_MAX, STEER_MAX);
    setF(slab, C_STEER, car, angle + clamp(wanted - angle, -STEER_RATE * TICK_S, STEER_RATE * TICK_S));
  }
  const before = getF(slab, C_ACCEL_TARGET, car);
  const target = clamp(getF(slab, C_ACCEL_WANTED, car), before - JERK_DOWN * TICK_S, before + JERK_UP * TICK_S);
  setF(slab, C_ACCEL_TARGET, car, target);
  const speed = getF(slab, C_VX, car);
  const air = AIR_DRAG * speed * speed * load<f64>(typeOf(slab, car) + CT_PER_MASS);
  const force = target + ROLLING + air;
  push(slab, car, speed, (effective & F_THROTTLE) != 0 ? force : -ENGINE_DRAG);
  press(slab, car, speed, (effective & F_BRAKES) != 0 ? -force - ENGINE_DRAG : 0.0);
}

/** Drive train: first-order lag, power limit; drags where it does not drive. `force` in m/s². */
@inline function push(slab: usize, car: i32, speed: f64, force: f64): void {
  const drag = -ENGINE_DRAG * clamp(speed / ENGINE_FADE_MPS, 0.0, 1.0);
  const most = speed > POWER_LIMIT_MPS ? (DRIVE_MAX * POWER_LIMIT_MPS) / speed : DRIVE_MAX;
  const wanted = clamp(force, drag, most);
  const drive = getF(slab, C_DRIVE, car);
  let next = drive + (wanted - drive) * (TICK_S / (DRIVE_LAG_S + TICK_S));
  if (wanted <= 0.0 && next < 0.02) next = wanted;
  setF(slab, C_DRIVE, car, next);
}

/**
 * Brakes: dead time, then build-up. Rolling resistance is a brake that is always on. `force` in
 * m/s², negative where no braking is wanted.
 */
@inline function press(slab: usize, car: i32, speed: f64, force: f64): void {
  const pressed = getF(slab, C_BRAKE, car) - ROLLING;
  const isAsked = force > 0.0;
  const ticks = isAsked ? getI(slab, C_BRAKE_TICKS, car) + 1 : 0;
  const wanted = ticks > BRAKE_DELAY_TICKS ? force : 0.0;
  const next = clamp(wanted, pressed - BRAKE_RATE * TICK_S, pressed + BRAKE_RATE * TICK_S);
  setI(slab, C_BRAKE_TICKS, car, ticks > BRAKE_DELAY_TICKS ? BRAKE_DELAY_TICKS + 1 : ticks);
  setF(slab, C_BRAKE, car, greatest(next, 0.0) + ROLLING);
  setI(slab, C_FLAGS, car, next > BRAKE_LIGHT && speed >= 0.0 ? FLAG_BRAKING : 0);
}

/** A wreck keeps the direction that the collision gave it and loses speed evenly. */
function slide(slab: usize, car: i32): void {
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
