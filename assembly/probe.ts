/**
 * Parts of the kernel that tests call one by one. The product's kernel does not contain this file.
 */
import { integrate as integrateBy } from './dynamics';
import { SCRATCH } from './layout';
import { IMPULSE_X, IMPULSE_Y } from './impulse';
import {
  BOX_HALF_LENGTH,
  BOX_HALF_WIDTH,
  BOX_HX,
  BOX_HY,
  BOX_X,
  BOX_Y,
  boxesCommon,
  boxOverlap as boxOverlapOf,
  COMMON_X,
  COMMON_Y,
  NORMAL_X,
  NORMAL_Y,
} from './overlap';
import { moveCars } from './step';
import { axleLoad, linear } from './tyre';
import { lookUpTypes } from './type-rows';
import { PER_SHAPE, saturating } from './tyre-curve';

export { followAccel, freeAccel } from './driver';
export { walkCells, walkedCell } from './grid-walk';
export { impulse, restitution } from './impulse';

/**
 * Where the host writes its arguments, f64 each: boxes as (x, y, hx, hy, half length, half width).
 */
const FIRST: usize = SCRATCH + 320;
const SECOND: usize = SCRATCH + 384;

export function impulseX(): f64 {
  return load<f64>(IMPULSE_X);
}

export function impulseY(): f64 {
  return load<f64>(IMPULSE_Y);
}

export function firstBox(x: f64, y: f64, hx: f64, hy: f64, halfLength: f64, halfWidth: f64): void {
  box(FIRST, x, y, hx, hy, halfLength, halfWidth);
}

export function secondBox(x: f64, y: f64, hx: f64, hy: f64, halfLength: f64, halfWidth: f64): void {
  box(SECOND, x, y, hx, hy, halfLength, halfWidth);
}

function box(
  address: usize,
  x: f64,
  y: f64,
  hx: f64,
  hy: f64,
  halfLength: f64,
  halfWidth: f64,
): void {
  store<f64>(address + BOX_X, x);
  store<f64>(address + BOX_Y, y);
  store<f64>(address + BOX_HX, hx);
  store<f64>(address + BOX_HY, hy);
  store<f64>(address + BOX_HALF_LENGTH, halfLength);
  store<f64>(address + BOX_HALF_WIDTH, halfWidth);
}

export function boxOverlap(): f64 {
  return boxOverlapOf(FIRST, SECOND);
}

export function commonArea(): f64 {
  return boxesCommon(FIRST, SECOND);
}

export function normalX(): f64 {
  return load<f64>(NORMAL_X);
}

export function normalY(): f64 {
  return load<f64>(NORMAL_Y);
}

export function commonX(): f64 {
  return load<f64>(COMMON_X);
}

export function commonY(): f64 {
  return load<f64>(COMMON_Y);
}

/** Side force of an axle with the linear curve ÷ mass, m/s². See `axleLoad` for the last five. */
export function linearForce(
  across: f64,
  along: f64,
  stiffness: f64,
  friction: f64,
  opposite: f64,
  height: f64,
  perWheelbase: f64,
  accel: f64,
  shift: f64,
): f64 {
  return (
    friction *
    axleLoad<f32>(<f32>opposite, <f32>height, <f32>perWheelbase, <f32>accel, <f32>shift) *
    linear<f32>(<f32>across, <f32>along, <f32>stiffness)
  );
}

/** Share of the friction limit that the saturating curve gives. */
export function saturatingShare(across: f64, along: f64, stiffness: f64): f64 {
  return saturating<f32>(<f32>across, <f32>along, <f32>(PER_SHAPE * stiffness));
}

/** One tick of the vehicle model with wheel angle, drive and brake as they are in the slab. */
export function integrate(slab: usize): void {
  lookUpTypes(slab);
  integrateBy<v128>(slab);
}

/** One tick of actuators and vehicle model, four cars at a time. */
export function move(slab: usize): void {
  lookUpTypes(slab);
  moveCars<v128>(slab);
}

/** The same, one car at a time. */
export function moveSingly(slab: usize): void {
  lookUpTypes(slab);
  moveCars<f32>(slab);
}
