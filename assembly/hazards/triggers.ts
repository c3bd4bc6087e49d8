import {
  CAR_COUNT,
  C_ACCEL,
  C_LANE,
  C_STATION,
  C_VX,
  C_X,
  C_Y,
  HAZARD_LEFT_TURN_ONCOMING,
  HAZARD_RED_LIGHT_LORRY,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  HS_LANES,
  HS_LANE_COUNT,
  HS_LIGHT,
  HS_STATION,
  HS_X,
  HS_Y,
  L_JUNCTION,
  L_LIGHT,
  TICKS_PER_S,
} from '../layout';
import { BODY_B, noseOf, velocityX, velocityY } from '../body';
import { laneAhead, laneRecord, laneLength } from '../lanes';
import { clamp, greatest, least } from '../math';
import { getF, getI } from '../memory';
import { astrayCars, occupants } from '../occupancy';
import { BOX_HX, BOX_HY, BOX_X, BOX_Y } from '../overlap';
import { isGreenIn, redAge } from '../signals';
import { LEAVING_MPS } from '../thresholds';
import { pieceAt, placeAt } from './paths';
import { hasLine, kindOf, lateBy } from './spots';

const LANES_BEFORE = 2;
/** A car's present acceleration is expected to last this long, s, up to this value, m/s². */
const ACCEL_S = 1.5;
const ACCEL_MAX = 1.5;
/**
 * Distance from an actor's ends, and from its sides, to the middle of a car that it does not
 * concern, m.
 */
const APART_M = 4.0;
const BESIDE_M = 1.6;
const STEP_S = 0.25;
/** The same distance where a vehicle appears on the road, m. */
const APPEARS_M = 14.0;
/** A car that comes along its way within this distance of the conflict point follows the target, m. */
const FOLLOWS_M = 130.0;
/** Number of lanes ahead in which a car's next junction is searched. */
const JUNCTION_LANES = 3;
/** Speed that an approaching car may gain on the way to the junction, m/s. */
const STARTING_MPS = 1.5;
/**
 * The lorry crosses at least so many ticks (4 s) into the car's red, while its own light is green.
 */
const RED_FROM: i32 = 200;
/** The lorry passes its own line this long before it reaches the conflict point, s. */
const LINE_S = 1.5;

@inline export function laneOf(site: usize, index: i32): i32 {
  return load<i32>(site + HS_LANES + ((<usize>index) << 2));
}

/** Mask of the cars on the lanes of a site, and of all that are astray: no other can be on them. */
export function carsAt(site: usize): u32 {
  let cars = astrayCars();
  const count = load<i32>(site + HS_LANE_COUNT);
  for (let i = 0; i < count; i++) cars |= occupants(laneOf(site, i));
  return cars;
}

/**
 * Distance from a car's front to the conflict point along its route, m; negative if the route does
 * not lead there.
 */
export function wayTo(slab: usize, city: usize, car: i32, site: usize): f64 {
  const lane = getI(slab, C_LANE, car);
  const count = load<i32>(site + HS_LANE_COUNT);
  for (let i = 0; i < count; i++) {
    if (laneOf(site, i) != lane) continue;
    let way = load<f64>(site + HS_STATION) - getF(slab, C_STATION, car) - noseOf(slab, car);
    for (let k = i + 1; k < count; k++) {
      if (laneAhead(slab, city, car, k - i) != laneOf(site, k)) return -1.0;
      way += laneLength(city, laneOf(site, k - 1));
    }
    return way;
  }
  return -1.0;
}

/**
 * The same, also for cars up to two lanes before the first lane of the site; −1 if it is further
 * than `most`.
 */
export function longWayTo(slab: usize, city: usize, car: i32, site: usize, most: f64): f64 {
  const dx = getF(slab, C_X, car) - load<f64>(site + HS_X);
  const dy = getF(slab, C_Y, car) - load<f64>(site + HS_Y);
  if (dx * dx + dy * dy > most * most) return -1.0;
  const known = wayTo(slab, city, car, site);
  if (known != -1.0) return known;
  // A car in or before a junction: the first lane of the site is the lane after that.
  let way = -getF(slab, C_STATION, car) - noseOf(slab, car);
  for (let ahead = 0; ahead < LANES_BEFORE; ahead++) {
    way += laneLength(city, laneAhead(slab, city, car, ahead));
    if (laneAhead(slab, city, car, ahead + 1) != laneOf(site, 0)) continue;
    // Only sites with one lane are searched from so far.
    return load<i32>(site + HS_LANE_COUNT) == 1 ? way + load<f64>(site + HS_STATION) : -1.0;
  }
  return -1.0;
}

/** Speed at which cars turn left, m/s. */
const TURN_MPS = 5.0;

/**
 * Time until a car has covered a distance if it continues as now, s; with a stop line ahead, if it
 * kept its speed; in a left turn, if it slows down for that.
 */
export function arrivalIn(slab: usize, car: i32, way: f64, kind: i32): f64 {
  const speed = greatest(getF(slab, C_VX, car), 0.1);
  if (hasLine(kind)) return way / speed;
  if (kind == HAZARD_LEFT_TURN_ONCOMING) return way / (0.5 * (speed + least(speed, TURN_MPS)));
  const accel = clamp(getF(slab, C_ACCEL, car), -ACCEL_MAX, ACCEL_MAX);
  const mean = speed + 0.5 * accel * least(way / speed, ACCEL_S);
  return way / greatest(mean, 0.5 * speed);
}

/**
 * The next car after the index `after` that will be `short` m before the conflict point in
 * `seconds`, at no less than `slowest` m/s; −1 none.
 */
export function findArriving(
  slab: usize,
  city: usize,
  site: usize,
  seconds: f64,
  short: f64,
  slowest: f64,
  after: i32,
): i32 {
  const first = laneOf(site, 0);
  const last = laneOf(site, load<i32>(site + HS_LANE_COUNT) - 1);
  const later = (<u32>-1) << (after + 1);
  for (let left = (occupants(first) | occupants(last)) & later; left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    if (getF(slab, C_VX, car) < slowest) continue;
    const way = wayTo(slab, city, car, site) - short;
    if (way <= 0.0) continue;
    const arrival = arrivalIn(slab, car, way, kindOf(site));
    if (arrival <= seconds && arrival > seconds - lateBy(kindOf(site))) return car;
  }
  return -1;
}

/**
 * Whether an actor stays clear of all cars except `target` and those behind it, from a station on.
 * `unsure`: share of their way by which the predictions of others may be wrong.
 */
export function hasFreeWay(
  slab: usize,
  city: usize,
  site: usize,
  target: i32,
  station: f64,
  speed: f64,
  seconds: f64,
  unsure: f64,
): bool {
  return isWayFree(
    slab,
    city,
    site,
    othersThan(slab, city, site, target),
    station,
    speed,
    seconds,
    unsure,
  );
}

/** The same for the cars of a mask. */
export function isWayFree(
  slab: usize,
  city: usize,
  site: usize,
  others: u32,
  station: f64,
  speed: f64,
  seconds: f64,
  unsure: f64,
): bool {
  const reach = 0.5 * load<f64>(site + HS_BODY_LENGTH) + APART_M;
  const aside = 0.5 * load<f64>(site + HS_BODY_WIDTH) + BESIDE_M;
  let piece = 0;
  for (let time = 0.0; time <= seconds; time += STEP_S) {
    const there = station + speed * time;
    piece = pieceAt(city, site, there, piece);
    placeAt(city, site, piece, there, BODY_B);
    for (let left = others; left != 0; left &= left - 1) {
      const car = <i32>ctz(left);
      const wayX = velocityX(slab, car) * time;
      const wayY = velocityY(slab, car) * time;
      const dx = getF(slab, C_X, car) + wayX - load<f64>(BODY_B + BOX_X);
      const dy = getF(slab, C_Y, car) + wayY - load<f64>(BODY_B + BOX_Y);
      const hx = load<f64>(BODY_B + BOX_HX);
      const hy = load<f64>(BODY_B + BOX_HY);
      const spare = unsure * abs(wayY * hx - wayX * hy);
      if (abs(dx * hx + dy * hy) < reach && abs(dy * hx - dx * hy) < aside + spare) return false;
    }
  }
  return true;
}

/** Whether no car is near the station at which a vehicle is to appear. */
export function hasRoomAt(slab: usize, city: usize, site: usize, station: f64): bool {
  placeAt(city, site, pieceAt(city, site, station, 0), station, BODY_B);
  const reach = 0.5 * load<f64>(site + HS_BODY_LENGTH) + APPEARS_M;
  for (let car = 0; car < CAR_COUNT; car++) {
    const dx = getF(slab, C_X, car) - load<f64>(BODY_B + BOX_X);
    const dy = getF(slab, C_Y, car) - load<f64>(BODY_B + BOX_Y);
    if (dx * dx + dy * dy < reach * reach) return false;
  }
  return true;
}

/** Mask of the cars that are neither the target nor behind it on its way. */
function othersThan(slab: usize, city: usize, site: usize, target: i32): u32 {
  const own = wayTo(slab, city, target, site);
  let mask: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car++) {
    if (car != target && longWayTo(slab, city, car, site, FOLLOWS_M) <= own) mask |= 1 << car;
  }
  return mask;
}

/**
 * Whether only the target, cars on its lane and cars held by lights come into the junction of the
 * conflict point within `seconds`: turning cars do not expect the actor.
 */
export function isJunctionFree(
  slab: usize,
  city: usize,
  site: usize,
  target: i32,
  seconds: f64,
): bool {
  const junction = load<i32>(
    laneRecord(city, laneOf(site, load<i32>(site + HS_LANE_COUNT) - 1)) + L_JUNCTION,
  );
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_LANE, car) == getI(slab, C_LANE, target)) continue;
    const speed = getF(slab, C_VX, car);
    let way = -getF(slab, C_STATION, car) - noseOf(slab, car);
    for (let ahead = 0; ahead < JUNCTION_LANES; ahead++) {
      const lane = laneAhead(slab, city, car, ahead);
      if (load<i32>(laneRecord(city, lane) + L_JUNCTION) != junction) {
        way += laneLength(city, lane);
        continue;
      }
      if (ahead == 0 && speed > LEAVING_MPS) break;
      if (way < (speed + STARTING_MPS) * seconds && !isHeldFor(slab, city, lane, seconds))
        return false;
      break;
    }
  }
  return true;
}

function isHeldFor(slab: usize, city: usize, connector: i32, seconds: f64): bool {
  const light = load<i32>(laneRecord(city, connector) + L_LIGHT);
  if (light < 0 || redAge(slab, city, light, 0) < 0) return false;
  return redAge(slab, city, light, <i32>(seconds * TICKS_PER_S)) >= 0;
}

/**
 * Whether no other car is on the lane between a car and the conflict point, or within `beyond` m
 * behind that.
 */
export function isFirst(slab: usize, city: usize, site: usize, target: i32, beyond: f64): bool {
  const own = wayTo(slab, city, target, site);
  const lane = getI(slab, C_LANE, target);
  for (let left = occupants(lane) | astrayCars(); left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    if (car == target || getI(slab, C_LANE, car) != lane) continue;
    const way = wayTo(slab, city, car, site);
    if (way < own && way > -beyond) return false;
  }
  return true;
}

/**
 * Whether the lights let the actor cross, and hold a car that arrives in `arrival` s as the first
 * of its lane.
 */
export function lightsAllow(slab: usize, city: usize, site: usize, car: i32, arrival: f64): bool {
  if (kindOf(site) != HAZARD_RED_LIGHT_LORRY) return true;
  if (!isFirst(slab, city, site, car, 0.0)) return false;
  const ticks = <i32>(arrival * TICKS_PER_S);
  const own = load<i32>(
    laneRecord(city, laneOf(site, load<i32>(site + HS_LANE_COUNT) - 1)) + L_LIGHT,
  );
  if (redAge(slab, city, own, ticks) < RED_FROM) return false;
  return isGreenIn(slab, city, load<i32>(site + HS_LIGHT), <i32>((arrival - LINE_S) * TICKS_PER_S));
}
