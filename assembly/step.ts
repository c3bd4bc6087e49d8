import {
  C_ACCEL, C_ACCEL_TARGET, C_GAP, C_HX, C_HY, C_OFFSET, C_STATION, C_STEER, C_STEER_TARGET, C_VX, C_VY, C_X, C_Y, C_YAW_RATE,
  CAR_COUNT, H_CONTACT_COUNT, H_TICK,
} from './layout';
import { collide } from './collision';
import { decide } from './driver';
import { cityOf } from './lanes';
import { getF } from './memory';
import { recover } from './recovery';
import { decideRightOfWay } from './right-of-way';
import { sense } from './sensing';
import { track } from './track';
import { move } from './vehicle';

/** Everybody looks and decides so often; a frame shows what was just measured. */
const DECISION_TICKS: u32 = 4;

/**
 * Steps a world by up to `ticks`; returns how many it did. It ends with the first tick that had a
 * contact, so that the host reads each before it can be overwritten.
 */
export function step(slab: usize, ticks: i32): i32 {
  const city = cityOf(slab);
  const contacts = load<u32>(slab + H_CONTACT_COUNT);
  for (let done = 0; done < ticks; done++) {
    tick(slab, city);
    if (load<u32>(slab + H_CONTACT_COUNT) != contacts) return done + 1;
  }
  return ticks;
}

/** One tick: where it is time for it all look and decide on the same state, then all move. */
function tick(slab: usize, city: usize): void {
  store<u32>(slab + H_TICK, load<u32>(slab + H_TICK) + 1);
  if (load<u32>(slab + H_TICK) % DECISION_TICKS == 0) {
    sense(slab, city);
    decideRightOfWay(slab, city);
    decide(slab, city);
  }
  move(slab);
  track(slab, city);
  collide(slab, city);
  recover(slab, city);
  trapUnlessFinite(slab);
}

/** A number that is no number would spread in silence: stop the world here instead. */
function trapUnlessFinite(slab: usize): void {
  let sum = 0.0;
  for (let car = 0; car < CAR_COUNT; car++) {
    sum += getF(slab, C_X, car) + getF(slab, C_Y, car) + getF(slab, C_HX, car) + getF(slab, C_HY, car);
    sum += getF(slab, C_VX, car) + getF(slab, C_VY, car) + getF(slab, C_YAW_RATE, car) + getF(slab, C_STEER, car);
    sum += getF(slab, C_ACCEL, car) + getF(slab, C_STATION, car) + getF(slab, C_OFFSET, car);
    sum += getF(slab, C_ACCEL_TARGET, car) + getF(slab, C_STEER_TARGET, car) + getF(slab, C_GAP, car);
  }
  if (sum * 0.0 != 0.0) unreachable();
}
