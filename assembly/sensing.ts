import {
  CAR_COUNT, CT_CENTRE, CT_LENGTH, CT_WIDTH, C_EFFECTIVE, C_GAP, C_HX, C_HY, C_LANE, C_LEAD_SPEED, C_OFFSET, C_ROUTE_INDEX, C_STATION,
  C_STATUS, C_VX, C_VY, C_X, C_Y, F_FRONT_CAMERA, F_FRONT_RADAR, L_JUNCTION, L_LENGTH, PT_X, PT_Y, STATUS_CRASHED,
} from './layout';
import { along, findOccupants, inJunction, laneAhead, laneAt, laneLength, occupants, pointAt, routeLane, shareAt } from './lanes';
import { getF, getI, setF, typeOf } from './memory';
import { findTargets } from './sensors';

/** How far ahead a vehicle on the path is measured, m. */
const RANGE_M = 100.0;
/** A car this far from its lane's centre is looked for where it is, not on its lane, m. */
const OFF_LANE_M = 1.2;
/** A car that turned off stands clear of the straight path from here on, m behind the stop line. */
const TURNED_OFF_M = 10.0;
/** Search of the path for cars that are off their lanes: range and step, m. */
const CORRIDOR_M = 60.0;
const CORRIDOR_STEP_M = 2.0;

@inline export function carLength(slab: usize, car: i32): f64 {
  return load<f64>(typeOf(slab, car) + CT_LENGTH);
}

@inline export function carWidth(slab: usize, car: i32): f64 {
  return load<f64>(typeOf(slab, car) + CT_WIDTH);
}

/** Whether a car is to be met where it stands rather than on its lane. */
export function isAstray(slab: usize, car: i32): bool {
  const offset = getF(slab, C_OFFSET, car);
  return getI(slab, C_STATUS, car) == STATUS_CRASHED || offset > OFF_LANE_M || offset < -OFF_LANE_M;
}

/** What each car measures of the vehicle ahead, by the front sensors that it effectively has. */
export function sense(slab: usize, city: usize): void {
  const astray = astrayMask(slab);
  findOccupants(slab, city, astray);
  findTargets(slab, city);
  for (let car = 0; car < CAR_COUNT; car++) {
    setF(slab, C_GAP, car, -1.0);
    setF(slab, C_LEAD_SPEED, car, 0.0);
    if ((getI(slab, C_EFFECTIVE, car) & (F_FRONT_CAMERA | F_FRONT_RADAR)) == 0) continue;
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    measureOnPath(slab, city, car);
    const others = astray & ~(1 << car);
    if (others != 0) measureAstray(slab, city, car, others);
  }
}

function astrayMask(slab: usize): u32 {
  let mask: u32 = 0;
  for (let car = 0; car < CAR_COUNT; car++) {
    if (isAstray(slab, car)) mask |= 1 << car;
  }
  return mask;
}

/** The nearest car on the lanes ahead, or on another connector from the same stop line. */
function measureOnPath(slab: usize, city: usize, car: i32): void {
  const others = ~(<u32>1 << car);
  let base = -getF(slab, C_STATION, car);
  for (let ahead = 0; base < RANGE_M; ahead++) {
    const lane = laneAhead(slab, city, car, ahead);
    const onLane = occupants(lane) & others;
    if (onLane != 0) measureOnLane(slab, car, onLane, base);
    const record = laneAt(city, lane);
    const junction = load<i32>(record + L_JUNCTION);
    if (junction >= 0) {
      const beside = inJunction(junction) & others & ~onLane;
      if (beside != 0) measureTurningOff(slab, city, car, beside, laneAhead(slab, city, car, ahead - 1), base);
    }
    // Whoever is nearer than the next lane is nearest.
    if (getF(slab, C_GAP, car) >= 0.0) return;
    base += load<f64>(record + L_LENGTH);
  }
}

/** `base`: m along the path to the lane's start, negative where that lies behind the car. */
function measureOnLane(slab: usize, car: i32, others: u32, base: f64): void {
  for (let left = others; left != 0; left &= left - 1) {
    const other = <i32>ctz(left);
    const distance = base + getF(slab, C_STATION, other);
    if (distance > 0.0) note(slab, car, other, distance);
  }
}

/** Cars on other connectors from the lane `before`, as long as they are near its stop line. */
function measureTurningOff(slab: usize, city: usize, car: i32, others: u32, before: i32, base: f64): void {
  for (let left = others; left != 0; left &= left - 1) {
    const other = <i32>ctz(left);
    const station = getF(slab, C_STATION, other);
    if (base + station > 0.0 && turnsOff(slab, city, other, before, station)) note(slab, car, other, base + station);
  }
}

/** Whether a car in the junction behind `before` came from there and is still near the stop line. */
function turnsOff(slab: usize, city: usize, car: i32, before: i32, station: f64): bool {
  return station <= TURNED_OFF_M && routeLane(city, car, getI(slab, C_ROUTE_INDEX, car) - 1) == before;
}

/** Keeps a car that is `distance` m ahead, centre to centre, where it is the nearest so far. */
function note(slab: usize, car: i32, other: i32, distance: f64): void {
  const middles = load<f64>(typeOf(slab, other) + CT_CENTRE) - load<f64>(typeOf(slab, car) + CT_CENTRE);
  let gap = distance + middles - 0.5 * (carLength(slab, car) + carLength(slab, other));
  if (gap < 0.0) gap = 0.0;
  const known = getF(slab, C_GAP, car);
  if (gap > RANGE_M || (known >= 0.0 && known <= gap)) return;
  setF(slab, C_GAP, car, gap);
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const ox = getF(slab, C_HX, other);
  const oy = getF(slab, C_HY, other);
  const vx = getF(slab, C_VX, other) * ox - getF(slab, C_VY, other) * oy;
  const vy = getF(slab, C_VX, other) * oy + getF(slab, C_VY, other) * ox;
  const speed = vx * hx + vy * hy;
  setF(slab, C_LEAD_SPEED, car, speed > 0.0 ? speed : 0.0);
}

/** The nearest of the cars in `others` whose body reaches into the path ahead. */
function measureAstray(slab: usize, city: usize, car: i32, others: u32): void {
  for (let other = 0; other < CAR_COUNT; other++) {
    if (((others >> other) & 1) == 0) continue;
    const dx = getF(slab, C_X, other) - getF(slab, C_X, car);
    const dy = getF(slab, C_Y, other) - getF(slab, C_Y, car);
    if (dx * dx + dy * dy > CORRIDOR_M * CORRIDOR_M) continue;
    const reach = 0.5 * (carLength(slab, other) + carWidth(slab, car)) + 0.3;
    const distance = alongPath(slab, city, car, getF(slab, C_X, other), getF(slab, C_Y, other), reach);
    if (distance > 0.0) note(slab, car, other, distance);
  }
}

/** Distance along the path at which it first comes within `reach` of a point, or −1. */
function alongPath(slab: usize, city: usize, car: i32, x: f64, y: f64, reach: f64): f64 {
  let ahead = 0;
  let lane = laneAhead(slab, city, car, 0);
  let length = laneLength(city, lane);
  let station = getF(slab, C_STATION, car);
  let nearest = reach * reach;
  let found = -1.0;
  for (let distance = CORRIDOR_STEP_M; distance < CORRIDOR_M; distance += CORRIDOR_STEP_M) {
    station += CORRIDOR_STEP_M;
    if (station > length) {
      station -= length;
      lane = laneAhead(slab, city, car, ++ahead);
      length = laneLength(city, lane);
    }
    const point = pointAt(city, lane, station);
    const share = shareAt(city, lane, station);
    const dx = along(point, PT_X, share) - x;
    const dy = along(point, PT_Y, share) - y;
    if (dx * dx + dy * dy >= nearest) {
      if (found >= 0.0) return found;
      continue;
    }
    nearest = dx * dx + dy * dy;
    found = distance;
  }
  return found;
}
