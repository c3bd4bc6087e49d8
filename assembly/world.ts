import {
  CAR_COUNT,
  CITY_MAX,
  CT_REAR,
  CT_STIFFNESS_REAR,
  CT_UNDERSTEER,
  CT_WHEELBASE,
  C_ACCEL_COMFORT,
  C_CLAIM,
  C_DECEL_COMFORT,
  C_DECLARED,
  C_EFFECTIVE,
  C_GAP,
  C_HEADWAY,
  C_HX,
  C_HY,
  C_LANE,
  C_ROUTE_INDEX,
  C_SPEED_FACTOR,
  C_STANDSTILL_GAP,
  C_STATION,
  C_STEER,
  C_STEER_TARGET,
  C_TYPE,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  C_YAW_REFERENCE,
  H_CITY,
  H_SEED,
  H_TICK,
  H_VERSION,
  IN_MASKS,
  IN_TYPES,
  JUNCTION_BYTES,
  J_CYCLE,
  LAYOUT_VERSION,
  L_SPEED_LIMIT,
  PT_CURVATURE,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  SIGNALS,
  SLAB_BYTES,
  T_JUNCTIONS,
  T_JUNCTION_COUNT,
} from './layout';
import { findNear } from './broad-phase';
import { speedAhead } from './driver';
import { effective } from './features';
import { placeActors } from './hazards/actors';
import {
  along,
  cityOf,
  isConnector,
  laneRecord,
  laneLength,
  pointAt,
  routeCount,
  routeLane,
  shareAt,
} from './lanes';
import { greatest, least } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';
import { isPlainRoad } from './plain-road';
import {
  uniformBetween,
  draw,
  PURPOSE_DRIVER,
  PURPOSE_SIGNAL,
  PURPOSE_START,
  streamKey,
} from './random';
import { DRY, sampleFriction } from './road-grip';
import { GRAVITY } from './tyre';

/**
 * Least distance of a starting car from the stop line, from the start of its lane and from others,
 * m.
 */
const START_TO_LINE_M = 40.0;
const START_FROM_ENTRY_M = 8.0;
const START_APART_M = 30.0;
const START_DRAWS = 64;
/** Deceleration that is always comfortable, m/s². */
const START_DECEL = 1.8;

/**
 * Makes a slab the world of `seed` in the state of `tick`. Types and declared masks of the cars are
 * read from IN. The slab follows from these and from the city.
 */
export function create(slab: usize, cityIndex: i32, seed: u32, tick: u32): void {
  assert(cityIndex >= 0 && cityIndex < CITY_MAX);
  memory.fill(slab, 0, SLAB_BYTES);
  store<u32>(slab + H_VERSION, LAYOUT_VERSION);
  store<u32>(slab + H_CITY, <u32>cityIndex);
  store<u64>(slab + H_SEED, <u64>seed);
  store<u32>(slab + H_TICK, tick);
  const city = cityOf(slab);
  offsetSignals(slab, city, seed);
  for (let car = 0; car < CAR_COUNT; car++) {
    const mask = load<i32>(<usize>IN_MASKS + ((<usize>car) << 2));
    setI(slab, C_TYPE, car, load<i32>(<usize>IN_TYPES + ((<usize>car) << 2)));
    setI(slab, C_DECLARED, car, mask);
    setI(slab, C_EFFECTIVE, car, effective(mask));
    setI(slab, C_CLAIM, car, -1);
    setF(slab, C_GAP, car, -1.0);
    setI(slab, C_LANE, car, -1);
    drawDriver(slab, car, seed);
  }
  for (let car = 0; car < CAR_COUNT; car++) start(slab, city, car, seed);
  findNear(slab, city);
  placeActors(slab, city);
}

function offsetSignals(slab: usize, city: usize, seed: u64): void {
  const junctions = load<i32>(city + T_JUNCTION_COUNT);
  for (let junction = 0; junction < junctions; junction++) {
    const cycle = load<i32>(
      city + load<i32>(city + T_JUNCTIONS) + <usize>junction * JUNCTION_BYTES + J_CYCLE,
    );
    if (cycle == 0) continue;
    const offset = draw(streamKey(seed, PURPOSE_SIGNAL, <u64>junction), 0) % <u64>cycle;
    setI(slab, SIGNALS, junction, <i32>offset);
  }
}

/**
 * Spread of the intelligent driver model's parameters in a city (Treiber, Kesting: Traffic Flow
 * Dynamics).
 */
function drawDriver(slab: usize, car: i32, seed: u64): void {
  const key = streamKey(seed, PURPOSE_DRIVER, <u64>car);
  setF(slab, C_SPEED_FACTOR, car, uniformBetween(key, 0, 0.92, 1.02));
  setF(slab, C_HEADWAY, car, uniformBetween(key, 1, 0.8, 1.2));
  setF(slab, C_STANDSTILL_GAP, car, uniformBetween(key, 2, 1.8, 2.5));
  setF(slab, C_ACCEL_COMFORT, car, uniformBetween(key, 3, 1.2, 2.0));
  setF(slab, C_DECEL_COMFORT, car, uniformBetween(key, 4, 1.6, 2.4));
}

/** Places a car on its route, on plain road, away from others, at road speed. */
function start(slab: usize, city: usize, car: i32, seed: u64): void {
  const key = streamKey(seed, PURPOSE_START, <u64>car);
  const count = routeCount(city, car);
  for (let n = 0; n < START_DRAWS; n++) {
    const position = <i32>(draw(key, <u64>(2 * n)) % <u64>count);
    const lane = routeLane(city, car, position);
    const room = laneLength(city, lane) - START_TO_LINE_M - START_FROM_ENTRY_M;
    if (isConnector(city, lane) || room < 0.0) continue;
    const station = START_FROM_ENTRY_M + uniformBetween(key, <u64>(2 * n + 1), 0.0, room);
    if (apartFrom(slab, car, lane, station) < START_APART_M) continue;
    if (!isPlainRoad(city, lane, station, load<f64>(laneRecord(city, lane) + L_SPEED_LIMIT)))
      continue;
    place(slab, city, car, position, station);
    roll(slab, city, car);
    return;
  }
  if (!startAnywhere(slab, city, car, count, true)) startAnywhere(slab, city, car, count, false);
}

/**
 * Takes the first free place along the route, or the one furthest from all others if the route is
 * crowded. If `isPlain`, only on plain road: false if the route has none.
 */
function startAnywhere(slab: usize, city: usize, car: i32, count: i32, isPlain: bool): bool {
  let best = -1.0;
  let bestPosition = 0;
  let bestStation = START_FROM_ENTRY_M;
  for (let position = 0; position < count && best < START_APART_M; position++) {
    const lane = routeLane(city, car, position);
    if (isConnector(city, lane)) continue;
    const last = laneLength(city, lane) - START_TO_LINE_M;
    for (let station = START_FROM_ENTRY_M; station < last && best < START_APART_M; station += 4.0) {
      const apart = apartFrom(slab, car, lane, station);
      if (
        apart <= best ||
        (isPlain &&
          !isPlainRoad(city, lane, station, load<f64>(laneRecord(city, lane) + L_SPEED_LIMIT)))
      )
        continue;
      best = apart;
      bestPosition = position;
      bestStation = station;
    }
  }
  if (isPlain && best < 0.0) return false;
  place(slab, city, car, bestPosition, bestStation);
  roll(slab, city, car);
  return true;
}

/** Distance on a lane to the nearest car with a lower index, m; START_APART_M if none is nearer. */
function apartFrom(slab: usize, car: i32, lane: i32, station: f64): f64 {
  let nearest = START_APART_M;
  for (let other = 0; other < car; other++) {
    if (getI(slab, C_LANE, other) == lane)
      nearest = least(nearest, abs(getF(slab, C_STATION, other) - station));
  }
  return nearest;
}

/** Places a car at the centre of a lane of its route. */
export function place(slab: usize, city: usize, car: i32, position: i32, station: f64): void {
  const lane = routeLane(city, car, position);
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const hx = along(point, PT_TX, share);
  const hy = along(point, PT_TY, share);
  const norm = sqrt(hx * hx + hy * hy);
  setI(slab, C_ROUTE_INDEX, car, position);
  setI(slab, C_LANE, car, lane);
  setF(slab, C_STATION, car, station);
  setF(slab, C_X, car, along(point, PT_X, share));
  setF(slab, C_Y, car, along(point, PT_Y, share));
  setF(slab, C_HX, car, hx / norm);
  setF(slab, C_HY, car, hy / norm);
  sampleFriction(slab, city, 1 << car);
}

/** Sets a car rolling at road speed, slow enough to stop at the line, and turning with its lane. */
function roll(slab: usize, city: usize, car: i32): void {
  const lane = getI(slab, C_LANE, car);
  const station = getF(slab, C_STATION, car);
  // On a route of short lanes the only place may be nearer.
  const toLine = greatest(laneLength(city, lane) - station - START_FROM_ENTRY_M, 0.0);
  const limit = load<f64>(laneRecord(city, lane) + L_SPEED_LIMIT) * getF(slab, C_SPEED_FACTOR, car);
  const speed = least(
    least(limit, speedAhead(slab, city, car, 0.0)),
    sqrt(2.0 * START_DECEL * toLine),
  );
  const type = typeOf(slab, car);
  const curvature = along(pointAt(city, lane, station), PT_CURVATURE, shareAt(city, lane, station));
  const grip = DRY * load<f64>(type + CT_STIFFNESS_REAR) * GRAVITY;
  const across = load<f64>(type + CT_REAR) - (speed * speed) / grip;
  const angle =
    load<f64>(type + CT_WHEELBASE) + (load<f64>(type + CT_UNDERSTEER) / DRY) * speed * speed;
  setF(slab, C_VX, car, speed);
  setF(slab, C_VY, car, speed * curvature * across);
  setF(slab, C_YAW_RATE, car, speed * curvature);
  setF(slab, C_YAW_REFERENCE, car, speed * curvature);
  setF(slab, C_STEER, car, curvature * angle);
  setF(slab, C_STEER_TARGET, car, curvature * angle);
}
