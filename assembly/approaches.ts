import {
  CAR_COUNT,
  CF_FROM,
  CF_TO,
  CONFLICT_BYTES,
  C_CLAIM,
  C_LANE,
  C_STATION,
  C_STATUS,
  C_STOOD_TICK,
  C_TOW,
  C_UNANNOUNCED,
  C_VX,
  H_TICK,
  JUNCTION_MAX,
  L_CONFLICTS,
  L_CONFLICT_FIRST,
  L_CONNECTOR,
  L_JUNCTION,
  SCRATCH,
  STATUS_CRASHED,
  T_CONFLICTS,
} from './layout';
import { noseOf } from './body';
import { isConnector, laneAhead, laneRecord, laneLength } from './lanes';
import { choose } from './math';
import { getF, getI, setI } from './memory';
import { WAITING_MPS } from './thresholds';

/** Greatest distance from the line at which a car counts as standing at it, m. */
const AT_LINE_M = 3.0;

// Lists that the junction decisions read, by car and by junction.
/** i32[CAR_COUNT], the next connector on the route, without the one that the car is on */
export const AHEAD: usize = SCRATCH;
/** f32[CAR_COUNT] m, from the front bumper to the stop line of that connector */
export const DISTANCE: usize = SCRATCH + 80;
/** i8[JUNCTION_MAX], first car of the list of those that approach, −1 none */
const FIRST: usize = SCRATCH + 640;
/** i8[JUNCTION_MAX], first car of the list of those that hold a claim there, −1 none */
const HOLDERS: usize = FIRST + JUNCTION_MAX;
/** i8[CAR_COUNT], next car in the list of the same junction */
const NEXT: usize = HOLDERS + JUNCTION_MAX;
const NEXT_HOLDER: usize = NEXT + CAR_COUNT; // i8[CAR_COUNT], the same among the holders

@inline export function connectorAhead(car: i32): i32 {
  return load<i32>(AHEAD + ((<usize>car) << 2));
}

@inline export function lineDistance(car: i32): f64 {
  return load<f32>(DISTANCE + ((<usize>car) << 2));
}

@inline export function firstApproaching(junction: i32): i32 {
  return load<i8>(FIRST + <usize>junction);
}

@inline export function nextApproaching(car: i32): i32 {
  return load<i8>(NEXT + <usize>car);
}

@inline export function firstHolder(junction: i32): i32 {
  return load<i8>(HOLDERS + <usize>junction);
}

@inline export function nextHolder(car: i32): i32 {
  return load<i8>(NEXT_HOLDER + <usize>car);
}

/** Whether a car approaches a connector without holding a claim on it. */
@inline export function isWaiting(slab: usize, car: i32): bool {
  return (
    getI(slab, C_CLAIM, car) != connectorAhead(car) && getI(slab, C_STATUS, car) != STATUS_CRASHED
  );
}

/** Whether other drivers cannot expect the path of a car: its claim counts only for itself. */
@inline export function isUnannounced(slab: usize, car: i32): bool {
  return getI(slab, C_UNANNOUNCED, car) != 0;
}

/**
 * Lists the cars by the junction that they approach, and notes since when each stands at its line.
 */
export function surveyApproaches(slab: usize, city: usize): void {
  for (let word = FIRST; word < NEXT; word += 8) store<i64>(word, -1);
  for (let car = CAR_COUNT - 1; car >= 0; car--) {
    const lane = getI(slab, C_LANE, car);
    // Which cars are on a connector is unpredictable, so there is no branch.
    const isOn = isConnector(city, lane);
    const next = laneAhead(slab, city, car, 1);
    const ahead = select<i32>(laneAhead(slab, city, car, 2), next, isOn);
    const rest = laneLength(city, lane) - getF(slab, C_STATION, car) - noseOf(slab, car);
    const distance = rest + choose(isOn, laneLength(city, next), 0.0);
    const since = getI(slab, C_STOOD_TICK, car);
    const hasStopped = (<i32>(getF(slab, C_VX, car) < WAITING_MPS) & <i32>(since == 0)) != 0;
    const isAway = (<i32>isOn | <i32>(rest > AT_LINE_M)) != 0;
    const stood = select<i32>(load<i32>(slab + H_TICK), since, hasStopped);
    setI(slab, C_STOOD_TICK, car, select<i32>(0, stood, isAway));
    store<i32>(AHEAD + ((<usize>car) << 2), ahead);
    store<f32>(DISTANCE + ((<usize>car) << 2), <f32>distance);
    // A car that is pulled, or stands at the roadside, claims no way.
    if (getI(slab, C_TOW, car) == 0)
      push(FIRST, NEXT, load<i32>(laneRecord(city, ahead) + L_JUNCTION), car);
  }
}

/** Adds a car to those that hold a claim in the junction of a connector. */
export function addHolder(city: usize, connector: i32, car: i32): void {
  push(HOLDERS, NEXT_HOLDER, load<i32>(laneRecord(city, connector) + L_JUNCTION), car);
}

@inline function push(heads: usize, nexts: usize, junction: i32, car: i32): void {
  store<i8>(nexts + <usize>car, load<i8>(heads + <usize>junction));
  store<i8>(heads + <usize>junction, <i8>car);
}

/**
 * Whether a connector's bit is set in a conflict mask of another connector of the same junction.
 */
@inline export function hasBit(city: usize, mask: u32, connector: i32): bool {
  return ((mask >> load<i32>(laneRecord(city, connector) + L_CONNECTOR)) & 1) != 0;
}

/** Station of `connector` at which its conflict zone with `other` begins, m. */
@inline export function zoneFrom(city: usize, connector: i32, other: i32): f64 {
  return load<f32>(conflictRecord(city, connector, other) + CF_FROM);
}

/** Station of `connector` at which its conflict zone with `other` ends, m. */
@inline export function zoneTo(city: usize, connector: i32, other: i32): f64 {
  return load<f32>(conflictRecord(city, connector, other) + CF_TO);
}

function conflictRecord(city: usize, connector: i32, other: i32): usize {
  const record = laneRecord(city, connector);
  const below: u32 = ((<u32>1) << load<i32>(laneRecord(city, other) + L_CONNECTOR)) - 1;
  const index =
    load<i32>(record + L_CONFLICT_FIRST) +
    popcnt<i32>(<i32>(load<u32>(record + L_CONFLICTS) & below));
  return city + load<i32>(city + T_CONFLICTS) + <usize>index * CONFLICT_BYTES;
}
