import {
  CT_BRAKE_FRONT,
  CT_DRIVE_FRONT,
  CT_FRONT,
  CT_HEIGHT,
  CT_MASS,
  CT_PER_INERTIA,
  CT_PER_WHEELBASE,
  CT_REAR,
  CT_UNDERSTEER,
  CT_WHEELBASE,
  C_ACTED,
  C_BRAKE,
  C_DRIVE,
  C_EFFECTIVE,
  C_ESC_ACTIVE,
  C_ESC_BRAKE_FRONT,
  C_ESC_BRAKE_REAR,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_LOAD_ACCEL,
  C_STATUS,
  C_STEER,
  C_VX,
  C_VY,
  C_YAW_MOMENT,
  C_YAW_RATE,
  C_YAW_REFERENCE,
  ESC_TICKS,
  EVENT_INTERVENTION,
  F_BRAKES,
  F_ESC,
  H_TICK,
  STATUS_CRASHED,
} from '../layout';
import { raise } from '../events';
import { clamp, least } from '../math';
import { getF, getI, setF, setI, typeOf } from '../memory';
import {
  add,
  anyLess,
  constant,
  div,
  greater,
  lesser,
  mul,
  QUAD_ROW,
  size,
  splat,
  sub,
  whereLess,
  within,
} from '../quad';
import { TR_REAR, TR_UNDERSTEER, TR_WHEELBASE } from '../type-rows';
import { axleLoad, GRAVITY } from '../tyre';

/**
 * Electronic stability control: compares the yaw rate with that of the single-track model at the
 * same wheel angle, and brakes one wheel if the two differ (Rajamani: Vehicle Dynamics and Control,
 * chapter 8).
 */

/** Speed below which it does not act, m/s. */
const SPEED_MIN = 4.0;
const SPEED_MIN_AT = memory.data<f32>([<f32>SPEED_MIN]);
/** Greatest share of the friction that the reference uses. */
const ACROSS_SHARE = 0.85;
const ACROSS_SHARE_AT = memory.data<f32>([<f32>ACROSS_SHARE]);
/**
 * Lag of the reference, 0.06 s: 1 − exp(−1/3) per tick; slower on slippery roads, as the car itself
 * is.
 */
const REFERENCE_SHARE = 0.28346868942621073;
const REFERENCE_SHARE_AT = memory.data<f32>([<f32>REFERENCE_SHARE]);
/** Deviation of the yaw rate at which an intervention begins and ends, rad/s: 3 and 1.2 °/s. */
const YAW_ON = 0.05235987755982989;
const YAW_ON_AT = memory.data<f32>([<f32>YAW_ON]);
const YAW_OFF = 0.020943951023931952;
/** The same for the slip at the rear axle, as a tangent: 5° and 3°. */
const SLIP_ON = 0.08748866352592401;
const SLIP_ON_AT = memory.data<f32>([<f32>SLIP_ON]);
const SLIP_OFF = 0.05240777928304121;
/** Yaw acceleration per deviation of the yaw rate, 1/s: 14 kN m s ÷ 2,000 kg m². */
const GAIN = 7.0;
/** Half the track, m. */
const ARM_M = 0.75;
/** Greatest share of the friction limit that the braked wheel uses. */
const WHEEL_SHARE = 0.9;
/** Greatest share of an axle's limit that slowing down or understeer braking uses. */
const SPARE_SHARE = 0.7;
/**
 * Share of the friction at which all wheels brake if the driver steers more than the road allows.
 */
const SLOWING_SHARE = 0.25;
/** Greatest share of its axle's friction limit that the drive uses. */
const TRACTION_SHARE = 0.5;
const DRAG_SHARE = 0.1;
/** Factor on the understeer gradient for the dry road of the reference. */
const PER_DRY = 1.0 / 0.95;
/** Greatest acceleration across for a friction, m/s². */
const ACROSS_MAX = memory.data<f32>([<f32>(ACROSS_SHARE * GRAVITY)]);
const REFERENCE_PER_FRICTION = memory.data<f32>([<f32>(REFERENCE_SHARE * PER_DRY)]);

/** A lesser reference is none, rad/s. */
const YAW_LEAST = memory.data<f32>([1e-12]);
const MINUS_ONE = memory.data<f32>([-1.0]);

/** Lets the stability control of each car act, as many cars at once as `T` holds. */
export function stabilise<T>(slab: usize): void {
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>()) {
    if (refer<T>(slab, place) || isAtIt<T>(slab, place)) {
      const first = <i32>(place >> 2);
      const end = first + <i32>(sizeof<T>() >> 2);
      for (let car = first; car < end; car++) control(slab, car);
    }
  }
}

@inline function isAtIt<T>(slab: usize, place: usize): bool {
  const address = slab + C_ESC_ACTIVE + place;
  if (isVector<T>()) return v128.any_true(v128.load(address));
  return load<u32>(address) != 0;
}

/**
 * Updates the reference; whether any car deviates from it or slips. Slip is taken at the rear axle,
 * because a tight turn alone causes as much at the centre of gravity.
 */
@inline function refer<T>(slab: usize, place: usize): bool {
  const cars = slab + place;
  const vx = load<T>(cars, C_VX);
  const yawRate = load<T>(cars, C_YAW_RATE);
  const slowest = constant<T>(SPEED_MIN_AT);
  const understeer = load<T>(place, TR_UNDERSTEER);
  const reach = add<T>(load<T>(place, TR_WHEELBASE), mul<T>(understeer, mul<T>(vx, vx)));
  const friction = lesser<T>(load<T>(cars, C_FRICTION_FRONT), load<T>(cars, C_FRICTION_REAR));
  const most = div<T>(mul<T>(friction, constant<T>(ACROSS_MAX)), greater<T>(vx, slowest));
  const asked = div<T>(mul<T>(vx, load<T>(cars, C_STEER)), reach);
  const target = whereLess<T>(vx, slowest, yawRate, within<T>(asked, most));
  const before = load<T>(cars, C_YAW_REFERENCE);
  const pace = within<T>(
    mul<T>(friction, constant<T>(REFERENCE_PER_FRICTION)),
    constant<T>(REFERENCE_SHARE_AT),
  );
  const next = add<T>(before, mul<T>(sub<T>(target, before), pace));
  // It ends at 0 before it comes to subnormal numbers, which slow processors down.
  const reference = whereLess<T>(size<T>(next), constant<T>(YAW_LEAST), splat<T>(0.0), next);
  store<T>(cars, reference, C_YAW_REFERENCE);
  const rearAcross = size<T>(sub<T>(load<T>(cars, C_VY), mul<T>(load<T>(place, TR_REAR), yawRate)));
  const beyondSlip = sub<T>(rearAcross, mul<T>(vx, constant<T>(SLIP_ON_AT)));
  const beyondYaw = sub<T>(size<T>(sub<T>(yawRate, reference)), constant<T>(YAW_ON_AT));
  const beyondRoad = sub<T>(mul<T>(size<T>(asked), constant<T>(ACROSS_SHARE_AT)), most);
  const worst = greater<T>(greater<T>(beyondSlip, beyondYaw), beyondRoad);
  const beyond = whereLess<T>(vx, slowest, constant<T>(MINUS_ONE), worst);
  return anyLess<T>(splat<T>(0.0), beyond);
}

/** Begins, continues or ends the intervention of one car. */
function control(slab: usize, car: i32): void {
  const left = getI(slab, C_ESC_ACTIVE, car);
  if (mayAct(slab, car) && isNeeded(slab, car, left == ESC_TICKS)) {
    if (left == 0)
      raise(slab, load<u32>(slab + H_TICK), EVENT_INTERVENTION, car, ctz(F_ESC), -1, 0, -1);
    setI(slab, C_ESC_ACTIVE, car, ESC_TICKS);
    setI(slab, C_ACTED, car, getI(slab, C_ACTED, car) | F_ESC | F_BRAKES);
    intervene(slab, car);
    return;
  }
  if (left == 0) return;
  if (left == ESC_TICKS) brake(slab, car, 0.0, 0.0, 0.0);
  setI(slab, C_ESC_ACTIVE, car, left - 1);
}

@inline function mayAct(slab: usize, car: i32): bool {
  const hasIt = (getI(slab, C_EFFECTIVE, car) & F_ESC) != 0;
  return hasIt && getI(slab, C_STATUS, car) != STATUS_CRASHED && getF(slab, C_VX, car) >= SPEED_MIN;
}

/**
 * An intervention is needed for yaw deviation, for slip, and if the driver steers more than the
 * road allows: a car that follows its lane would steer ever more.
 */
function isNeeded(slab: usize, car: i32, isActive: bool): bool {
  const vx = getF(slab, C_VX, car);
  const asked = askedShare(slab, car);
  const yawRate = getF(slab, C_YAW_RATE, car);
  const error = abs(yawRate - getF(slab, C_YAW_REFERENCE, car));
  const slip = abs(getF(slab, C_VY, car) - load<f64>(typeOf(slab, car) + CT_REAR) * yawRate);
  if (isActive) return error >= YAW_OFF || slip >= SLIP_OFF * vx || asked >= ACROSS_SHARE;
  return error > YAW_ON || slip > SLIP_ON * vx || asked > 1.0;
}

/** Share of the friction that the wheel angle would need. */
function askedShare(slab: usize, car: i32): f64 {
  const type = typeOf(slab, car);
  const vx = getF(slab, C_VX, car);
  const reach =
    load<f64>(type + CT_WHEELBASE) + load<f64>(type + CT_UNDERSTEER) * PER_DRY * vx * vx;
  const friction = least(getF(slab, C_FRICTION_FRONT, car), getF(slab, C_FRICTION_REAR, car));
  return (vx * vx * abs(getF(slab, C_STEER, car))) / (reach * friction * GRAVITY);
}

/**
 * Brakes the outer front wheel against oversteer, the inner rear wheel against understeer, and all
 * wheels if the car is too fast for the steering.
 */
function intervene(slab: usize, car: i32): void {
  const type = typeOf(slab, car);
  const front =
    getF(slab, C_FRICTION_FRONT, car) * loadOn(slab, car, load<f64>(type + CT_REAR), -1.0);
  const rear =
    getF(slab, C_FRICTION_REAR, car) * loadOn(slab, car, load<f64>(type + CT_FRONT), 1.0);
  const reference = getF(slab, C_YAW_REFERENCE, car);
  const error = getF(slab, C_YAW_RATE, car) - reference;
  const turnsMore = error * reference > 0.0;
  const isTooFast = !turnsMore || askedShare(slab, car) >= ACROSS_SHARE;
  const drive = limitDrive(
    slab,
    car,
    load<f64>(type + CT_DRIVE_FRONT) * (front - rear) + rear,
    isTooFast,
  );
  const share = load<f64>(type + CT_BRAKE_FRONT);
  const driveShare = load<f64>(type + CT_DRIVE_FRONT);
  const pedal = getF(slab, C_BRAKE, car);
  // Engine and pedal brake as well: beyond its share an axle releases the pedal's part.
  const spareFront = SPARE_SHARE * front - pedal * share + drive * driveShare;
  const spareRear = SPARE_SHARE * rear - pedal * (1.0 - share) + drive * (1.0 - driveShare);
  const slowing = SLOWING_SHARE * (front + rear);
  const slowFront = isTooFast ? least(slowing * share, spareFront) : 0.0;
  const slowRear = isTooFast ? least(slowing * (1.0 - share), spareRear) : 0.0;
  const leverage = load<f64>(type + CT_MASS) * load<f64>(type + CT_PER_INERTIA) * ARM_M;
  const most = turnsMore
    ? 0.5 * WHEEL_SHARE * front
    : least(0.5 * WHEEL_SHARE * rear, spareRear - slowRear);
  const force = least((GAIN * abs(error)) / leverage, most);
  const wheelFront = turnsMore ? force : 0.0;
  const moment = error > 0.0 ? -force * leverage : force * leverage;
  brake(slab, car, slowFront + wheelFront, slowRear + force - wheelFront, moment);
}

@inline function loadOn(slab: usize, car: i32, opposite: f64, shift: f64): f64 {
  const type = typeOf(slab, car);
  const height = load<f64>(type + CT_HEIGHT);
  return axleLoad<f32>(
    <f32>opposite,
    <f32>height,
    <f32>load<f64>(type + CT_PER_WHEELBASE),
    <f32>getF(slab, C_LOAD_ACCEL, car),
    <f32>shift,
  );
}

/**
 * Drive of the car, m/s², within a share of its axle's friction limit, and none if the car is too
 * fast. On ice the engine drag alone would exceed the grip, so it is limited too.
 */
@inline function limitDrive(slab: usize, car: i32, limit: f64, isTooFast: bool): f64 {
  const most = isTooFast ? 0.0 : TRACTION_SHARE * limit;
  const drive = clamp(getF(slab, C_DRIVE, car), -DRAG_SHARE * limit, most);
  setF(slab, C_DRIVE, car, drive);
  return drive;
}

/** Brake force of each axle ÷ mass, m/s², and the resulting yaw moment ÷ inertia, rad/s². */
function brake(slab: usize, car: i32, front: f64, rear: f64, moment: f64): void {
  setF(slab, C_ESC_BRAKE_FRONT, car, front);
  setF(slab, C_ESC_BRAKE_REAR, car, rear);
  setF(slab, C_YAW_MOMENT, car, moment);
}
