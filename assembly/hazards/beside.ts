import {
  CAR_COUNT, C_LANE, C_STATUS, C_VX, C_VY, C_X, C_Y, HS_LANE_COUNT, HS_START_HX, HS_START_HY, HS_X, HS_Y, STATUS_CRASHED,
} from '../layout';
import { getF, getI } from '../memory';
import { laneOf, wayTo } from './triggers';

/** While a car is so far in time from what stands in its lane, s, it does not see it yet and nothing is settled. */
const SOON_S = 3.2;
const SETTLED_S = 2.0;
/** A car slower than this stops in time, m/s. */
const SLOW_MPS = 5.0;
/** Who comes within so many seconds of driving, or is so near, m, may be beside it then. */
const COMING_S = 7.0;
const NEAR_M = 30.0;
/** Who is further aside of the lane than this is on another street, m. */
const STREET_M = 12.0;

/**
 * Whether a car that is about to come upon what stands in its lane would have nowhere to go: somebody
 * else is on the street beside it, or comes along there.
 */
export function isTakenBeside(slab: usize, city: usize, at: usize): bool {
  for (let car = 0; car < CAR_COUNT; car++) {
    const speed = getF(slab, C_VX, car);
    if (speed < SLOW_MPS || getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    const way = wayTo(slab, city, car, at);
    if (way > SETTLED_S * speed && way < SOON_S * speed && isAnybodyBeside(slab, at)) return true;
  }
  return false;
}

function isAnybodyBeside(slab: usize, at: usize): bool {
  const lane = laneOf(at, load<i32>(at + HS_LANE_COUNT) - 1);
  const hx = load<f64>(at + HS_START_HX);
  const hy = load<f64>(at + HS_START_HY);
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_LANE, car) == lane) continue;
    const dx = getF(slab, C_X, car) - load<f64>(at + HS_X);
    const dy = getF(slab, C_Y, car) - load<f64>(at + HS_Y);
    if (abs(hx * dy - hy * dx) > STREET_M) continue;
    const vx = getF(slab, C_VX, car);
    const vy = getF(slab, C_VY, car);
    const reach = NEAR_M + COMING_S * sqrt(vx * vx + vy * vy);
    if (dx * dx + dy * dy < reach * reach) return true;
  }
  return false;
}
