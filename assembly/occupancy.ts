/**
 * Which cars are on each lane and in each junction, for everything that follows lanes in this tick.
 */
import {
  ASTRAY,
  BUSY,
  CAR_COUNT,
  C_LANE,
  C_OFFSET,
  C_STATUS,
  JUNCTION_MAX,
  L_JUNCTION,
  OCCUPIED,
  STATUS_CRASHED,
  T_LANE_COUNT,
} from './layout';
import { laneRecord } from './lanes';
import { getF, getI } from './memory';

/**
 * A car further than this from the centre of its lane is met where it stands, not on its lane, m.
 */
export const OFF_LANE_M = 1.2;

/** Whether a car is to be met where it stands rather than on its lane. */
export function isAstray(slab: usize, car: i32): bool {
  const offset = getF(slab, C_OFFSET, car);
  return getI(slab, C_STATUS, car) == STATUS_CRASHED || offset > OFF_LANE_M || offset < -OFF_LANE_M;
}

/** Finds the cars on each lane and in each junction; cars that are astray are on none. */
export function findOccupants(slab: usize, city: usize): void {
  memory.fill(OCCUPIED, 0, load<i32>(city + T_LANE_COUNT) << 2);
  memory.fill(BUSY, 0, JUNCTION_MAX << 2);
  let astray: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car++) {
    if (isAstray(slab, car)) {
      astray |= 1 << car;
      continue;
    }
    const lane = getI(slab, C_LANE, car);
    const occupied = <usize>OCCUPIED + ((<usize>lane) << 2);
    store<u32>(occupied, load<u32>(occupied) | (1 << car));
    const junction = load<i32>(laneRecord(city, lane) + L_JUNCTION);
    if (junction < 0) continue;
    const busy = <usize>BUSY + ((<usize>junction) << 2);
    store<u32>(busy, load<u32>(busy) | (1 << car));
  }
  store<u32>(ASTRAY, astray);
}

/** Mask of the cars that are astray. */
@inline export function astrayCars(): u32 {
  return load<u32>(ASTRAY);
}

/** Mask of the cars on a lane. */
@inline export function occupants(lane: i32): u32 {
  return load<u32>(<usize>OCCUPIED + ((<usize>lane) << 2));
}

/** Mask of the cars in a junction. */
@inline export function inJunction(junction: i32): u32 {
  return load<u32>(<usize>BUSY + ((<usize>junction) << 2));
}
