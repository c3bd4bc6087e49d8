import {
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
  STATUS_CRASHED,
  TICK_S,
} from './layout';
import {
  add,
  constant,
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
import {
  MOVES,
  S_AHEAD,
  S_FRONT,
  S_LEFT,
  S_LIMIT_FRONT,
  S_LIMIT_REAR,
  S_MOMENT,
  S_PUSHED,
  S_REAR,
  S_SLOPE,
  S_STEER,
  S_TURN,
  S_VX,
  S_VY,
  S_YAW_RATE,
  substeps,
} from './substeps';
import {
  TR_BRAKE_FRONT,
  TR_DRIVE_FRONT,
  TR_FRONT,
  TR_HEIGHT,
  TR_PER_WHEELBASE,
  TR_REAR,
} from './type-rows';
import { axleLoad } from './tyre';

/**
 * Nonlinear single-track model: two axles with saturating tyres, friction ellipse and load transfer,
 * in body-fixed velocities (m/s) and accelerations (forces ÷ mass). Integrated by the midpoint rule in
 * `substeps`; friction limits and load are frozen during a tick.
 */

const TICKS_PER_S = memory.data<f64>([1.0 / TICK_S]);
/** Share of the friction limit that brakes with ABS and a spinning driven axle can use. */
export const ABS_SHARE = 0.95;
const ABS_BRAKES = memory.data<f64>([-ABS_SHARE]);
const SPIN_SHARE = memory.data<f64>([0.98]);
/** Low pass of the acceleration that shifts load, time constant 0.05 s: 1 − exp(−0.4). */
const LOAD_SHARE = memory.data<f64>([0.32967995396436073]);

/** The direction of travel is linear up to 0.1 m/s. */
const PER_CREEP_MPS = memory.data<f64>([10.0]);
const SIXTH = memory.data<f64>([0.16666666666666666]);
const ONE_AND_HALF = memory.data<f64>([1.5]);

/** Moves every car that is no wreck by one tick. */
export function integrate<T>(slab: usize): void {
  const width: usize = sizeof<T>();
  for (let place: usize = 0; place < ROW; place += width) {
    store<T>(place, moves<T>(slab, place), MOVES);
    if (isAny<T>(load<T>(place, MOVES))) prepare<T>(slab, place);
  }
  if (isVector<T>()) substeps<v128>();
  else substeps<f32>();
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
 * Computes what is constant during the tick: geometry, forces along the wheels, friction limits.
 * Brakes act against the direction of travel at its start.
 */
@inline function prepare<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const one = constant<T>(ONE);
  const perWheelbase = load<T>(place, TR_PER_WHEELBASE);
  const height = load<T>(place, TR_HEIGHT);
  const loadAccel = load<T>(cars, C_LOAD_ACCEL);
  const limitFront = mul<T>(
    load<T>(cars, C_FRICTION_FRONT),
    axleLoad<T>(load<T>(place, TR_REAR), height, perWheelbase, loadAccel, -1.0),
  );
  const limitRear = mul<T>(
    load<T>(cars, C_FRICTION_REAR),
    axleLoad<T>(load<T>(place, TR_FRONT), height, perWheelbase, loadAccel, 1.0),
  );
  const vx = load<T>(cars, C_VX);
  const drive = load<T>(cars, C_DRIVE);
  const brake = load<T>(cars, C_BRAKE);
  const slope = load<T>(cars, C_SLOPE);
  const along = direction<T>(vx);
  const driveShare = load<T>(place, TR_DRIVE_FRONT);
  const brakeShare = load<T>(place, TR_BRAKE_FRONT);
  const brakeFront = add<T>(mul<T>(brake, brakeShare), load<T>(cars, C_ESC_BRAKE_FRONT));
  const brakeRear = add<T>(mul<T>(brake, sub<T>(one, brakeShare)), load<T>(cars, C_ESC_BRAKE_REAR));
  const front = wheelForce<T>(mul<T>(drive, driveShare), mul<T>(brakeFront, along), limitFront);
  const rear = wheelForce<T>(
    mul<T>(drive, sub<T>(one, driveShare)),
    mul<T>(brakeRear, along),
    limitRear,
  );
  narrow<T>(place, load<T>(cars, C_STEER), S_STEER);
  narrow<T>(place, front, S_FRONT);
  narrow<T>(place, rear, S_REAR);
  narrow<T>(place, limitFront, S_LIMIT_FRONT);
  narrow<T>(place, limitRear, S_LIMIT_REAR);
  narrow<T>(place, slope, S_SLOPE);
  narrow<T>(place, load<T>(cars, C_YAW_MOMENT), S_MOMENT);
  const zero = splat<T>(0.0);
  narrow<T>(place, whereLess<T>(brake, add<T>(drive, slope), one, zero), S_PUSHED);
  narrow<T>(place, vx, S_VX);
  narrow<T>(place, load<T>(cars, C_VY), S_VY);
  narrow<T>(place, load<T>(cars, C_YAW_RATE), S_YAW_RATE);
}

/** Stores f64 values of a place in a row of f32. */
@inline function narrow<T>(place: usize, value: T, row: usize): void {
  if (isVector<T>())
    v128.store_lane<u64>((place >> 1) + row, f32x4.demote_f64x2_zero(<v128>value), 0);
  else store<f32>((place >> 1) + row, <f32>(<f64>value));
}

/** Loads values of a place from a row of f32. */
@inline function widened<T>(place: usize, row: usize): T {
  if (isVector<T>()) return <T>f64x2.promote_low_f32x4(v128.load_zero<u64>((place >> 1) + row));
  return <T>(<f64>load<f32>((place >> 1) + row));
}

/** Force along an axle's wheels, m/s², limited by wheel spin and by ABS. */
@inline function wheelForce<T>(drive: T, brake: T, limit: T): T {
  const most = mul<T>(limit, constant<T>(SPIN_SHARE));
  const least = mul<T>(limit, constant<T>(ABS_BRAKES));
  return lesser<T>(greater<T>(sub<T>(drive, brake), least), most);
}

/**
 * Writes the new state; a neighbour that does not move keeps its own. Two terms of the series of sine and
 * cosine turn the heading, and one Newton step normalises it: exact to 1e-7 rad at 5 rad/s.
 */
@inline function finish<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const vx = widened<T>(place, S_VX);
  const vy = widened<T>(place, S_VY);
  const yawRate = widened<T>(place, S_YAW_RATE);
  const ahead = widened<T>(place, S_AHEAD);
  const left = widened<T>(place, S_LEFT);
  const turn = widened<T>(place, S_TURN);
  const half = constant<T>(HALF);
  const square = mul<T>(turn, turn);
  const cos = sub<T>(constant<T>(ONE), mul<T>(square, half));
  const sin = sub<T>(turn, mul<T>(turn, mul<T>(square, constant<T>(SIXTH))));
  const x = load<T>(cars, C_X);
  const y = load<T>(cars, C_Y);
  const hx = load<T>(cars, C_HX);
  const hy = load<T>(cars, C_HY);
  const toX = add<T>(x, sub<T>(mul<T>(hx, ahead), mul<T>(hy, left)));
  const toY = add<T>(y, add<T>(mul<T>(hy, ahead), mul<T>(hx, left)));
  const nx = sub<T>(mul<T>(hx, cos), mul<T>(hy, sin));
  const ny = add<T>(mul<T>(hy, cos), mul<T>(hx, sin));
  const norm = sub<T>(
    constant<T>(ONE_AND_HALF),
    mul<T>(half, add<T>(mul<T>(nx, nx), mul<T>(ny, ny))),
  );
  const gained = mul<T>(sub<T>(vx, load<T>(cars, C_VX)), constant<T>(TICKS_PER_S));
  const loadAccel = load<T>(cars, C_LOAD_ACCEL);
  const felt = sub<T>(gained, mul<T>(vy, yawRate));
  const moves = load<T>(place, MOVES);
  const shifted = add<T>(loadAccel, mul<T>(constant<T>(LOAD_SHARE), sub<T>(felt, loadAccel)));
  keep<T>(cars, C_X, moves, toX);
  keep<T>(cars, C_Y, moves, toY);
  keep<T>(cars, C_HX, moves, mul<T>(nx, norm));
  keep<T>(cars, C_HY, moves, mul<T>(ny, norm));
  keep<T>(cars, C_VX, moves, vx);
  keep<T>(cars, C_VY, moves, vy);
  keep<T>(cars, C_YAW_RATE, moves, yawRate);
  keep<T>(cars, C_ACCEL, moves, gained);
  keep<T>(cars, C_LOAD_ACCEL, moves, shifted);
}

/** Stores a value for the cars that move. */
@inline function keep<T>(cars: usize, array: usize, moves: T, value: T): void {
  store<T>(cars + array, whereLess<T>(splat<T>(0.0), moves, value, load<T>(cars + array)));
}
