/** Cars that stand on the way of a lorry whose driver sees them far too late. */
import {
  ACTOR_WAITS, A_CAR, A_CRUISE, A_PIECE, A_SPEED, A_STATE, A_STATION, A_WAIT, A_X, A_Y, CAR_COUNT, C_HX, C_HY, C_LANE, C_STATION, C_STATUS,
  C_VX, C_X, C_Y, FRAME_TICKS, HS_ACTOR_STATION, HS_SPEED, H_TICK, L_ROAD, STATUS_CRASHED, T_HAZARD_COUNT,
} from '../layout';
import { laneAt, laneLength } from '../lanes';
import { greatest } from '../math';
import { getF, getI } from '../memory';
import { putOnPath, stationBeside } from './paths';
import { actorAt } from './spots';
import { hasRoomAt, isWayFree } from './triggers';

/** A car slower than this, m/s (8 km/h), has stalled after so many ticks (5 s). */
const STALL_MPS = 2.2;
const STALL_TICKS: u32 = 250;
/** It is looked for so often, ticks (0.96 s), another car first each time. */
const SEARCH_TICKS: u32 = 48;
/** One that has nobody ahead of it in so many metres is in no queue. */
const ALONE_M = 25.0;
/** So near to the end of its lane it may be waiting: only after so many ticks (2 min) it has stalled for sure. */
const LINE_M = 15.0;
const LINE_TICKS: u32 = 6000;
/** Whoever is ahead and no further aside is in the same lane, m. */
const ASIDE_M = 2.0;
/** Whoever is as far from the way of the lorry is not on it, m. */
const ON_WAY_M = 1.2;
/** How far beyond the conflict point a car still counts, m. */
const BEYOND_M = 12.0;
/** The lorry comes from so far behind it, from nearer where somebody is in the way, but not from so near, m. */
const RUN_M = 70.0;
const RUN_STEP_M = 5.0;
const RUN_MIN_M = 45.0;

/** A car that has stood on the way for a while, and in no queue; until then A_WAIT tells when it will have. */
export function stallMoment(slab: usize, city: usize, at: usize, actor: usize): i32 {
  const tick = load<u32>(slab + H_TICK);
  const known = load<i32>(actor + A_CAR);
  if (known < 0) {
    if ((tick / FRAME_TICKS) % (SEARCH_TICKS / FRAME_TICKS) > 1) return -1;
    if (!noteOne(slab, city, at, actor, tick, false)) noteOne(slab, city, at, actor, tick, true);
    return -1;
  }
  const isAtLine = load<f64>(actor + A_CRUISE) != 0.0;
  const there = waits(slab, city, known) == isAtLine ? stalledAt(slab, city, at, known) : -1.0;
  if (there >= 0.0 && tick < load<u32>(actor + A_WAIT)) return -1;
  store<u32>(actor + A_WAIT, 0);
  if (there >= 0.0 && comeFor(slab, city, at, actor, known, there)) return known;
  store<i32>(actor + A_CAR, -1);
  return -1;
}

/** Finds a car that stands, at a line or at none, and notes when it will have stalled. */
function noteOne(slab: usize, city: usize, at: usize, actor: usize, tick: u32, isAtLine: bool): bool {
  const first = <i32>(tick / SEARCH_TICKS) % CAR_COUNT;
  for (let i = 0; i < CAR_COUNT; i++) {
    const car = first + i < CAR_COUNT ? first + i : first + i - CAR_COUNT;
    if (waits(slab, city, car) != isAtLine || stalledAt(slab, city, at, car) < 0.0) continue;
    store<i32>(actor + A_CAR, car);
    store<u32>(actor + A_WAIT, tick + (isAtLine ? LINE_TICKS : STALL_TICKS));
    store<f64>(actor + A_CRUISE, isAtLine ? 1.0 : 0.0);
    return true;
  }
  return false;
}

/** Whether a car may be waiting at the end of its lane. */
@inline function waits(slab: usize, city: usize, car: i32): bool {
  return laneLength(city, getI(slab, C_LANE, car)) - getF(slab, C_STATION, car) < LINE_M;
}

/** Puts the lorry behind the car that stands at a station of its way; whether it has a free way there. */
function comeFor(slab: usize, city: usize, at: usize, actor: usize, car: i32, there: f64): bool {
  const speed = load<f64>(at + HS_SPEED);
  let start = greatest(there - RUN_M, 0.0);
  while (!hasRoomAt(slab, city, at, start)) {
    start += RUN_STEP_M;
    if (start > there - RUN_MIN_M) return false;
  }
  let others: u32 = 0;
  for (let other = 0; other < CAR_COUNT; other++) {
    // It brakes for those on its way, whom it sees in time.
    if (other != car && stationOf(slab, city, at, other) < 0.0) others |= 1 << other;
  }
  if (!isWayFree(slab, city, at, others, start, speed, (there - start) / speed, 0.0)) return false;
  store<f64>(actor + A_STATION, start);
  store<f64>(actor + A_SPEED, speed);
  store<f64>(actor + A_CRUISE, speed);
  store<i32>(actor + A_PIECE, 0);
  return putOnPath(city, at, actor);
}

@inline function stationOf(slab: usize, city: usize, at: usize, car: i32): f64 {
  const hx = getF(slab, C_HX, car);
  return stationBeside(city, at, getF(slab, C_X, car), getF(slab, C_Y, car), hx, getF(slab, C_HY, car), ON_WAY_M);
}

/** The station of the lorry's way where a car has stalled; −1 where it has not, or is on another way. */
function stalledAt(slab: usize, city: usize, at: usize, car: i32): f64 {
  if (getF(slab, C_VX, car) > STALL_MPS || getI(slab, C_STATUS, car) == STATUS_CRASHED) return -1.0;
  if (load<i32>(laneAt(city, getI(slab, C_LANE, car)) + L_ROAD) < 0) return -1.0;
  const there = stationOf(slab, city, at, car);
  if (there < RUN_MIN_M || there > load<f64>(at + HS_ACTOR_STATION) + BEYOND_M) return -1.0;
  return standsAlone(slab, car) && standsForNobody(slab, city, car) ? there : -1.0;
}

/** Whether a car stands on a lane with nobody near ahead of it: not in a queue. */
function standsAlone(slab: usize, car: i32): bool {
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  for (let other = 0; other < CAR_COUNT; other++) {
    if (other == car) continue;
    const dx = getF(slab, C_X, other) - getF(slab, C_X, car);
    const dy = getF(slab, C_Y, other) - getF(slab, C_Y, car);
    const ahead = dx * hx + dy * hy;
    if (ahead > 0.0 && ahead < ALONE_M && abs(dy * hx - dx * hy) < ASIDE_M) return false;
  }
  return true;
}

/** Whether no actor of any spot is so near ahead that the car may be standing for it. */
function standsForNobody(slab: usize, city: usize, car: i32): bool {
  const count = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < count; spot++) {
    const actor = actorAt(slab, spot);
    if (load<i32>(actor + A_STATE) == ACTOR_WAITS) continue;
    const dx = load<f64>(actor + A_X) - getF(slab, C_X, car);
    const dy = load<f64>(actor + A_Y) - getF(slab, C_Y, car);
    const ahead = dx * getF(slab, C_HX, car) + dy * getF(slab, C_HY, car);
    if (ahead > 0.0 && dx * dx + dy * dy < ALONE_M * ALONE_M) return false;
  }
  return true;
}
