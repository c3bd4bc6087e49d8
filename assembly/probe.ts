/** Parts of the kernel that tests ask one by one. Never part of the kernel that lives worlds. */
import { SCRATCH } from './layout';
import { impulse as impulseOf, IMPULSE_X, IMPULSE_Y, restitution as restitutionOf } from './impulse';
import {
  BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y, boxesCommon, boxOverlap as boxOverlapOf, COMMON_X, COMMON_Y,
  NORMAL_X, NORMAL_Y,
} from './overlap';

/** Where the host leaves what it asks about, f64 each: boxes as (x, y, hx, hy, half length, half width). */
const FIRST: usize = SCRATCH + 320;
const SECOND: usize = SCRATCH + 384;

export function impulse(
  perMassA: f64, perInertiaA: f64, rAx: f64, rAy: f64, perMassB: f64, perInertiaB: f64, rBx: f64, rBy: f64,
  nx: f64, ny: f64, ux: f64, uy: f64, e: f64, friction: f64,
): f64 {
  return impulseOf(perMassA, perInertiaA, rAx, rAy, perMassB, perInertiaB, rBx, rBy, nx, ny, ux, uy, e, friction);
}

export function impulseX(): f64 {
  return load<f64>(IMPULSE_X);
}

export function impulseY(): f64 {
  return load<f64>(IMPULSE_Y);
}

export function restitution(closing: f64): f64 {
  return restitutionOf(closing);
}

export function firstBox(x: f64, y: f64, hx: f64, hy: f64, halfLength: f64, halfWidth: f64): void {
  box(FIRST, x, y, hx, hy, halfLength, halfWidth);
}

export function secondBox(x: f64, y: f64, hx: f64, hy: f64, halfLength: f64, halfWidth: f64): void {
  box(SECOND, x, y, hx, hy, halfLength, halfWidth);
}

function box(at: usize, x: f64, y: f64, hx: f64, hy: f64, halfLength: f64, halfWidth: f64): void {
  store<f64>(at + BOX_X, x);
  store<f64>(at + BOX_Y, y);
  store<f64>(at + BOX_HX, hx);
  store<f64>(at + BOX_HY, hy);
  store<f64>(at + BOX_HALF_LENGTH, halfLength);
  store<f64>(at + BOX_HALF_WIDTH, halfWidth);
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
