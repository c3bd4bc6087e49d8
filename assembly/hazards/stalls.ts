/** Cars that stand in the way of a lorry whose driver sees them far too late. */
import {
  A_CRUISE,
  A_PIECE,
  A_SPEED,
  A_STATION,
  CAR_COUNT,
  C_ACCEL_WANTED,
  C_HX,
  C_HY,
  C_STALL_TICK,
  C_STATUS,
  C_STOOD_TICK,
  C_X,
  C_Y,
  FRAME_TICKS,
  HS_ACTOR_STATION,
  HS_SPEED,
  H_TICK,
  STATUS_CRASHED,
} from '../layout';
import { least } from '../math';
import { getF, getI } from '../memory';
import { isActorSeen, putOnPath, stationBeside } from './paths';
import { hasRoomAt, isWayFree } from './triggers';

/** A standing car that has wanted to go for so many ticks (3 s) has stalled. */
const STALL_TICKS: u32 = 150;
/** Interval of the search, ticks (0.96 s). */
const SEARCH_TICKS: u32 = 48;
/** Distance from the lorry's path beyond which a car is not on it, m. */
const ON_WAY_M = 1.2;
/** Distance beyond the conflict point up to which a car counts, m. */
const BEYOND_M = 12.0;
/**
 * The lorry starts this far behind the car, or further away in steps where that place is taken or
 * seen, up to the last, m.
 */
const RUN_M = 66.0;
const RUN_STEP_M = 8.0;
const RUN_MAX_M = 400.0;
/** Cars that are not on its way are predicted for so long, s. */
const PREDICTED_S = 8.0;

/** A stalled car on the lorry's path, with the lorry placed behind it; −1 none. */
export function stallTrigger(slab: usize, city: usize, site: usize, actor: usize): i32 {
  const tick = load<u32>(slab + H_TICK);
  if ((tick / FRAME_TICKS) % (SEARCH_TICKS / FRAME_TICKS) > 1) return -1;
  const last = load<f64>(site + HS_ACTOR_STATION) + BEYOND_M;
  for (let car = 0; car < CAR_COUNT; car++) {
    const since = <u32>getI(slab, C_STALL_TICK, car);
    if (since == 0 || tick - since < STALL_TICKS || !wantsToGo(slab, car)) continue;
    const there = stationOf(slab, city, site, car);
    if (there >= RUN_M && there <= last && comeFor(slab, city, site, actor, car, there)) return car;
  }
  return -1;
}

/**
 * Whether a car would drive off if it could. A car before a line may have waited for a light or for
 * others and would be there anyway.
 */
function wantsToGo(slab: usize, car: i32): bool {
  if (getI(slab, C_STATUS, car) == STATUS_CRASHED || getI(slab, C_STOOD_TICK, car) != 0)
    return false;
  return getF(slab, C_ACCEL_WANTED, car) > 0.0;
}

/** Places the lorry behind the car at a station of its path; whether its way there is free. */
function comeFor(slab: usize, city: usize, site: usize, actor: usize, car: i32, there: f64): bool {
  const speed = load<f64>(site + HS_SPEED);
  let start = there - RUN_M;
  while (!canStartAt(slab, city, site, actor, start)) {
    start -= RUN_STEP_M;
    if (start < 0.0 || start < there - RUN_MAX_M) return false;
  }
  let others: u32 = 0;
  for (let other = 0; other < CAR_COUNT; other++) {
    // The lorry brakes for cars on its path, which it sees in time.
    if (other != car && stationOf(slab, city, site, other) < 0.0) others |= 1 << other;
  }
  const seconds = least((there - start) / speed, PREDICTED_S);
  if (!isWayFree(slab, city, site, others, start, speed, seconds, 0.0)) return false;
  store<f64>(actor + A_SPEED, speed);
  store<f64>(actor + A_CRUISE, speed);
  return true;
}

/** Places the lorry at a station of its path, if there is room and nobody sees it. */
function canStartAt(slab: usize, city: usize, site: usize, actor: usize, start: f64): bool {
  if (!hasRoomAt(slab, city, site, start)) return false;
  store<f64>(actor + A_STATION, start);
  store<i32>(actor + A_PIECE, 0);
  return putOnPath(city, site, actor) && !isActorSeen(slab, city, site, actor);
}

/** Station of a car on the lorry's path, m; negative if it is not on it. */
function stationOf(slab: usize, city: usize, site: usize, car: i32): f64 {
  const hx = getF(slab, C_HX, car);
  return stationBeside(
    city,
    site,
    getF(slab, C_X, car),
    getF(slab, C_Y, car),
    hx,
    getF(slab, C_HY, car),
    ON_WAY_M,
  );
}
