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
  lesser,
  mul,
  ONE,
  QUAD_ROW,
  size,
  splat,
  sub,
  whereLess,
  within,
} from './quad';
import * as pair from './pair';
import { cosine, sine } from './sine';
import {
  isAny,
  MOVES,
  S_AHEAD,
  S_ASIDE,
  S_COSINE,
  S_FORWARD,
  S_LEFT,
  S_MOMENT,
  S_PUSHED,
  S_SIDE_FRONT,
  S_SIDE_REAR,
  S_SINE,
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
import { sideLimit } from './tyre-curve';

/**
 * Nonlinear single-track model: two axles with saturating tyres, friction ellipse and load transfer,
 * in body-fixed velocities (m/s) and accelerations (forces ÷ mass). Integrated by the midpoint rule in
 * `substeps`; friction limits and load are frozen during a tick.
 */

const TICKS_PER_S = memory.data<f32>([<f32>(1.0 / TICK_S)]);
/** Share of the friction limit that brakes with ABS and a spinning driven axle can use. */
export const ABS_SHARE = 0.95;
const ABS_BRAKES = memory.data<f32>([<f32>-ABS_SHARE]);
const SPIN_SHARE = memory.data<f32>([0.98]);
/** Low pass of the acceleration that shifts load, time constant 0.05 s: 1 − exp(−0.4). */
const LOAD_SHARE = memory.data<f32>([0.32967995396436073]);

/** The direction of travel is linear up to 0.1 m/s. */
const PER_CREEP_MPS = memory.data<f32>([10.0]);
const SIXTH = memory.data<f64>([0.16666666666666666]);
const ONE_AND_HALF = memory.data<f64>([1.5]);

/** Moves every car that is no wreck by one tick. */
export function integrate<T>(slab: usize): void {
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>()) {
    store<T>(place, moves<T>(slab, place), MOVES);
    if (isAny<T>(place)) prepare<T>(slab, place);
  }
  substeps<T>();
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>()) {
    if (isAny<T>(place)) finish<T>(slab, place);
  }
  if (isVector<T>()) displaceAll<v128>(slab);
  else displaceAll<f64>(slab);
}

/** 1 for a car that is no wreck and moves or is driven, else 0. */
@inline function moves<T>(slab: usize, place: usize): T {
  const cars = slab + place;
  const zero = splat<T>(0.0);
  const one = constant<T>(ONE);
  const stirred = greater<T>(size<T>(load<T>(cars, C_VX)), size<T>(load<T>(cars, C_VY)));
  const drive = add<T>(load<T>(cars, C_DRIVE), load<T>(cars, C_SLOPE));
  const pushed = greater<T>(sub<T>(drive, load<T>(cars, C_BRAKE)), size<T>(load<T>(cars, C_ACCEL)));
  return mul<T>(notWrecked<T>(cars), whereLess<T>(zero, greater<T>(stirred, pushed), one, zero));
}

@inline function notWrecked<T>(cars: usize): T {
  if (isVector<T>()) {
    const runs = i32x4.ne(v128.load(cars, C_STATUS), i32x4.splat(STATUS_CRASHED));
    return <T>v128.and(runs, f32x4.splat(1.0));
  }
  return <T>(load<i32>(cars, C_STATUS) != STATUS_CRASHED ? <f32>1.0 : <f32>0.0);
}

/** Direction of travel: −1 to 1, linear within ±0.1 m/s. */
@inline function direction<T>(speed: T): T {
  return within<T>(mul<T>(speed, constant<T>(PER_CREEP_MPS)), constant<T>(ONE));
}

/**
 * Computes what is constant during the tick: geometry, forces of the wheels in the axes of the car, what
 * the friction ellipse leaves for side forces. Brakes act against the direction of travel at its start.
 */
@inline function prepare<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const zero = splat<T>(0.0);
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
  const s = sine<T>(load<T>(cars, C_STEER));
  const c = cosine<T>(load<T>(cars, C_STEER));
  store<T>(place, s, S_SINE);
  store<T>(place, c, S_COSINE);
  store<T>(place, add<T>(add<T>(mul<T>(front, c), rear), slope), S_FORWARD);
  store<T>(place, mul<T>(front, s), S_ASIDE);
  store<T>(place, sideLimit<T>(limitFront, front), S_SIDE_FRONT);
  store<T>(place, sideLimit<T>(limitRear, rear), S_SIDE_REAR);
  store<T>(place, load<T>(cars, C_YAW_MOMENT), S_MOMENT);
  store<T>(place, whereLess<T>(brake, add<T>(drive, slope), one, zero), S_PUSHED);
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

/** Writes the new velocities; a neighbour that does not move keeps its own. */
@inline function finish<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const vx = load<T>(place, S_VX);
  const vy = load<T>(place, S_VY);
  const yawRate = load<T>(place, S_YAW_RATE);
  const gained = mul<T>(sub<T>(vx, load<T>(cars, C_VX)), constant<T>(TICKS_PER_S));
  const loadAccel = load<T>(cars, C_LOAD_ACCEL);
  const felt = sub<T>(gained, mul<T>(vy, yawRate));
  const moves = load<T>(place, MOVES);
  const shifted = add<T>(loadAccel, mul<T>(constant<T>(LOAD_SHARE), sub<T>(felt, loadAccel)));
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

/** Adds way and turn to the poses, in f64 for one car or for two at once. */
@inline function displaceAll<T>(slab: usize): void {
  for (let place: usize = 0; place < pair.ROW; place += sizeof<T>()) {
    if (isVector<T>() ? load<u64>(place >> 1, MOVES) != 0 : load<u32>(place >> 1, MOVES) != 0)
      displace<T>(slab, place);
  }
}

/**
 * Two terms of the series of sine and cosine turn the heading, and one Newton step normalises it: exact to
 * 1e-7 rad at 5 rad/s.
 */
@inline function displace<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const ahead = widened<T>(place, S_AHEAD);
  const left = widened<T>(place, S_LEFT);
  const turn = widened<T>(place, S_TURN);
  const one = pair.constant<T>(pair.ONE);
  const half = pair.constant<T>(pair.HALF);
  const square = pair.mul<T>(turn, turn);
  const cos = pair.sub<T>(one, pair.mul<T>(square, half));
  const cube = pair.mul<T>(turn, pair.mul<T>(square, pair.constant<T>(SIXTH)));
  const sin = pair.sub<T>(turn, cube);
  const x = load<T>(cars, C_X);
  const y = load<T>(cars, C_Y);
  const hx = load<T>(cars, C_HX);
  const hy = load<T>(cars, C_HY);
  const toX = pair.add<T>(x, pair.sub<T>(pair.mul<T>(hx, ahead), pair.mul<T>(hy, left)));
  const toY = pair.add<T>(y, pair.add<T>(pair.mul<T>(hy, ahead), pair.mul<T>(hx, left)));
  const nx = pair.sub<T>(pair.mul<T>(hx, cos), pair.mul<T>(hy, sin));
  const ny = pair.add<T>(pair.mul<T>(hy, cos), pair.mul<T>(hx, sin));
  const lengthSquared = pair.add<T>(pair.mul<T>(nx, nx), pair.mul<T>(ny, ny));
  const norm = pair.sub<T>(pair.constant<T>(ONE_AND_HALF), pair.mul<T>(half, lengthSquared));
  const moves = widened<T>(place, MOVES);
  put<T>(cars, C_X, moves, toX);
  put<T>(cars, C_Y, moves, toY);
  put<T>(cars, C_HX, moves, pair.mul<T>(nx, norm));
  put<T>(cars, C_HY, moves, pair.mul<T>(ny, norm));
}

/** Loads f64 values of a place from a row of f32. */
@inline function widened<T>(place: usize, row: usize): T {
  if (isVector<T>()) return <T>f64x2.promote_low_f32x4(v128.load_zero<u64>((place >> 1) + row));
  return <T>(<f64>load<f32>((place >> 1) + row));
}

/** `keep` with f64. */
@inline function put<T>(cars: usize, array: usize, moves: T, value: T): void {
  const before = load<T>(cars + array);
  store<T>(cars + array, pair.whereLess<T>(pair.splat<T>(0.0), moves, value, before));
}
