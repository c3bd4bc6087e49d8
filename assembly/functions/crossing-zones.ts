/** Where and when an object crosses the path of a car at a junction. */
import {
  CAR_COUNT,
  CROSSINGS,
  CT_CENTRE,
  CT_LENGTH,
  CT_WIDTH,
  C_CLAIM,
  C_HX,
  C_HY,
  C_LANE,
  C_STATION,
  C_VX,
  C_X,
  C_Y,
  L_CONFLICTS,
  L_JUNCTION,
  L_LIGHT,
  L_YIELDS,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  TG_ACCEL,
  TG_HALF_LENGTH,
  TG_HALF_WIDTH,
  TG_VX,
  TG_VY,
  TG_X,
  TG_Y,
} from '../layout';
import {
  connectorAhead,
  hasBit,
  isUnannounced,
  lineDistance,
  zoneFrom,
  zoneTo,
} from '../approaches';
import { noseOf } from '../body';
import { along, isConnector, laneRecord, laneLength, pointAt, shareAt } from '../lanes';
import { greatest, least, timeToCover } from '../math';
import { getF, getI, typeOf } from '../memory';
import { targetF } from '../targets';
import { DRIVER_DECEL_MAX } from '../thresholds';
import { obeysLights } from './traffic-light-recognition';

/** Below this speed a car inside a junction leaves it later than others expect, m/s. */
export const KEEPING_UP_MPS = 2.0;
/** An object that accelerates is assumed to do so for this long, s. */
const SPEEDING_UP_S = 1.5;
/** Least sine of the angle between two paths that cross. */
const CROSSING_SINE = 0.35;
/** Cosine between the car's approach and the motion of oncoming traffic. */
const ONCOMING_COSINE = -0.7;
/** Step of the search along the own path, m, and clearance beside a body, m. */
const STEP_M = 1.0;
const BESIDE_M = 0.3;
/** Margin for rounding, m. */
const SPARE_M = 0.05;
/**
 * Result for the present object: its zone on the own path, m from the front bumper, and its times,
 * s.
 */
export const ZONE_FROM: usize = CROSSINGS + CAR_COUNT * 20;
export const ZONE_TO: usize = ZONE_FROM + 8;
export const TIME_FROM: usize = ZONE_FROM + 16;
export const TIME_TO: usize = ZONE_FROM + 24;
/** i32, 1 if it passes clear of the car as that stands now */
export const STANDS_CLEAR: usize = ZONE_FROM + 32;
/**
 * Finds where and when a car of the fleet crosses the path over `connector`. A car with an
 * announced claim is covered by right of way; a car that can still stop before its line will stop.
 */
export function carCrosses(
  slab: usize,
  city: usize,
  car: i32,
  connector: i32,
  base: f64,
  other: i32,
  speed: f64,
): bool {
  const lane = getI(slab, C_LANE, other);
  const isOn = isConnector(city, lane);
  const theirs = isOn ? lane : connectorAhead(other);
  const record = laneRecord(city, connector);
  if (load<i32>(laneRecord(city, theirs) + L_JUNCTION) != load<i32>(record + L_JUNCTION))
    return false;
  if (!hasBit(city, load<u32>(record + L_CONFLICTS), theirs)) return false;
  const isExpected = getI(slab, C_CLAIM, other) == theirs && !isUnannounced(slab, other);
  if (isExpected && !isUnannounced(slab, car) && keepsUp(slab, city, car, other, speed))
    return false;
  if (
    trustsGreen(slab, city, car, connector) &&
    !hasBit(city, load<u32>(record + L_YIELDS), theirs)
  )
    return false;
  const before = isOn ? -getF(slab, C_STATION, other) - noseOf(slab, other) : lineDistance(other);
  if (!isOn && !isExpected && speed * speed <= 2.0 * DRIVER_DECEL_MAX * before) return false;
  store<f64>(ZONE_FROM, base + zoneFrom(city, connector, theirs));
  store<f64>(
    ZONE_TO,
    base + zoneTo(city, connector, theirs) + load<f64>(typeOf(slab, car) + CT_LENGTH),
  );
  store<f64>(TIME_FROM, (before + zoneFrom(city, theirs, connector)) / speed);
  store<f64>(
    TIME_TO,
    (before + zoneTo(city, theirs, connector) + load<f64>(typeOf(slab, other) + CT_LENGTH)) / speed,
  );
  store<i32>(STANDS_CLEAR, 0);
  return true;
}

/**
 * Whether a car crosses the junction as its claim expects: it did not have to stop inside. Of two
 * cars that had to stop, the one with the lower index goes first.
 */
function keepsUp(slab: usize, city: usize, car: i32, other: i32, speed: f64): bool {
  if (getF(slab, C_VX, car) >= KEEPING_UP_MPS || !isConnector(city, getI(slab, C_LANE, car)))
    return true;
  return speed < KEEPING_UP_MPS && car < other;
}

/**
 * A car that ignores lights assumes green, and does not expect traffic that a green light would
 * hold.
 */
@inline function trustsGreen(slab: usize, city: usize, car: i32, connector: i32): bool {
  return load<i32>(laneRecord(city, connector) + L_LIGHT) >= 0 && !obeysLights(slab, car);
}

/** Finds where and when a body that keeps its velocity crosses the path over `connector`. */
export function bodyCrosses(
  slab: usize,
  city: usize,
  car: i32,
  connector: i32,
  base: f64,
  target: usize,
  speed: f64,
): bool {
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const tx = targetF(target, TG_X);
  const ty = targetF(target, TG_Y);
  const x = getF(slab, C_X, car) + tx * hx - ty * hy;
  const y = getF(slab, C_Y, car) + tx * hy + ty * hx;
  const nx = (targetF(target, TG_VX) * hx - targetF(target, TG_VY) * hy) / speed;
  const ny = (targetF(target, TG_VX) * hy + targetF(target, TG_VY) * hx) / speed;
  const start = pointAt(city, connector, 0.0);
  const towards = nx * load<f32>(start + PT_TX) + ny * load<f32>(start + PT_TY);
  if (towards > ONCOMING_COSINE && trustsGreen(slab, city, car, connector)) return false;
  const type = typeOf(slab, car);
  const halfWidth = 0.5 * load<f64>(type + CT_WIDTH);
  const reach = targetF(target, TG_HALF_WIDTH) + BESIDE_M;
  if (!sweep(city, connector, greatest(0.0, -base), x, y, nx, ny, reach, halfWidth)) return false;
  const body = targetF(target, TG_HALF_LENGTH) + halfWidth + BESIDE_M;
  const last = load<f64>(TIME_TO);
  if (last + body < 0.0) return false;
  store<f64>(ZONE_FROM, base + load<f64>(ZONE_FROM) - STEP_M);
  store<f64>(ZONE_TO, base + load<f64>(ZONE_TO) + STEP_M + load<f64>(type + CT_LENGTH));
  const accel = greatest(targetF(target, TG_ACCEL), 0.0);
  const way = load<f64>(TIME_FROM) - body;
  const fastest = speed + SPEEDING_UP_S * accel;
  store<f64>(TIME_FROM, way > 0.0 ? timeToCover(way, speed, fastest, accel) : way / speed);
  store<f64>(TIME_TO, (last + body) / speed);
  const aside = nx * (tx * hy + ty * hx) - ny * (tx * hx - ty * hy);
  const isClear = passesBy(slab, car, aside, nx, ny, targetF(target, TG_HALF_WIDTH));
  store<i32>(STANDS_CLEAR, isClear ? 1 : 0);
  return true;
}

/**
 * Samples a connector from `begin` m on against the strip, `reach` m to each side, that a body at
 * (x, y) covers in its direction (nx, ny); false if no sample lies in it. Leaves the stations of
 * the first and the last such sample in ZONE_FROM and ZONE_TO, and the least and greatest way of
 * the body to them, m, in TIME_FROM and TIME_TO.
 */
function sweep(
  city: usize,
  connector: i32,
  begin: f64,
  x: f64,
  y: f64,
  nx: f64,
  ny: f64,
  reach: f64,
  halfWidth: f64,
): bool {
  const length = laneLength(city, connector);
  let from = -1.0;
  let to = -1.0;
  let first = Infinity;
  let last = 0.0;
  // A sample beside the strip is followed by others until the way could lead back to it.
  let clearTo = begin;
  for (let station = begin; station < length; station += STEP_M) {
    if (station < clearTo) continue;
    const point = pointAt(city, connector, station);
    const share = shareAt(city, connector, station);
    const dx = along(point, PT_X, share) - x;
    const dy = along(point, PT_Y, share) - y;
    const px = along(point, PT_TX, share);
    const py = along(point, PT_TY, share);
    const cosine = abs(px * nx + py * ny);
    const aside = abs(nx * dy - ny * dx);
    if (aside > reach + halfWidth * cosine) {
      clearTo = station + aside - reach - halfWidth - SPARE_M;
      continue;
    }
    if (abs(px * ny - py * nx) < CROSSING_SINE) continue;
    const way = nx * dx + ny * dy;
    if (from < 0.0) from = station;
    to = station;
    first = least(first, way);
    last = greatest(last, way);
  }
  store<f64>(ZONE_FROM, from);
  store<f64>(ZONE_TO, to);
  store<f64>(TIME_FROM, first);
  store<f64>(TIME_TO, last);
  return from >= 0.0;
}

/**
 * Whether the whole body of a car is clear of the strip of an object that moves along (nx, ny),
 * `aside` m left of the car's centre of gravity.
 */
function passesBy(slab: usize, car: i32, aside: f64, nx: f64, ny: f64, halfWidth: f64): bool {
  const type = typeOf(slab, car);
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const ahead = nx * hy - ny * hx;
  const left = nx * hx + ny * hy;
  const middle = load<f64>(type + CT_CENTRE) * ahead - aside;
  const reach =
    0.5 * (load<f64>(type + CT_LENGTH) * abs(ahead) + load<f64>(type + CT_WIDTH) * abs(left));
  return abs(middle) > reach + halfWidth + BESIDE_M;
}
