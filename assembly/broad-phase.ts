import {
  B_MAX_X,
  B_MAX_Y,
  B_MIN_X,
  B_MIN_Y,
  CAR_COUNT,
  C_NEAR,
  C_OFFSET,
  C_STATUS,
  C_VY,
  C_X,
  C_Y,
  NEAR_BLOCKS,
  STATUS_CRASHED,
} from './layout';
import { blockRecord, cellAt, cellEnd, cellStart } from './blocks';
import { carsBeyond, carsBeyondExactly, carsWith } from './masks';
import { getF, getI, setI } from './memory';

/**
 * Greatest distance of a car's body from its centre of gravity, m; cars twice that apart cannot
 * touch.
 */
export const BODY_REACH_M = 2.6;
export const TOUCH_M = 2.0 * BODY_REACH_M;
/** Distance that two cars approach between two updates of the masks, at 45 m/s for 4 ticks, m. */
const CLOSING_M = 3.6;
const NEAR_M = TOUCH_M + CLOSING_M;
/** A car within this offset that does not slide touches no block, m, m/s. */
const ON_LANE_M = 0.7;
const SLIDING_MPS: f32 = 1.0;

/**
 * Updates the masks of bodies that each car may touch soon; each pair is in the mask of the lower
 * car.
 */
export function findNear(slab: usize, city: usize): void {
  for (let a = 0; a < CAR_COUNT; a++) {
    const near = carsNear(slab, a, getF(slab, C_X, a), getF(slab, C_Y, a), NEAR_M * NEAR_M);
    setI(slab, C_NEAR, a, near & (-2 << a));
  }
  for (let left = carsOffLane(slab); left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    if (isNearBlock(city, getF(slab, C_X, car), getF(slab, C_Y, car)))
      setI(slab, C_NEAR, car, getI(slab, C_NEAR, car) | NEAR_BLOCKS);
  }
}

/**
 * Mask of the cars within a distance, given squared, of a place. Cars before `first` may be
 * missing.
 */
@inline export function carsNear(slab: usize, first: i32, x: f64, y: f64, squared: f64): i32 {
  return ASC_FEATURE_SIMD
    ? nearInFours(slab, first, x, y, squared)
    : nearOneByOne(slab, first, x, y, squared);
}

/** Backwards to a car that is not after `car`: no branch and no index. */
@inline function nearOneByOne(slab: usize, car: i32, x: f64, y: f64, squared: f64): i32 {
  let near = 0;
  for (
    let address = slab + (CAR_COUNT - 1) * 8;
    address >= slab + ((<usize>car) << 3);
    address -= 8
  ) {
    const dx = load<f64>(address, C_X) - x;
    const dy = load<f64>(address, C_Y) - y;
    near = (near << 1) | <i32>(dx * dx + dy * dy < squared);
  }
  return near << car;
}

@inline function nearInFours(slab: usize, car: i32, x: f64, y: f64, squared: f64): i32 {
  const first = car & ~3;
  const xx = f64x2.splat(x);
  const yy = f64x2.splat(y);
  const reach = f64x2.splat(squared);
  let near = 0;
  for (
    let address = slab + (CAR_COUNT - 4) * 8;
    address >= slab + ((<usize>first) << 3);
    address -= 32
  ) {
    const ax = f64x2.sub(v128.load(address, C_X), xx);
    const ay = f64x2.sub(v128.load(address, C_Y), yy);
    const bx = f64x2.sub(v128.load(address, C_X + 16), xx);
    const by = f64x2.sub(v128.load(address, C_Y + 16), yy);
    const a = f64x2.lt(f64x2.add(f64x2.mul(ax, ax), f64x2.mul(ay, ay)), reach);
    const b = f64x2.lt(f64x2.add(f64x2.mul(bx, bx), f64x2.mul(by, by)), reach);
    near = (near << 4) | i32x4.bitmask(v128.shuffle<i32>(a, b, 0, 2, 4, 6));
  }
  return near << first;
}

/** Updates the masks after a car was moved between two updates. */
export function findNearOf(slab: usize, city: usize, car: i32): void {
  const x = getF(slab, C_X, car);
  const y = getF(slab, C_Y, car);
  let own: u32 = 0;
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    const dx = getF(slab, C_X, other) - x;
    const dy = getF(slab, C_Y, other) - y;
    const isNear = dx * dx + dy * dy < NEAR_M * NEAR_M;
    if (other > car) {
      if (isNear) own |= 1 << other;
      continue;
    }
    const mask = getI(slab, C_NEAR, other) & ~(1 << car);
    setI(slab, C_NEAR, other, isNear ? mask | (1 << car) : mask);
  }
  if (((carsOffLane(slab) >> car) & 1) != 0 && isNearBlock(city, x, y)) own |= NEAR_BLOCKS;
  setI(slab, C_NEAR, car, own);
}

/** Mask of the cars that may touch a block. */
function carsOffLane(slab: usize): u32 {
  return (
    carsWith(slab, C_STATUS, STATUS_CRASHED) |
    carsBeyondExactly(slab + C_OFFSET, ON_LANE_M) |
    carsBeyond(slab + C_VY, SLIDING_MPS)
  );
}

function isNearBlock(city: usize, x: f64, y: f64): bool {
  const cell = cellAt(city, x, y);
  const end = cellEnd(city, cell);
  for (let entry = cellStart(city, cell); entry < end; entry += 2) {
    if (reachesBlock(blockRecord(city, load<u16>(entry)), x, y, BODY_REACH_M + CLOSING_M))
      return true;
  }
  return false;
}

/** Whether the bounding box of a block is within reach of a point. */
function reachesBlock(block: usize, x: f64, y: f64, reach: f64): bool {
  if (load<f64>(block + B_MIN_X) > x + reach || load<f64>(block + B_MAX_X) < x - reach)
    return false;
  return load<f64>(block + B_MIN_Y) <= y + reach && load<f64>(block + B_MAX_Y) >= y - reach;
}

export function touchesBlockBox(block: usize, x: f64, y: f64): bool {
  return reachesBlock(block, x, y, BODY_REACH_M);
}
