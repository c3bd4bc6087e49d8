import {
  C_ACCEL_TARGET,
  C_ACCEL_WANTED,
  C_BRAKE,
  C_BRAKE_TICKS,
  C_DRIVE,
  C_EMERGENCY,
  C_EVADE_S,
  C_SLOPE,
  C_STEER,
  C_STEER_TARGET,
  C_VX,
  F_BRAKES,
  F_STEERING,
  F_THROTTLE,
  TICK_S,
} from './layout';
import {
  add,
  constant,
  div,
  greater,
  having,
  lesser,
  mul,
  ONE,
  QUAD_ROW,
  splat,
  sub,
  whereLess,
  within,
} from './quad';
import { TR_AIR_DRAG } from './type-rows';

/** Rate of the road wheels' angle, normally and while evading, rad/s, and its limit, rad. */
const STEER_RATE = 0.6;
const EVADE_RATE = 0.8;
const STEER_MAX = memory.data<f32>([0.6]);
/** Of a tick. */
const STEER_SWING = memory.data<f32>([<f32>(STEER_RATE * TICK_S)]);
const EVADE_SWING = memory.data<f32>([<f32>(EVADE_RATE * TICK_S)]);
/** Jerk limits of the wished acceleration towards driving and towards braking, m/s³. */
const JERK_UP = 2.5;
const JERK_DOWN = 10.0;
/** Of a tick. */
const EASE_UP = memory.data<f32>([<f32>(JERK_UP * TICK_S)]);
const EASE_DOWN = memory.data<f32>([<f32>(JERK_DOWN * TICK_S)]);
/** Rolling resistance, and drag of an engine that does not drive, m/s². */
export const ROLLING = 0.15;
const ROLLING_AT = memory.data<f32>([<f32>ROLLING]);
const ENGINE_DRAG = memory.data<f32>([-0.4]);
/** Below this speed the engine drag fades, m/s. */
const PER_FADE_MPS = memory.data<f32>([<f32>(1.0 / 2.0)]);
/** Greatest drive acceleration, m/s², up to the speed above which power limits it, m/s. */
const DRIVE_MAX = 3.0;
const POWER_LIMIT_MPS = 8.0;
const POWER_LIMIT = memory.data<f32>([<f32>POWER_LIMIT_MPS]);
/** ÷ mass of the car, m²/s³. */
const POWER_MAX = memory.data<f32>([<f32>(DRIVE_MAX * POWER_LIMIT_MPS)]);
/** Time constant of the drive train, s, and the drive below which it settles, m/s². */
const DRIVE_LAG_S = 0.25;
const DRIVE_MIN = memory.data<f32>([0.02]);
/** Of the way to the wished drive, in a tick. */
const DRIVE_SHARE = memory.data<f32>([<f32>(TICK_S / (DRIVE_LAG_S + TICK_S))]);
/**
 * Dead time of the brakes in ticks (0.1 s), and the rate at which they build up and release, m/s³.
 */
export const BRAKE_DELAY_TICKS = 5.0;
export const BRAKE_RATE = 30.0;
const BRAKE_DELAY = memory.data<f32>([<f32>BRAKE_DELAY_TICKS]);
const BRAKE_TICKS_MAX = memory.data<f32>([<f32>(BRAKE_DELAY_TICKS + 1.0)]);
/** Of a tick, m/s². */
const BRAKE_STEP = memory.data<f32>([<f32>(BRAKE_RATE * TICK_S)]);

/** Turns the wishes of driver and functions into wheel angles, drive and brakes. */
export function actuate<T>(slab: usize): void {
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>()) {
    steer<T>(slab, place);
    drive<T>(slab, place);
  }
}

/** Turns the front wheels towards the wished angle. */
@inline function steer<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const angle = load<T>(cars, C_STEER);
  const wanted = within<T>(load<T>(cars, C_STEER_TARGET), constant<T>(STEER_MAX));
  const rate = whereLess<T>(
    splat<T>(0.0),
    load<T>(cars, C_EVADE_S),
    constant<T>(EVADE_SWING),
    constant<T>(STEER_SWING),
  );
  const swing = within<T>(sub<T>(wanted, angle), rate);
  store<T>(cars, add<T>(angle, mul<T>(having<T>(slab, place, F_STEERING), swing)), C_STEER);
}

/** Divides the wished acceleration between drive train and brakes. */
@inline function drive<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const before = load<T>(cars, C_ACCEL_TARGET);
  const slowest = sub<T>(before, constant<T>(EASE_DOWN));
  const wish = greater<T>(load<T>(cars, C_ACCEL_WANTED), slowest);
  const comfort = lesser<T>(wish, add<T>(before, constant<T>(EASE_UP)));
  // A driver takes the foot off the throttle while a function brakes harder than comfort allows.
  const zero = splat<T>(0.0);
  const emergency = sub<T>(zero, load<T>(cars, C_EMERGENCY));
  const eased = whereLess<T>(emergency, zero, lesser<T>(comfort, zero), comfort);
  const target = whereLess<T>(emergency, zero, lesser<T>(comfort, emergency), comfort);
  store<T>(cars, eased, C_ACCEL_TARGET);
  const speed = load<T>(cars, C_VX);
  const air = mul<T>(mul<T>(speed, speed), load<T>(place, TR_AIR_DRAG));
  const force = sub<T>(
    add<T>(add<T>(target, constant<T>(ROLLING_AT)), air),
    load<T>(cars, C_SLOPE),
  );
  push<T>(slab, place, speed, force);
  press<T>(slab, place, sub<T>(constant<T>(ENGINE_DRAG), force));
}

/** Drive train: first-order lag, power limit, and drag when it does not drive. `force` in m/s². */
@inline function push<T>(slab: usize, place: usize, speed: T, force: T): void {
  const cars = slab + place;
  const zero = splat<T>(0.0);
  const fade = lesser<T>(
    greater<T>(mul<T>(speed, constant<T>(PER_FADE_MPS)), zero),
    constant<T>(ONE),
  );
  const drag = mul<T>(constant<T>(ENGINE_DRAG), fade);
  const most = div<T>(constant<T>(POWER_MAX), greater<T>(speed, constant<T>(POWER_LIMIT)));
  const asked = greater<T>(lesser<T>(force, most), drag);
  const wanted = whereLess<T>(zero, having<T>(slab, place, F_THROTTLE), asked, drag);
  const drive = load<T>(cars, C_DRIVE);
  const next = add<T>(drive, mul<T>(sub<T>(wanted, drive), constant<T>(DRIVE_SHARE)));
  const settled = whereLess<T>(next, constant<T>(DRIVE_MIN), wanted, next);
  store<T>(cars, whereLess<T>(zero, wanted, next, settled), C_DRIVE);
}

/**
 * Brakes: dead time, then build-up. Rolling resistance is a brake that is always on. `force` in
 * m/s², negative if no braking is wanted.
 */
@inline function press<T>(slab: usize, place: usize, force: T): void {
  const cars = slab + place;
  const zero = splat<T>(0.0);
  const asked = mul<T>(force, having<T>(slab, place, F_BRAKES));
  const longer = lesser<T>(
    add<T>(load<T>(cars, C_BRAKE_TICKS), constant<T>(ONE)),
    constant<T>(BRAKE_TICKS_MAX),
  );
  const ticks = whereLess<T>(zero, asked, longer, zero);
  store<T>(cars, ticks, C_BRAKE_TICKS);
  const wanted = whereLess<T>(constant<T>(BRAKE_DELAY), ticks, asked, zero);
  const pressed = load<T>(cars, C_BRAKE);
  const change = within<T>(
    sub<T>(add<T>(wanted, constant<T>(ROLLING_AT)), pressed),
    constant<T>(BRAKE_STEP),
  );
  store<T>(cars, add<T>(pressed, change), C_BRAKE);
}
