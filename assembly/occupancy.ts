/**
 * Which cars are on each lane and in each junction, for everything that follows lanes in this tick.
 */
import {
  ASTRAY,
  BUSY,
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
import { ALL_CARS, carsBeyondExactly, carsWith } from './masks';
import { clear, getI } from './memory';

/**
 * A car further than this from the centre of its lane is met where it stands, not on its lane, m.
 */
export const OFF_LANE_M = 1.2;

/** Finds the cars on each lane and in each junction; cars that are astray are on none. */
export function findOccupants(slab: usize, city: usize): void {
  clear(OCCUPIED, ((load<i32>(city + T_LANE_COUNT) << 2) + 15) & ~15);
  clear(BUSY, JUNCTION_MAX << 2);
  const astray =
    carsWith(slab, C_STATUS, STATUS_CRASHED) | carsBeyondExactly(slab + C_OFFSET, OFF_LANE_M);
  store<u32>(ASTRAY, astray);
  for (let left = ~astray & ALL_CARS; left != 0; left &= left - 1) {
    const bit = left & -left;
    const lane = getI(slab, C_LANE, <i32>ctz(left));
    const occupied = <usize>OCCUPIED + ((<usize>lane) << 2);
    store<u32>(occupied, load<u32>(occupied) | bit);
    const junction = load<i32>(laneRecord(city, lane) + L_JUNCTION);
    // On a lane of a road nothing is added to the first: a branch would often be predicted wrongly.
    const isRoad = junction >> 31;
    const busy = <usize>BUSY + ((<usize>(junction & ~isRoad)) << 2);
    store<u32>(busy, load<u32>(busy) | (bit & ~(<u32>isRoad)));
  }
}

/** Mask of the cars that are to be met where they stand rather than on their lanes. */
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
