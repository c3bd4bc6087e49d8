import {
  C_ACCEL, C_BRAKE, C_DRIVE, C_FRICTION_FRONT, C_FRICTION_REAR, C_HX, C_HY, C_LOAD_ACCEL, C_STATUS, C_STEER, C_VX, C_VY, C_X, C_Y,
  C_YAW_RATE, CAR_COUNT, CT_BRAKE_FRONT, CT_DRIVE_FRONT, CT_FRONT, CT_HEIGHT, CT_MASS, CT_PER_INERTIA, CT_PER_MASS,
  CT_PER_WHEELBASE, CT_REAR, CT_STIFFNESS_FRONT, CT_STIFFNESS_REAR, STATUS_CRASHED,
} from './layout';
import { getF, getI, typeOf } from './memory';
import { add, anyLess, div, greater, lesser, mul, root, size, splat, sub, whereLess, within } from './pair';
import { axleLoad, saturating, sideLimit } from './tyre';

/**
 * Nonlinear single-track model: two axles with saturating tyres, friction ellipse and load transfer,
 * in body-fixed velocities (m/s) and accelerations (forces ÷ mass). Integrated by the midpoint rule in
 * sub-steps; friction limits and load are frozen during a tick.
 */

const TICK_S = 0.02;
const SUBSTEPS = 2;
const SUBSTEP_S = TICK_S / <f64>SUBSTEPS;
/** ½ ρ c_d A, N s²/m². */
export const AIR_DRAG = 0.4;
/** Slip is taken at no less than this speed, m/s: below it the model would be stiff. */
const SLIP_SPEED_MIN = 2.0;
/** From the one to the other, m/s, wheels that only roll give way to tyres that slip. */
const ROLLING_MPS = 0.5;
const SLIPPING_MPS = 2.0;
/** A car that nothing drives and that came from below the one speed stands below the other, m/s. */
const LATCH_MPS = 0.3;
const STILL_MPS = 0.02;
/** Share of the friction limit that brakes under ABS, and a spinning driven axle, can use. */
const ABS_SHARE = 0.95;
const SPIN_SHARE = 0.98;
/** Low pass of the acceleration that shifts load, time constant 0.05 s: 1 − exp(−0.4). */
const LOAD_SHARE = 0.32967995396436073;

@inline function at<T>(slab: usize, array: usize, car: i32): T {
  return load<T>(slab + array + (<usize>car << 3));
}

@inline function put<T>(slab: usize, array: usize, car: i32, value: T): void {
  store<T>(slab + array + (<usize>car << 3), value);
}

/** A parameter of the type of a car, or of two. */
@inline function param<T>(slab: usize, car: i32, field: usize): T {
  if (isVector<T>()) {
    return <T>v128.load_lane<f64>(typeOf(slab, car + 1) + field, v128.load_splat<f64>(typeOf(slab, car) + field), 1);
  }
  return <T>load<f64>(typeOf(slab, car) + field);
}

/** Moves every car that is no wreck by one tick. */
export function integrateAll(slab: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (let car = 0; car < CAR_COUNT; car += 2) {
      const first = isMoving(slab, car);
      const second = isMoving(slab, car + 1);
      if (first || second) integrate<v128>(slab, car, i64x2(first ? -1 : 0, second ? -1 : 0));
    }
  } else {
    for (let car = 0; car < CAR_COUNT; car++) {
      if (isMoving(slab, car)) integrate<f64>(slab, car, 1.0);
    }
  }
}

/** Whether it is no wreck and does more than stand where nothing drives it. */
function isMoving(slab: usize, car: i32): bool {
  if (getI(slab, C_STATUS, car) == STATUS_CRASHED) return false;
  return getF(slab, C_VX, car) != 0.0 || getF(slab, C_VY, car) != 0.0 || getF(slab, C_DRIVE, car) > 0.0 || getF(slab, C_ACCEL, car) != 0.0;
}

/** Keeps what was of a neighbour that is not to be moved. */
@inline function update<T>(slab: usize, array: usize, car: i32, value: T, moving: T): void {
  if (isVector<T>()) put<v128>(slab, array, car, v128.bitselect(<v128>value, at<v128>(slab, array, car), <v128>moving));
  else put<T>(slab, array, car, value);
}

/** Sine for |x| ≤ 0.7 rad: Taylor series, error below 2e-7. */
@inline function sine<T>(x: T): T {
  const xx = mul<T>(x, x);
  let sum = add<T>(splat<T>(0.008333333333333333), mul<T>(xx, splat<T>(-0.0001984126984126984)));
  sum = add<T>(splat<T>(-0.16666666666666666), mul<T>(xx, sum));
  return mul<T>(x, add<T>(splat<T>(1.0), mul<T>(xx, sum)));
}

/** Cosine for |x| ≤ 0.7 rad: Taylor series, error below 2e-8. */
@inline function cosine<T>(x: T): T {
  const xx = mul<T>(x, x);
  let sum = add<T>(splat<T>(-0.001388888888888889), mul<T>(xx, splat<T>(0.0000248015873015873)));
  sum = add<T>(splat<T>(0.041666666666666664), mul<T>(xx, sum));
  sum = add<T>(splat<T>(-0.5), mul<T>(xx, sum));
  return add<T>(splat<T>(1.0), mul<T>(xx, sum));
}

/** −1 to 1 with the direction of travel, by way of 0 within ±0.1 m/s. */
@inline function direction<T>(speed: T): T {
  return within<T>(mul<T>(speed, splat<T>(10.0)), splat<T>(1.0));
}

/** One car (f64) or two (v128) by one tick; `moving` has the bits of those to be moved. */
@inline function integrate<T>(slab: usize, car: i32, moving: T): void {
  const one = splat<T>(1.0);
  const h = splat<T>(SUBSTEP_S);
  const halfStep = splat<T>(0.5 * SUBSTEP_S);
  const steer = at<T>(slab, C_STEER, car);
  const s = sine<T>(steer);
  const c = cosine<T>(steer);
  const lf = param<T>(slab, car, CT_FRONT);
  const lr = param<T>(slab, car, CT_REAR);
  const stiffnessFront = param<T>(slab, car, CT_STIFFNESS_FRONT);
  const stiffnessRear = param<T>(slab, car, CT_STIFFNESS_REAR);
  const perWheelbase = param<T>(slab, car, CT_PER_WHEELBASE);
  const drag = mul<T>(splat<T>(AIR_DRAG), param<T>(slab, car, CT_PER_MASS));
  const turning = mul<T>(param<T>(slab, car, CT_MASS), param<T>(slab, car, CT_PER_INERTIA));

  const before = at<T>(slab, C_VX, car);
  let vx = before;
  let vy = at<T>(slab, C_VY, car);
  let r = at<T>(slab, C_YAW_RATE, car);

  const height = param<T>(slab, car, CT_HEIGHT);
  const loadAccel = at<T>(slab, C_LOAD_ACCEL, car);
  const limitFront = mul<T>(at<T>(slab, C_FRICTION_FRONT, car), axleLoad<T>(lr, height, perWheelbase, loadAccel, -1.0));
  const limitRear = mul<T>(at<T>(slab, C_FRICTION_REAR, car), axleLoad<T>(lf, height, perWheelbase, loadAccel, 1.0));
  const drive = at<T>(slab, C_DRIVE, car);
  const brake = at<T>(slab, C_BRAKE, car);
  const driveShare = param<T>(slab, car, CT_DRIVE_FRONT);
  const brakeShare = param<T>(slab, car, CT_BRAKE_FRONT);
  const driveFront = lesser<T>(mul<T>(drive, driveShare), mul<T>(limitFront, splat<T>(SPIN_SHARE)));
  const driveRear = lesser<T>(mul<T>(drive, sub<T>(one, driveShare)), mul<T>(limitRear, splat<T>(SPIN_SHARE)));
  const brakeFront = lesser<T>(mul<T>(brake, brakeShare), mul<T>(limitFront, splat<T>(ABS_SHARE)));
  const brakeRear = lesser<T>(mul<T>(brake, sub<T>(one, brakeShare)), mul<T>(limitRear, splat<T>(ABS_SHARE)));
  const sense = direction<T>(vx);
  const sideFront = sideLimit<T>(limitFront, sub<T>(driveFront, mul<T>(brakeFront, sense)));
  const sideRear = sideLimit<T>(limitRear, sub<T>(driveRear, mul<T>(brakeRear, sense)));

  let x = at<T>(slab, C_X, car);
  let y = at<T>(slab, C_Y, car);
  let hx = at<T>(slab, C_HX, car);
  let hy = at<T>(slab, C_HY, car);
  // The state at which the accelerations are taken: the sub-step's start, then its middle.
  let ux = vx;
  let uy = vy;
  let ur = r;
  for (let half = 0; half < 2 * SUBSTEPS; half++) {
    const along = greater<T>(size<T>(ux), splat<T>(SLIP_SPEED_MIN));
    const frontAcross = add<T>(uy, mul<T>(lf, ur));
    const rearAcross = sub<T>(uy, mul<T>(lr, ur));
    const wheelAcross = sub<T>(mul<T>(frontAcross, c), mul<T>(along, s));
    const wheelAlong = add<T>(mul<T>(along, c), mul<T>(frontAcross, s));
    const pushFront = mul<T>(sideFront, saturating<T>(wheelAcross, wheelAlong, stiffnessFront));
    const pushRear = mul<T>(sideRear, saturating<T>(rearAcross, along, stiffnessRear));
    const travel = direction<T>(ux);
    const front = sub<T>(driveFront, mul<T>(brakeFront, travel));
    const rear = sub<T>(driveRear, mul<T>(brakeRear, travel));
    const air = mul<T>(drag, mul<T>(ux, size<T>(ux)));
    const forward = sub<T>(add<T>(add<T>(mul<T>(front, c), mul<T>(pushFront, s)), rear), air);
    const aside = sub<T>(mul<T>(front, s), mul<T>(pushFront, c));
    const ax = add<T>(forward, mul<T>(uy, ur));
    const ay = sub<T>(sub<T>(aside, pushRear), mul<T>(ux, ur));
    const ar = mul<T>(turning, add<T>(mul<T>(lf, aside), mul<T>(lr, pushRear)));
    if ((half & 1) == 0) {
      ux = add<T>(vx, mul<T>(ax, halfStep));
      uy = add<T>(vy, mul<T>(ay, halfStep));
      ur = add<T>(r, mul<T>(ar, halfStep));
      continue;
    }
    // Position by the velocity and the heading of the middle; the heading is rotated and made a unit
    // vector again by one Newton step.
    const turn = mul<T>(ur, h);
    const halfTurn = mul<T>(turn, splat<T>(0.5));
    const mx = sub<T>(hx, mul<T>(halfTurn, hy));
    const my = add<T>(hy, mul<T>(halfTurn, hx));
    const shrink = sub<T>(one, mul<T>(mul<T>(halfTurn, halfTurn), splat<T>(0.5)));
    const stride = mul<T>(h, shrink);
    x = add<T>(x, mul<T>(stride, sub<T>(mul<T>(ux, mx), mul<T>(uy, my))));
    y = add<T>(y, mul<T>(stride, add<T>(mul<T>(ux, my), mul<T>(uy, mx))));
    const swing = mul<T>(turn, shrink);
    const nx = sub<T>(hx, mul<T>(swing, my));
    const ny = add<T>(hy, mul<T>(swing, mx));
    const norm = sub<T>(splat<T>(1.5), mul<T>(splat<T>(0.5), add<T>(mul<T>(nx, nx), mul<T>(ny, ny))));
    hx = mul<T>(nx, norm);
    hy = mul<T>(ny, norm);

    const last = vx;
    vx = add<T>(vx, mul<T>(ax, h));
    vy = add<T>(vy, mul<T>(ay, h));
    r = add<T>(r, mul<T>(ar, h));
    const speed = greater<T>(size<T>(vx), size<T>(vy));
    if (anyLess<T>(speed, splat<T>(SLIPPING_MPS))) {
      // Wheels that only roll: smoothstep from no slip at all to the model above.
      const ratio = mul<T>(sub<T>(speed, splat<T>(ROLLING_MPS)), splat<T>(1.0 / (SLIPPING_MPS - ROLLING_MPS)));
      const t = lesser<T>(greater<T>(ratio, splat<T>(0.0)), one);
      const slips = mul<T>(mul<T>(t, t), sub<T>(splat<T>(3.0), add<T>(t, t)));
      const rolls = sub<T>(one, slips);
      const rollRate = mul<T>(mul<T>(vx, div<T>(s, c)), perWheelbase);
      const blended = add<T>(mul<T>(slips, r), mul<T>(rolls, rollRate));
      const slow = splat<T>(SLIPPING_MPS);
      vy = whereLess<T>(speed, slow, add<T>(mul<T>(slips, vy), mul<T>(rolls, mul<T>(lr, blended))), vy);
      r = whereLess<T>(speed, slow, blended, r);
      const zero = splat<T>(0.0);
      const pushed = whereLess<T>(zero, drive, one, whereLess<T>(splat<T>(LATCH_MPS), size<T>(last), one, zero));
      const stands = whereLess<T>(splat<T>(STILL_MPS), vx, one, pushed);
      vx = whereLess<T>(stands, one, zero, vx);
      vy = whereLess<T>(stands, one, zero, vy);
      r = whereLess<T>(stands, one, zero, r);
    }
    ux = vx;
    uy = vy;
    ur = r;
  }
  const gained = mul<T>(sub<T>(vx, before), splat<T>(1.0 / TICK_S));
  const felt = sub<T>(gained, mul<T>(vy, r));
  update<T>(slab, C_X, car, x, moving);
  update<T>(slab, C_Y, car, y, moving);
  update<T>(slab, C_HX, car, hx, moving);
  update<T>(slab, C_HY, car, hy, moving);
  update<T>(slab, C_VX, car, vx, moving);
  update<T>(slab, C_VY, car, vy, moving);
  update<T>(slab, C_YAW_RATE, car, r, moving);
  update<T>(slab, C_ACCEL, car, gained, moving);
  update<T>(slab, C_LOAD_ACCEL, car, add<T>(loadAccel, mul<T>(splat<T>(LOAD_SHARE), sub<T>(felt, loadAccel))), moving);
}
