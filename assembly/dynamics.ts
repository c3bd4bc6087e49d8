import {
  CT_BRAKE_FRONT,
  CT_DRIVE_FRONT,
  CT_FRONT,
  CT_HEIGHT,
  CT_MASS,
  CT_PER_INERTIA,
  CT_PER_MASS,
  CT_PER_WHEELBASE,
  CT_REAR,
  CT_STIFFNESS_FRONT,
  CT_STIFFNESS_REAR,
  C_ACCEL,
  C_BRAKE,
  C_DRIVE,
  C_ESC_BRAKE_FRONT,
  C_ESC_BRAKE_REAR,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_LOAD_ACCEL,
  C_SLOPE,
  C_STATUS,
  C_STEER,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_MOMENT,
  C_YAW_RATE,
  DYNAMICS,
  STATUS_CRASHED,
  TICK_S,
} from './layout';
import { typeOf } from './memory';
import {
  add,
  anyLess,
  constant,
  div,
  greater,
  HALF,
  lesser,
  mul,
  ONE,
  ROW,
  size,
  splat,
  sub,
  whereLess,
  within,
} from './pair';
import { cosine, sine } from './series';
import { axleLoad, PER_SHAPE_AT, saturating, sideLimit } from './tyre';

/**
 * Nonlinear single-track model: two axles with saturating tyres, friction ellipse and load transfer,
 * in body-fixed velocities (m/s) and accelerations (forces ÷ mass). Integrated by the midpoint rule in
 * sub-steps; friction limits and load are frozen during a tick.
 */

const SUBSTEPS = 2;
const SUBSTEP_S = TICK_S / <f64>SUBSTEPS;
const SUBSTEP = memory.data<f64>([SUBSTEP_S]);
const HALF_SUBSTEP = memory.data<f64>([0.5 * SUBSTEP_S]);
const TICKS_PER_S = memory.data<f64>([1.0 / TICK_S]);
/** ½ ρ c_d A, N s²/m². */
export const AIR_DRAG = 0.4;
export const AIR_DRAG_AT = memory.data<f64>([AIR_DRAG]);
/** Slip is computed with at least this speed, m/s: below it the model would be stiff. */
const SLIP_SPEED_MIN = memory.data<f64>([2.0]);
/** Between these speeds, m/s, wheels change from pure rolling to tyres that slip. */
const ROLLING_MPS = 0.5;
const SLIPPING_MPS = 2.0;
const SLIPPING = memory.data<f64>([SLIPPING_MPS]);
/**
 * A car that its brakes can hold stops below the second speed if it came from below the first, m/s.
 */
const LATCH_MPS = 0.3;
const STILL_MPS = 0.02;
/** Share of the friction limit that brakes with ABS and a spinning driven axle can use. */
export const ABS_SHARE = 0.95;
const ABS_BRAKES = memory.data<f64>([-ABS_SHARE]);
const SPIN_SHARE = memory.data<f64>([0.98]);
/** Low pass of the acceleration that shifts load, time constant 0.05 s: 1 − exp(−0.4). */
const LOAD_SHARE = memory.data<f64>([0.32967995396436073]);

/** The direction of travel is linear up to 0.1 m/s. */
const PER_CREEP_MPS = memory.data<f64>([10.0]);
const ONE_AND_HALF = memory.data<f64>([1.5]);

/**
 * Values that the stages of a tick pass on, one f64 per car, in rows of DYNAMICS. Each stage
 * processes all cars before the next one begins: cars are independent, so the processor overlaps
 * their work.
 */
const S_SINE: usize = ROW * 0 + DYNAMICS;
const S_COSINE: usize = ROW * 1 + DYNAMICS;
const S_LF: usize = ROW * 2 + DYNAMICS;
const S_LR: usize = ROW * 3 + DYNAMICS;
const S_GRIP_FRONT: usize = ROW * 4 + DYNAMICS;
const S_GRIP_REAR: usize = ROW * 5 + DYNAMICS;
const S_DRAG: usize = ROW * 6 + DYNAMICS;
const S_TURNING: usize = ROW * 7 + DYNAMICS;
const S_FORWARD: usize = ROW * 8 + DYNAMICS;
const S_ASIDE: usize = ROW * 9 + DYNAMICS;
const S_SIDE_FRONT: usize = ROW * 10 + DYNAMICS;
const S_SIDE_REAR: usize = ROW * 11 + DYNAMICS;
const S_X: usize = ROW * 12 + DYNAMICS;
const S_Y: usize = ROW * 13 + DYNAMICS;
const S_HX: usize = ROW * 14 + DYNAMICS;
const S_HY: usize = ROW * 15 + DYNAMICS;
const S_VX: usize = ROW * 16 + DYNAMICS;
const S_VY: usize = ROW * 17 + DYNAMICS;
const S_YAW_RATE: usize = ROW * 18 + DYNAMICS;
/** State in the middle of a sub-step, at which accelerations are evaluated. */
const S_MID_VX: usize = ROW * 19 + DYNAMICS;
const S_MID_VY: usize = ROW * 20 + DYNAMICS;
const S_MID_YAW_RATE: usize = ROW * 21 + DYNAMICS;
/** 1 for cars that move, 0 for others; valid until the next tick. */
export const MOVES: usize = ROW * 22 + DYNAMICS;
/** Yaw acceleration by braking on one side. */
const S_MOMENT: usize = ROW * 23 + DYNAMICS;

/** A parameter of the types of two cars, or of the first one. */
@inline export function param<T>(first: usize, second: usize, field: usize): T {
  if (isVector<T>())
    return <T>v128.load_lane<f64>(second + field, v128.load_splat<f64>(first + field), 1);
  return <T>load<f64>(first + field);
}

/** Moves every car that is no wreck by one tick. */
export function integrate<T>(slab: usize): void {
  const width: usize = sizeof<T>();
  for (let place: usize = 0; place < ROW; place += width) {
    store<T>(place, moves<T>(slab, place), MOVES);
    if (isAny<T>(load<T>(place, MOVES))) prepare<T>(slab, place);
  }
  for (let n = 0; n < SUBSTEPS; n++) {
    for (let place: usize = 0; place < ROW; place += width) {
      if (isAny<T>(load<T>(place, MOVES))) toMiddle<T>(place);
    }
    for (let place: usize = 0; place < ROW; place += width) {
      if (isAny<T>(load<T>(place, MOVES))) toEnd<T>(slab, place);
    }
  }
  for (let place: usize = 0; place < ROW; place += width) {
    if (isAny<T>(load<T>(place, MOVES))) finish<T>(slab, place);
  }
}

/** 1 for a car that is no wreck and moves or is driven, else 0. */
@inline function moves<T>(slab: usize, place: usize): T {
  const cars = slab + place;
  const zero = splat<T>(0.0);
  const one = constant<T>(ONE);
  const stirred = greater<T>(size<T>(load<T>(cars, C_VX)), size<T>(load<T>(cars, C_VY)));
  const drive = add<T>(load<T>(cars, C_DRIVE), load<T>(cars, C_SLOPE));
  const pushed = greater<T>(sub<T>(drive, load<T>(cars, C_BRAKE)), size<T>(load<T>(cars, C_ACCEL)));
  return mul<T>(
    notWrecked<T>(slab, place),
    whereLess<T>(zero, greater<T>(stirred, pushed), one, zero),
  );
}

@inline function notWrecked<T>(slab: usize, place: usize): T {
  const status = slab + (place >> 1);
  if (isVector<T>()) {
    const wide = i64x2.extend_low_i32x4_u(v128.load_zero<u64>(status, C_STATUS));
    return <T>v128.and(i64x2.ne(wide, i64x2.splat(STATUS_CRASHED)), f64x2.splat(1.0));
  }
  return <T>(load<i32>(status, C_STATUS) != STATUS_CRASHED ? 1.0 : 0.0);
}

@inline function isAny<T>(flags: T): bool {
  if (isVector<T>()) return v128.any_true(<v128>flags);
  return <f64>flags != 0.0;
}

/** Direction of travel: −1 to 1, linear within ±0.1 m/s. */
@inline function direction<T>(speed: T): T {
  return within<T>(mul<T>(speed, constant<T>(PER_CREEP_MPS)), constant<T>(ONE));
}

/**
 * Computes what is constant during the tick: geometry, forces along the wheels, limits across them.
 * Brakes act against the direction of travel at its start.
 */
@inline function prepare<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const one = constant<T>(ONE);
  const a = typeOf(slab, <i32>(place >> 3));
  const b = isVector<T>() ? typeOf(slab, <i32>(place >> 3) + 1) : a;
  const lf = param<T>(a, b, CT_FRONT);
  const lr = param<T>(a, b, CT_REAR);
  const perWheelbase = param<T>(a, b, CT_PER_WHEELBASE);
  const height = param<T>(a, b, CT_HEIGHT);
  const loadAccel = load<T>(cars, C_LOAD_ACCEL);
  const limitFront = mul<T>(
    load<T>(cars, C_FRICTION_FRONT),
    axleLoad<T>(lr, height, perWheelbase, loadAccel, -1.0),
  );
  const limitRear = mul<T>(
    load<T>(cars, C_FRICTION_REAR),
    axleLoad<T>(lf, height, perWheelbase, loadAccel, 1.0),
  );
  const vx = load<T>(cars, C_VX);
  const drive = load<T>(cars, C_DRIVE);
  const brake = load<T>(cars, C_BRAKE);
  const along = direction<T>(vx);
  const driveShare = param<T>(a, b, CT_DRIVE_FRONT);
  const brakeShare = param<T>(a, b, CT_BRAKE_FRONT);
  const brakeFront = add<T>(mul<T>(brake, brakeShare), load<T>(cars, C_ESC_BRAKE_FRONT));
  const brakeRear = add<T>(mul<T>(brake, sub<T>(one, brakeShare)), load<T>(cars, C_ESC_BRAKE_REAR));
  const front = wheelForce<T>(mul<T>(drive, driveShare), mul<T>(brakeFront, along), limitFront);
  const rear = wheelForce<T>(
    mul<T>(drive, sub<T>(one, driveShare)),
    mul<T>(brakeRear, along),
    limitRear,
  );
  const steer = load<T>(cars, C_STEER);
  const s = sine<T>(steer);
  const c = cosine<T>(steer);
  store<T>(place, s, S_SINE);
  store<T>(place, c, S_COSINE);
  store<T>(place, lf, S_LF);
  store<T>(place, lr, S_LR);
  const perShape = constant<T>(PER_SHAPE_AT);
  store<T>(place, mul<T>(perShape, param<T>(a, b, CT_STIFFNESS_FRONT)), S_GRIP_FRONT);
  store<T>(place, mul<T>(perShape, param<T>(a, b, CT_STIFFNESS_REAR)), S_GRIP_REAR);
  store<T>(place, mul<T>(constant<T>(AIR_DRAG_AT), param<T>(a, b, CT_PER_MASS)), S_DRAG);
  store<T>(place, mul<T>(param<T>(a, b, CT_MASS), param<T>(a, b, CT_PER_INERTIA)), S_TURNING);
  store<T>(place, add<T>(add<T>(mul<T>(front, c), rear), load<T>(cars, C_SLOPE)), S_FORWARD);
  store<T>(place, mul<T>(front, s), S_ASIDE);
  store<T>(place, sideLimit<T>(limitFront, front), S_SIDE_FRONT);
  store<T>(place, sideLimit<T>(limitRear, rear), S_SIDE_REAR);
  store<T>(place, load<T>(cars, C_YAW_MOMENT), S_MOMENT);
  store<T>(place, load<T>(cars, C_X), S_X);
  store<T>(place, load<T>(cars, C_Y), S_Y);
  store<T>(place, load<T>(cars, C_HX), S_HX);
  store<T>(place, load<T>(cars, C_HY), S_HY);
  store<T>(place, vx, S_VX);
  store<T>(place, load<T>(cars, C_VY), S_VY);
  store<T>(place, load<T>(cars, C_YAW_RATE), S_YAW_RATE);
}

/** Force along an axle's wheels, m/s², limited by wheel spin and by ABS. */
@inline function wheelForce<T>(drive: T, brake: T, limit: T): T {
  const most = mul<T>(limit, constant<T>(SPIN_SHARE));
  const least = mul<T>(limit, constant<T>(ABS_BRAKES));
  return lesser<T>(greater<T>(sub<T>(drive, brake), least), most);
}

/**
 * Velocities in the middle or at the end of the sub-step: those at its start plus the accelerations
 * at (`ux`, `uy`, `ur`).
 */
@inline function accelerate<T>(place: usize, ux: T, uy: T, ur: T, toMiddle: bool): void {
  const s = load<T>(place, S_SINE);
  const c = load<T>(place, S_COSINE);
  const lf = load<T>(place, S_LF);
  const lr = load<T>(place, S_LR);
  const slowest = constant<T>(SLIP_SPEED_MIN);
  const frontAcross = add<T>(uy, mul<T>(lf, ur));
  const rearAcross = sub<T>(uy, mul<T>(lr, ur));
  const rearAlong = greater<T>(size<T>(ux), slowest);
  const wheelAcross = sub<T>(mul<T>(frontAcross, c), mul<T>(ux, s));
  const wheelAlong = greater<T>(size<T>(add<T>(mul<T>(ux, c), mul<T>(frontAcross, s))), slowest);
  const pushFront = mul<T>(
    load<T>(place, S_SIDE_FRONT),
    saturating<T>(wheelAcross, wheelAlong, load<T>(place, S_GRIP_FRONT)),
  );
  const pushRear = mul<T>(
    load<T>(place, S_SIDE_REAR),
    saturating<T>(rearAcross, rearAlong, load<T>(place, S_GRIP_REAR)),
  );
  const air = mul<T>(load<T>(place, S_DRAG), mul<T>(ux, size<T>(ux)));
  const forward = sub<T>(add<T>(load<T>(place, S_FORWARD), mul<T>(pushFront, s)), air);
  const aside = sub<T>(load<T>(place, S_ASIDE), mul<T>(pushFront, c));
  const ax = add<T>(forward, mul<T>(uy, ur));
  const ay = sub<T>(sub<T>(aside, pushRear), mul<T>(ux, ur));
  const turning = mul<T>(
    load<T>(place, S_TURNING),
    add<T>(mul<T>(lf, aside), mul<T>(lr, pushRear)),
  );
  const ar = add<T>(turning, load<T>(place, S_MOMENT));
  const step = constant<T>(toMiddle ? HALF_SUBSTEP : SUBSTEP);
  const vx = add<T>(load<T>(place, S_VX), mul<T>(ax, step));
  const vy = add<T>(load<T>(place, S_VY), mul<T>(ay, step));
  const yawRate = add<T>(load<T>(place, S_YAW_RATE), mul<T>(ar, step));
  if (toMiddle) {
    store<T>(place, vx, S_MID_VX);
    store<T>(place, vy, S_MID_VY);
    store<T>(place, yawRate, S_MID_YAW_RATE);
  } else {
    store<T>(place, vx, S_VX);
    store<T>(place, vy, S_VY);
    store<T>(place, yawRate, S_YAW_RATE);
  }
}

@inline function toMiddle<T>(place: usize): void {
  const vx = load<T>(place, S_VX);
  const vy = load<T>(place, S_VY);
  const yawRate = load<T>(place, S_YAW_RATE);
  accelerate<T>(place, vx, vy, yawRate, true);
}

@inline function toEnd<T>(slab: usize, place: usize): void {
  const ux = load<T>(place, S_MID_VX);
  const uy = load<T>(place, S_MID_VY);
  const ur = load<T>(place, S_MID_YAW_RATE);
  travel<T>(place, ux, uy, ur);
  const last = load<T>(place, S_VX);
  accelerate<T>(place, ux, uy, ur, false);
  const speed = greater<T>(size<T>(load<T>(place, S_VX)), size<T>(load<T>(place, S_VY)));
  if (anyLess<T>(speed, constant<T>(SLIPPING))) roll<T>(slab, place, speed, last);
}

/**
 * Position and heading from the velocities and the heading in the middle. One Newton step
 * normalises the rotated heading.
 */
@inline function travel<T>(place: usize, ux: T, uy: T, ur: T): void {
  const h = constant<T>(SUBSTEP);
  const hx = load<T>(place, S_HX);
  const hy = load<T>(place, S_HY);
  const turn = mul<T>(ur, h);
  const halfTurn = mul<T>(turn, constant<T>(HALF));
  const mx = sub<T>(hx, mul<T>(halfTurn, hy));
  const my = add<T>(hy, mul<T>(halfTurn, hx));
  const shrink = sub<T>(constant<T>(ONE), mul<T>(mul<T>(halfTurn, halfTurn), constant<T>(HALF)));
  const stride = mul<T>(h, shrink);
  store<T>(
    place,
    add<T>(load<T>(place, S_X), mul<T>(stride, sub<T>(mul<T>(ux, mx), mul<T>(uy, my)))),
    S_X,
  );
  store<T>(
    place,
    add<T>(load<T>(place, S_Y), mul<T>(stride, add<T>(mul<T>(ux, my), mul<T>(uy, mx)))),
    S_Y,
  );
  const swing = mul<T>(turn, shrink);
  const nx = sub<T>(hx, mul<T>(swing, my));
  const ny = add<T>(hy, mul<T>(swing, mx));
  const norm = sub<T>(
    constant<T>(ONE_AND_HALF),
    mul<T>(constant<T>(HALF), add<T>(mul<T>(nx, nx), mul<T>(ny, ny))),
  );
  store<T>(place, mul<T>(nx, norm), S_HX);
  store<T>(place, mul<T>(ny, norm), S_HY);
}

/**
 * Slow wheels only roll: a smoothstep leads from no slip to the full model. A car stops for good if
 * no more than its brakes and rolling resistance act on it. `last`: speed before the sub-step.
 */
@inline function roll<T>(slab: usize, place: usize, speed: T, last: T): void {
  const cars = slab + place;
  const zero = splat<T>(0.0);
  const one = constant<T>(ONE);
  const slow = constant<T>(SLIPPING);
  const vx = load<T>(place, S_VX);
  const vy = load<T>(place, S_VY);
  const yawRate = load<T>(place, S_YAW_RATE);
  const ratio = mul<T>(
    sub<T>(speed, splat<T>(ROLLING_MPS)),
    splat<T>(1.0 / (SLIPPING_MPS - ROLLING_MPS)),
  );
  const t = lesser<T>(greater<T>(ratio, zero), one);
  const slips = mul<T>(mul<T>(t, t), sub<T>(splat<T>(3.0), add<T>(t, t)));
  const rolls = sub<T>(one, slips);
  const lr = load<T>(place, S_LR);
  const wheelbase = add<T>(load<T>(place, S_LF), lr);
  const rollRate = div<T>(
    mul<T>(vx, load<T>(place, S_SINE)),
    mul<T>(load<T>(place, S_COSINE), wheelbase),
  );
  const turning = add<T>(mul<T>(slips, yawRate), mul<T>(rolls, rollRate));
  const sliding = add<T>(mul<T>(slips, vy), mul<T>(rolls, mul<T>(lr, turning)));
  const fast = whereLess<T>(splat<T>(LATCH_MPS), size<T>(last), one, zero);
  const drive = add<T>(load<T>(cars, C_DRIVE), load<T>(cars, C_SLOPE));
  const pushed = whereLess<T>(load<T>(cars, C_BRAKE), drive, one, fast);
  const held = whereLess<T>(speed, splat<T>(ROLLING_MPS), pushed, one);
  const decidesToGo = whereLess<T>(splat<T>(STILL_MPS), vx, one, held);
  store<T>(place, whereLess<T>(decidesToGo, one, zero, vx), S_VX);
  store<T>(
    place,
    whereLess<T>(decidesToGo, one, zero, whereLess<T>(speed, slow, sliding, vy)),
    S_VY,
  );
  store<T>(
    place,
    whereLess<T>(decidesToGo, one, zero, whereLess<T>(speed, slow, turning, yawRate)),
    S_YAW_RATE,
  );
}

/** Writes the new state; a neighbour that does not move keeps its own. */
@inline function finish<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const vx = load<T>(place, S_VX);
  const vy = load<T>(place, S_VY);
  const yawRate = load<T>(place, S_YAW_RATE);
  const gained = mul<T>(sub<T>(vx, load<T>(cars, C_VX)), constant<T>(TICKS_PER_S));
  const loadAccel = load<T>(cars, C_LOAD_ACCEL);
  const felt = sub<T>(gained, mul<T>(vy, yawRate));
  store<T>(cars, keep<T>(place, load<T>(place, S_X), load<T>(cars, C_X)), C_X);
  store<T>(cars, keep<T>(place, load<T>(place, S_Y), load<T>(cars, C_Y)), C_Y);
  store<T>(cars, keep<T>(place, load<T>(place, S_HX), load<T>(cars, C_HX)), C_HX);
  store<T>(cars, keep<T>(place, load<T>(place, S_HY), load<T>(cars, C_HY)), C_HY);
  store<T>(cars, keep<T>(place, vx, load<T>(cars, C_VX)), C_VX);
  store<T>(cars, keep<T>(place, vy, load<T>(cars, C_VY)), C_VY);
  store<T>(cars, keep<T>(place, yawRate, load<T>(cars, C_YAW_RATE)), C_YAW_RATE);
  store<T>(cars, keep<T>(place, gained, load<T>(cars, C_ACCEL)), C_ACCEL);
  const shifted = add<T>(loadAccel, mul<T>(constant<T>(LOAD_SHARE), sub<T>(felt, loadAccel)));
  store<T>(cars, keep<T>(place, shifted, loadAccel), C_LOAD_ACCEL);
}

@inline function keep<T>(place: usize, value: T, before: T): T {
  return whereLess<T>(splat<T>(0.0), load<T>(place, MOVES), value, before);
}
