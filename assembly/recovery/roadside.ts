/** Places beside the road, where cars stand that are out of the traffic. */
import {
  ACTOR_WAITS,
  A_STATE,
  CAR_COUNT,
  C_X,
  C_Y,
  ROADSIDE_BYTES,
  RS_HX,
  RS_HY,
  RS_LANE,
  RS_STATION,
  RS_X,
  RS_Y,
  T_HAZARD_COUNT,
  T_REFUGE_COUNT,
  T_ROADSIDE,
  T_ROADSIDE_COUNT,
} from '../layout';
import { BODY_A, BODY_B, bodyOf } from '../body';
import { actorBody } from '../hazards/paths';
import { actorRecord, siteRecord } from '../hazards/spots';
import { laneLength } from '../lanes';
import { least } from '../math';
import { getF } from '../memory';
import {
  BOX_HALF_LENGTH,
  BOX_HALF_WIDTH,
  BOX_HX,
  BOX_HY,
  BOX_X,
  BOX_Y,
  boxOverlap,
} from '../overlap';
import { placeOf } from '../tow';

/** Half the space that a car at the roadside takes, m. */
const HALF_LENGTH_M = 2.7;
const HALF_WIDTH_M = 1.05;
/** A car pulls out to a point of its lane this far ahead of the place, m. */
const OUT_AHEAD_M = 7.0;
/** A body further away than this does not reach it, m. */
const REACH_M = 14.0;

@inline export function placeRecord(city: usize, place: i32): usize {
  return city + load<i32>(city + T_ROADSIDE) + <usize>place * ROADSIDE_BYTES;
}

@inline export function placeCount(city: usize): i32 {
  return load<i32>(city + T_ROADSIDE_COUNT);
}

/** How many refuges there are, after the places. */
@inline export function refugeCount(city: usize): i32 {
  return load<i32>(city + T_REFUGE_COUNT);
}

@inline export function laneOfPlace(city: usize, place: i32): i32 {
  return load<i32>(placeRecord(city, place) + RS_LANE);
}

@inline export function stationOfPlace(city: usize, place: i32): f64 {
  return load<f32>(placeRecord(city, place) + RS_STATION);
}

/** Station of the point in the lane to which a car pulls out of a place, m. */
export function outStation(city: usize, place: i32): f64 {
  const length = laneLength(city, laneOfPlace(city, place));
  return least(stationOfPlace(city, place) + OUT_AHEAD_M, length);
}

/** The first place beside a lane, or the first beside a later lane if it has none. */
export function firstPlaceOn(city: usize, lane: i32): i32 {
  let low = 0;
  let high = placeCount(city);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (laneOfPlace(city, middle) < lane) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether no other car has or occupies a place, and no actor stands there. */
export function isFreePlace(slab: usize, city: usize, place: i32, except: i32): bool {
  const record = placeRecord(city, place);
  const x = <f64>load<f32>(record + RS_X);
  const y = <f64>load<f32>(record + RS_Y);
  store<f64>(BODY_A + BOX_X, x);
  store<f64>(BODY_A + BOX_Y, y);
  store<f64>(BODY_A + BOX_HX, <f64>load<f32>(record + RS_HX));
  store<f64>(BODY_A + BOX_HY, <f64>load<f32>(record + RS_HY));
  store<f64>(BODY_A + BOX_HALF_LENGTH, HALF_LENGTH_M);
  store<f64>(BODY_A + BOX_HALF_WIDTH, HALF_WIDTH_M);
  for (let car = 0; car < CAR_COUNT; car++) {
    if (car == except) continue;
    const own = placeOf(slab, car);
    if (own >= 0 && isNear(city, own, x, y)) return false;
    const dx = getF(slab, C_X, car) - x;
    const dy = getF(slab, C_Y, car) - y;
    if (dx * dx + dy * dy > REACH_M * REACH_M) continue;
    bodyOf(slab, car, 0.0, BODY_B);
    if (boxOverlap(BODY_A, BODY_B) > 0.0) return false;
  }
  const spots = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < spots; spot++) {
    const actor = actorRecord(slab, spot);
    if (load<i32>(actor + A_STATE) == ACTOR_WAITS) continue;
    actorBody(siteRecord(city, spot), actor, 0.0, 0.0, BODY_B);
    if (boxOverlap(BODY_A, BODY_B) > 0.0) return false;
  }
  return true;
}

/** Whether a place is so near to a point that two cars do not fit. */
@inline function isNear(city: usize, place: i32, x: f64, y: f64): bool {
  const record = placeRecord(city, place);
  const dx = <f64>load<f32>(record + RS_X) - x;
  const dy = <f64>load<f32>(record + RS_Y) - y;
  return dx * dx + dy * dy < 4.0 * HALF_LENGTH_M * HALF_LENGTH_M;
}
