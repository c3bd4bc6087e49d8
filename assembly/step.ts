import {
  CAR_COUNT,
  C_LANE,
  C_SPEED_FACTOR,
  C_STATION,
  C_X,
  FETCHED,
  H_CONTACT_COUNT,
  H_TICK,
  L_POINTS_PER_M,
  L_POINT_FIRST,
  POINT_BYTES,
  SIGNALS,
  T_POINTS,
} from './layout';
import { collide } from './collision';
import { decide } from './driver';
import { assist } from './functions/assist';
import { moveActors, sendActors } from './hazards/actors';
import { meetActors } from './hazards/contact';
import { cityOf, laneAt } from './lanes';
import { getF, getI } from './memory';
import { add, isAllZero, mul, splat } from './pair';
import { recover } from './recovery';
import { decideRightOfWay } from './right-of-way';
import { sense } from './sensing';
import { sampleSlopes, track } from './track';
import { label, move } from './vehicle';

/** Everybody looks and decides so often; a frame shows what was just measured. */
const DECISION_TICKS: u32 = 4;

/**
 * Steps a world by up to `ticks`; returns how many it did. It ends with the first tick that had a
 * contact, so that the host reads each before it can be overwritten.
 */
export function step(slab: usize, ticks: i32): i32 {
  const city = cityOf(slab);
  fetch(slab, city);
  const contacts = load<u32>(slab + H_CONTACT_COUNT);
  let done = 0;
  while (done < ticks && load<u32>(slab + H_CONTACT_COUNT) == contacts) {
    tick(slab, city);
    done++;
  }
  trapUnlessFinite(slab);
  return done;
}

/**
 * Reads from every cache line of the cars, and of the table where they are on their lanes, at once: a
 * world that has been out of the caches would else be waited for line by line.
 */
function fetch(slab: usize, city: usize): void {
  let sum: u32 = 0;
  for (let at = slab; at < slab + SIGNALS; at += 64) sum += load<u8>(at);
  const points = city + load<i32>(city + T_POINTS);
  for (let car = 0; car < CAR_COUNT; car++) {
    const record = laneAt(city, getI(slab, C_LANE, car));
    const index =
      load<i32>(record + L_POINT_FIRST) +
      <i32>(getF(slab, C_STATION, car) * load<f64>(record + L_POINTS_PER_M));
    const point = points + <usize>index * POINT_BYTES;
    sum += load<u8>(point) + load<u8>(point + 2 * POINT_BYTES);
  }
  store<u32>(FETCHED, sum);
}

/** One tick: where it is time for it all look and decide on the same state, then all move. */
function tick(slab: usize, city: usize): void {
  store<u32>(slab + H_TICK, load<u32>(slab + H_TICK) + 1);
  if (load<u32>(slab + H_TICK) % DECISION_TICKS == 0) {
    sendActors(slab, city);
    sense(slab, city);
    decideRightOfWay(slab, city);
    decide(slab, city);
    assist(slab, city);
  }
  moveActors(slab, city);
  move(slab);
  track(slab, city);
  collide(slab, city);
  meetActors(slab, city);
  recover(slab, city);
  if (load<u32>(slab + H_TICK) % DECISION_TICKS == 0) {
    sampleSlopes(slab, city);
    label(slab);
    trapUnlessFinite(slab);
  }
}

/** A number that is no number would spread in silence: stop the world before anybody sees it. */
function trapUnlessFinite(slab: usize): void {
  if (ASC_FEATURE_SIMD) trapUnlessFiniteIn<v128>(slab + C_X, slab + C_SPEED_FACTOR);
  else trapUnlessFiniteIn<f64>(slab + C_X, slab + C_SPEED_FACTOR);
}

/** Infinity or not a number times zero is not zero; so is then any sum with it. */
function trapUnlessFiniteIn<T>(from: usize, end: usize): void {
  const width: usize = sizeof<T>();
  let even = splat<T>(0.0);
  let odd = splat<T>(0.0);
  for (let at = from; at < end; at += 2 * width) {
    even = add<T>(even, load<T>(at));
    odd = add<T>(odd, load<T>(at + width));
  }
  if (!isAllZero<T>(mul<T>(add<T>(even, odd), splat<T>(0.0)))) unreachable();
}
