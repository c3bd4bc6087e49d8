import {
  C_ACCEL,
  C_ACCEL_COMFORT,
  C_CLAIM,
  C_LANE,
  C_STATION,
  C_STATUS,
  C_STOOD_TICK,
  C_VX,
  C_WAIT_TICK,
  H_TICK,
  L_CONFLICTS,
  L_JUNCTION,
  L_LIGHT,
  L_MUST_STOP,
  L_SPEED_LIMIT,
  L_YIELDS,
  PT_SPEED,
  STATUS_CRASHED,
} from './layout';
import {
  connectorAhead,
  firstApproaching,
  firstHolder,
  hasBit,
  isUnannounced,
  isWaiting,
  lineDistance,
  nextApproaching,
  nextHolder,
  zoneFrom,
  zoneTo,
} from './approaches';
import { carLength, noseOf } from './body';
import { laneAhead, laneRecord, laneLength, pointAt } from './lanes';
import { mayCome } from './light-choice';
import { greatest, least, timeToCover } from './math';
import { getF, getI } from './memory';
import { LEAVING_MPS, WAITING_MPS } from './thresholds';

/** Acceleration, m/s², and reaction time, s, that a driver assumes for its own car. */
const GAP_ACCEL = 1.8;
const GAP_REACTION_S = 0.5;
/**
 * Least time between a car that leaves a conflict zone and one with right of way that reaches it,
 * s.
 */
const GAP_MARGIN_S = 1.5;
/**
 * The same if both continue in one lane, s, and the braking that is expected of the car behind,
 * m/s².
 */
const MERGE_MARGIN_S = 0.8;
const MERGE_DECEL = 1.0;
/** Acceleration towards a gap that a driver assumes for cars with right of way, m/s². */
const OTHERS_GAP_ACCEL = 1.2;
/** Least time between a car that leaves a conflict zone and the own arrival, s. */
const LEAVE_MARGIN_S = 0.7;
/** Greatest distance from the end of the zone at which a car counts as leaving it, m. */
const LEAVING_M = 20.0;
const LEAVING_ACCEL = 1.2;
/** A car that brakes harder than any bend requires is held up and does not leave, m/s². */
const HELD_UP_DECEL = 1.8;
/** Two paths merge if their conflict zone ends closer than this to the end of the connector, m. */
const MERGE_M = 0.3;
/** Greatest acceleration that a driver assumes for others, m/s². */
const OTHERS_ACCEL = 2.0;
/** A car that stands further than this from its line does not wait for the junction, m. */
const STANDING_NEAR_M = 5.0;
/** Free space required behind the junction in addition to the car's own length, m. */
const EXIT_MARGIN_M = 3.0;
/** If all cars have stood for so many ticks (2 s), the one with the lowest index goes. */
const DEADLOCK_TICKS: u32 = 100;
/** After so many ticks (30 s) a car no longer yields to cars that can stop for it. */
const PATIENCE_TICKS: u32 = 1500;
/** Braking that a driver may expect of others, m/s². */
const OTHERS_DECEL = 2.0;

/**
 * Whether no claim of another car conflicts with the path over `connector`. Cars that are leaving
 * must have left `margin` s before.
 */
export function isClear(slab: usize, city: usize, car: i32, connector: i32, margin: f64): bool {
  return isClearOf(
    slab,
    city,
    car,
    connector,
    load<u32>(laneRecord(city, connector) + L_CONFLICTS),
    margin,
  );
}

/** The same for the connectors of a mask. */
function isClearOf(
  slab: usize,
  city: usize,
  car: i32,
  connector: i32,
  conflicts: u32,
  margin: f64,
): bool {
  const record = laneRecord(city, connector);
  for (
    let other = firstHolder(load<i32>(record + L_JUNCTION));
    other >= 0;
    other = nextHolder(other)
  ) {
    const claim = getI(slab, C_CLAIM, other);
    if (other == car || claim < 0 || !hasBit(city, conflicts, claim) || isUnannounced(slab, other))
      continue;
    if (!willHaveLeft(slab, city, other, claim, car, connector, margin)) return false;
  }
  return true;
}

/** Whether the holder of a claim leaves the conflict zone before the car can reach it. */
function willHaveLeft(
  slab: usize,
  city: usize,
  holder: i32,
  claim: i32,
  car: i32,
  connector: i32,
  margin: f64,
): bool {
  const left = leftOfZone(slab, city, holder, claim, connector);
  if (left <= 0.0) return true;
  const speed = getF(slab, C_VX, holder);
  if (left > LEAVING_M || speed < LEAVING_MPS || getF(slab, C_ACCEL, holder) < -HELD_UP_DECEL)
    return false;
  if (getI(slab, C_STATUS, holder) == STATUS_CRASHED) return false;
  const pace = middleSpeed(city, claim);
  const way = greatest(lineDistance(car), 0.0) + zoneFrom(city, connector, claim);
  const arrival = timeToCover(
    way,
    getF(slab, C_VX, car),
    speedLimit(city, connector),
    OTHERS_ACCEL,
  );
  if (margin > 0.0 && left / least(speed, pace) > arrival) return false;
  return timeToCover(left, least(speed, pace), pace, LEAVING_ACCEL) + margin < arrival;
}

/**
 * Distance that the rear of a car on `claim` has to travel to leave the zone with a connector, m.
 */
function leftOfZone(slab: usize, city: usize, holder: i32, claim: i32, connector: i32): f64 {
  const lane = getI(slab, C_LANE, holder);
  let station = getF(slab, C_STATION, holder);
  if (lane != claim) {
    // Before its line the whole zone is still ahead of it.
    if (laneAhead(slab, city, holder, 1) == claim) return 1e9;
    station += laneLength(city, claim);
  }
  const rear = station + noseOf(slab, holder) - carLength(slab, holder);
  return zoneTo(city, claim, connector) - rear;
}

/**
 * Whether a path is free, as far as the car can see, of traffic that crosses, has right of way or
 * has waited too long.
 */
export function isFree(slab: usize, city: usize, car: i32, connector: i32): bool {
  if (!isClear(slab, city, car, connector, LEAVE_MARGIN_S)) return false;
  return hasGap(slab, city, car, connector) && !mustLetGo(slab, city, car, connector);
}

/** Whether a path is free of cars that have right of way even while the own light is green. */
export function isFreeOfPriority(slab: usize, city: usize, car: i32, connector: i32): bool {
  const yields = load<u32>(laneRecord(city, connector) + L_YIELDS);
  return (
    isClearOf(slab, city, car, connector, yields, LEAVE_MARGIN_S) &&
    hasGap(slab, city, car, connector)
  );
}

/** Whether every car with right of way arrives late enough or yields. */
function hasGap(slab: usize, city: usize, car: i32, connector: i32): bool {
  const record = laneRecord(city, connector);
  const yields = load<u32>(record + L_YIELDS);
  if (yields == 0) return true;
  const speed = getF(slab, C_VX, car);
  const pace = middleSpeed(city, connector);
  const own = greatest(lineDistance(car), 0.0) + carLength(slab, car);
  const accel = least(GAP_ACCEL, getF(slab, C_ACCEL_COMFORT, car));
  for (
    let other = firstApproaching(load<i32>(record + L_JUNCTION));
    other >= 0;
    other = nextApproaching(other)
  ) {
    const theirs = connectorAhead(other);
    if (
      other == car ||
      !hasBit(city, yields, theirs) ||
      !(isWaiting(slab, other) || isUnannounced(slab, other))
    )
      continue;
    if (!isComing(slab, city, other, theirs) || willStopFirst(slab, city, other, theirs)) continue;
    const zone = zoneTo(city, connector, theirs);
    const top = least(speedLimit(city, getI(slab, C_LANE, other)), middleSpeed(city, theirs));
    let clear =
      GAP_REACTION_S + GAP_MARGIN_S + timeToCover(own + zone, least(speed, pace), pace, accel);
    if (zone > laneLength(city, connector) - MERGE_M) {
      // A car that merges continues at its pace; the car behind allows it to reach its own speed.
      clear += MERGE_MARGIN_S - GAP_MARGIN_S;
      if (pace < top) clear += ((top - pace) * (top - pace)) / (2.0 * (accel + MERGE_DECEL) * top);
    }
    const way = greatest(lineDistance(other), 0.0) + zoneFrom(city, theirs, connector);
    if (timeToCover(way, getF(slab, C_VX, other), top, OTHERS_GAP_ACCEL) > clear) continue;
    if (!goesFirst(slab, car, other)) return false;
  }
  return true;
}

/** Whether a stop sign delays a car that has right of way. */
function willStopFirst(slab: usize, city: usize, car: i32, connector: i32): bool {
  return (
    load<i32>(laneRecord(city, connector) + L_MUST_STOP) != 0 &&
    getI(slab, C_STOOD_TICK, car) == 0 &&
    canStop(slab, car)
  );
}

/**
 * Whether a car with right of way approaches the junction and is not held up by another obstacle.
 */
function isComing(slab: usize, city: usize, car: i32, connector: i32): bool {
  if (!mayCome(slab, city, car, load<i32>(laneRecord(city, connector) + L_LIGHT))) return false;
  if (isBehindStanding(slab, city, car, connector)) return false;
  if (getF(slab, C_VX, car) > WAITING_MPS) return true;
  if (lineDistance(car) > STANDING_NEAR_M || isPaused(slab, car)) return false;
  return hasExitRoom(slab, city, car, connector);
}

/** Whether a car without a claim stands between a car and its line. */
function isBehindStanding(slab: usize, city: usize, car: i32, connector: i32): bool {
  const lane = getI(slab, C_LANE, car);
  for (
    let other = firstApproaching(load<i32>(laneRecord(city, connector) + L_JUNCTION));
    other >= 0;
    other = nextApproaching(other)
  ) {
    if (getI(slab, C_LANE, other) != lane || lineDistance(other) >= lineDistance(car)) continue;
    if (
      getF(slab, C_VX, other) < WAITING_MPS &&
      getI(slab, C_CLAIM, other) != connectorAhead(other)
    )
      return true;
  }
  return false;
}

/**
 * Whether a car goes before one with right of way, to end a deadlock or because it has waited too
 * long.
 */
function goesFirst(slab: usize, car: i32, other: i32): bool {
  if (isImpatient(slab, car) && canStop(slab, other)) return true;
  return (
    car < other &&
    hasStood(slab, car) &&
    hasStood(slab, other) &&
    getF(slab, C_VX, other) < WAITING_MPS
  );
}

function hasStood(slab: usize, car: i32): bool {
  const since = <u32>getI(slab, C_STOOD_TICK, car);
  return since != 0 && load<u32>(slab + H_TICK) - since >= DEADLOCK_TICKS;
}

/** Whether a car can stop comfortably before its line. */
export function canStop(slab: usize, car: i32): bool {
  const speed = getF(slab, C_VX, car);
  return (
    lineDistance(car) > (speed * speed) / (2.0 * OTHERS_DECEL) + 0.5 * speed + 0.5 ||
    speed < WAITING_MPS
  );
}

/** Whether a car has released its claim and must not claim again yet. */
export function isPaused(slab: usize, car: i32): bool {
  return <u32>getI(slab, C_WAIT_TICK, car) > load<u32>(slab + H_TICK);
}

function isImpatient(slab: usize, car: i32): bool {
  const since = <u32>getI(slab, C_WAIT_TICK, car);
  const tick = load<u32>(slab + H_TICK);
  return since != 0 && since <= tick && tick - since > PATIENCE_TICKS;
}

/** Whether a car has to let another pass that has waited too long. */
function mustLetGo(slab: usize, city: usize, car: i32, connector: i32): bool {
  const record = laneRecord(city, connector);
  const conflicts = load<u32>(record + L_CONFLICTS);
  const since = getI(slab, C_WAIT_TICK, car);
  for (
    let other = firstApproaching(load<i32>(record + L_JUNCTION));
    other >= 0;
    other = nextApproaching(other)
  ) {
    if (other == car || !isImpatient(slab, other) || !isWaiting(slab, other)) continue;
    const theirs = connectorAhead(other);
    if (!hasBit(city, conflicts, theirs) || getI(slab, C_WAIT_TICK, other) > since) continue;
    if (getI(slab, C_WAIT_TICK, other) == since && other > car) continue;
    if (
      getF(slab, C_VX, other) < WAITING_MPS &&
      isComing(slab, city, other, theirs) &&
      !isBarred(slab, city, theirs)
    ) {
      return canStop(slab, car);
    }
  }
  return false;
}

/** Whether a standing car with a claim blocks a connector. */
function isBarred(slab: usize, city: usize, connector: i32): bool {
  const record = laneRecord(city, connector);
  const conflicts = load<u32>(record + L_CONFLICTS);
  for (
    let other = firstHolder(load<i32>(record + L_JUNCTION));
    other >= 0;
    other = nextHolder(other)
  ) {
    const claim = getI(slab, C_CLAIM, other);
    if (claim < 0 || isUnannounced(slab, other)) continue;
    if (hasBit(city, conflicts, claim) && getF(slab, C_VX, other) < WAITING_MPS) return true;
  }
  return false;
}

/** Whether every car between this one and its line holds a claim. */
export function isNext(slab: usize, city: usize, car: i32, connector: i32): bool {
  const lane = getI(slab, C_LANE, car);
  for (
    let other = firstApproaching(load<i32>(laneRecord(city, connector) + L_JUNCTION));
    other >= 0;
    other = nextApproaching(other)
  ) {
    if (getI(slab, C_LANE, other) != lane || lineDistance(other) >= lineDistance(car)) continue;
    if (getI(slab, C_CLAIM, other) != connectorAhead(other)) return false;
  }
  return true;
}

/**
 * Whether the car fits behind the junction, together with those that enter the same lane before it.
 */
export function hasExitRoom(slab: usize, city: usize, car: i32, connector: i32): bool {
  const exit = laneAhead(slab, city, car, 2);
  const beyond = laneAhead(slab, city, car, 3);
  let needed = carLength(slab, car) + EXIT_MARGIN_M;
  let room = laneLength(city, exit);
  for (
    let other = firstApproaching(load<i32>(laneRecord(city, beyond) + L_JUNCTION));
    other >= 0;
    other = nextApproaching(other)
  ) {
    if (other == car) continue;
    if (getI(slab, C_LANE, other) == exit) {
      const speed = getF(slab, C_VX, other);
      const rear = getF(slab, C_STATION, other) + noseOf(slab, other) - carLength(slab, other);
      const end = rear + speed + (speed * speed) / (2.0 * OTHERS_DECEL);
      room = least(room, end - queuedBehind(slab, city, car, other, exit));
    } else if (laneAhead(slab, city, other, 1) == exit) {
      needed += carLength(slab, other) + EXIT_MARGIN_M;
    }
  }
  for (
    let other = firstApproaching(load<i32>(laneRecord(city, connector) + L_JUNCTION));
    other >= 0;
    other = nextApproaching(other)
  ) {
    if (
      other == car ||
      getI(slab, C_CLAIM, other) != connectorAhead(other) ||
      laneAhead(slab, city, other, 2) != exit
    )
      continue;
    if (lineDistance(other) < lineDistance(car)) needed += carLength(slab, other) + EXIT_MARGIN_M;
  }
  return room > needed;
}

/** Space that cars on a lane behind `front`, without this one, need once all of them stand, m. */
function queuedBehind(slab: usize, city: usize, car: i32, front: i32, lane: i32): f64 {
  let needed = 0.0;
  for (
    let other = firstApproaching(load<i32>(laneRecord(city, connectorAhead(front)) + L_JUNCTION));
    other >= 0;
    other = nextApproaching(other)
  ) {
    if (
      other == car ||
      getI(slab, C_LANE, other) != lane ||
      getF(slab, C_STATION, other) >= getF(slab, C_STATION, front)
    )
      continue;
    needed += carLength(slab, other) + EXIT_MARGIN_M;
  }
  return needed;
}

/** Speed in the middle of a connector, where it bends most, m/s. */
@inline export function middleSpeed(city: usize, connector: i32): f64 {
  return load<f32>(pointAt(city, connector, 0.5 * laneLength(city, connector)) + PT_SPEED);
}

@inline function speedLimit(city: usize, lane: i32): f64 {
  return load<f64>(laneRecord(city, lane) + L_SPEED_LIMIT);
}
