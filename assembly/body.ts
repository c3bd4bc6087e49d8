import {
  CT_CENTRE,
  CT_LENGTH,
  CT_WIDTH,
  C_HX,
  C_HY,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  SCRATCH,
} from './layout';
import { getF, typeOf } from './memory';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';

/** Two bodies: each a box and, behind it, its centre of gravity, f64. */
export const BODY_A: usize = SCRATCH + 320;
export const BODY_B: usize = SCRATCH + 384;
export const BODY_COG_X: usize = 48; // m
export const BODY_COG_Y: usize = 56;

/** Body of a car `back` s before, extrapolated from its present motion. */
export function bodyOf(slab: usize, car: i32, back: f64, body: usize): void {
  const type = typeOf(slab, car);
  const turn = back * getF(slab, C_YAW_RATE, car);
  let hx = getF(slab, C_HX, car);
  let hy = getF(slab, C_HY, car);
  const x = getF(slab, C_X, car) - back * velocityX(slab, car);
  const y = getF(slab, C_Y, car) - back * velocityY(slab, car);
  if (turn != 0.0) {
    const norm = 1.0 / sqrt(1.0 + turn * turn);
    const tx = (hx + turn * hy) * norm;
    hy = (hy - turn * hx) * norm;
    hx = tx;
  }
  const centre = load<f64>(type + CT_CENTRE);
  store<f64>(body + BOX_X, x + centre * hx);
  store<f64>(body + BOX_Y, y + centre * hy);
  store<f64>(body + BOX_HX, hx);
  store<f64>(body + BOX_HY, hy);
  store<f64>(body + BOX_HALF_LENGTH, 0.5 * load<f64>(type + CT_LENGTH));
  store<f64>(body + BOX_HALF_WIDTH, 0.5 * load<f64>(type + CT_WIDTH));
  store<f64>(body + BODY_COG_X, x);
  store<f64>(body + BODY_COG_Y, y);
}

export function velocityX(slab: usize, car: i32): f64 {
  return (
    getF(slab, C_VX, car) * getF(slab, C_HX, car) - getF(slab, C_VY, car) * getF(slab, C_HY, car)
  );
}

export function velocityY(slab: usize, car: i32): f64 {
  return (
    getF(slab, C_VX, car) * getF(slab, C_HY, car) + getF(slab, C_VY, car) * getF(slab, C_HX, car)
  );
}

@inline export function carLength(slab: usize, car: i32): f64 {
  return load<f64>(typeOf(slab, car) + CT_LENGTH);
}

@inline export function carWidth(slab: usize, car: i32): f64 {
  return load<f64>(typeOf(slab, car) + CT_WIDTH);
}

/** Distance from the centre of gravity to the front bumper, m. */
@inline export function noseOf(slab: usize, car: i32): f64 {
  const type = typeOf(slab, car);
  return load<f64>(type + CT_CENTRE) + 0.5 * load<f64>(type + CT_LENGTH);
}
