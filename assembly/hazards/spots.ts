import {
  ACTOR_WAITS,
  A_ARMED,
  A_CAR,
  A_SENT,
  A_SINCE,
  A_SPEED,
  A_STATE,
  A_STRUCK,
  A_WAIT,
  HAZARDS,
  HAZARD_BLIND_CROSSING,
  HAZARD_BLIND_STALL,
  HAZARD_BYTES,
  HAZARD_CUT_IN,
  HAZARD_DARK_ZEBRA,
  HAZARD_DEER_CROSSING,
  HAZARD_DOWNHILL_STOP,
  HAZARD_FOG_STALL,
  HAZARD_ICE_BEND,
  HAZARD_LEFT_TURN_ONCOMING,
  HAZARD_PARKED_ROW_CHILD,
  HAZARD_RED_LIGHT_LORRY,
  HAZARD_SHARP_BEND,
  HAZARD_SPOT_BYTES,
  HAZARD_SUDDEN_STOP,
  HAZARD_TRAM_CROSSING,
  HAZARD_WET_CREST,
  HS_BODY_LENGTH,
  HS_KIND,
  H_SEED,
  H_TICK,
  TICKS_PER_S,
  T_HAZARDS,
} from '../layout';
import { uniformBetween, PURPOSE_HAZARD, streamKey } from '../random';

/** How the actor of a kind behaves. */
export const MODE_NONE = 0;
/** Stands in the lane for a while. */
export const MODE_STANDS = 1;
/** Walks or runs across. */
export const MODE_WALKS = 2;
/** Drives across. */
export const MODE_CROSSES = 3;
/** Pulls out of a bay well ahead, then brakes to a standstill. */
export const MODE_LEADS = 4;
/** Pulls out of a bay right ahead. */
export const MODE_CUTS_IN = 5;
/** Comes from behind. */
export const MODE_FOLLOWS = 6;

/** After an actor has gone, until the next, s. */
const PAUSE_MIN_S = 20.0;
const PAUSE_MAX_S = 60.0;
/** The same at most for what lies behind a crest: cars that are meant are rare. */
const SHORT_PAUSE_MAX_S = 30.0;
/** The same for what stands there, so that it does for about half of the time. */
const LONG_PAUSE_MIN_S = 40.0;
const LONG_PAUSE_MAX_S = 80.0;

@inline export function siteRecord(city: usize, spot: i32): usize {
  return city + load<i32>(city + T_HAZARDS) + <usize>spot * HAZARD_SPOT_BYTES;
}

@inline export function actorRecord(slab: usize, spot: i32): usize {
  return slab + HAZARDS + <usize>spot * HAZARD_BYTES;
}

@inline export function kindOf(site: usize): i32 {
  return load<i32>(site + HS_KIND);
}

export function modeOf(kind: i32): i32 {
  switch (kind) {
    case HAZARD_ICE_BEND:
    case HAZARD_SHARP_BEND:
      return MODE_NONE;
    case HAZARD_FOG_STALL:
    case HAZARD_WET_CREST:
      return MODE_STANDS;
    case HAZARD_PARKED_ROW_CHILD:
    case HAZARD_DEER_CROSSING:
    case HAZARD_DARK_ZEBRA:
      return MODE_WALKS;
    case HAZARD_SUDDEN_STOP:
      return MODE_LEADS;
    case HAZARD_CUT_IN:
      return MODE_CUTS_IN;
    case HAZARD_BLIND_STALL:
      return MODE_FOLLOWS;
    default:
      return MODE_CROSSES;
  }
}

/** Before a car arrives, s: when who drives across sets off, no later than the half of a second after. */
export function leadTime(kind: i32): f64 {
  return kind == HAZARD_BLIND_CROSSING || kind == HAZARD_LEFT_TURN_ONCOMING ? 3.5 : 5.0;
}

/**
 * How much later than that an actor may still set off, s: who drives across from afar can wait for a gap
 * in the other traffic.
 */
export function lateBy(kind: i32): f64 {
  return kind == HAZARD_TRAM_CROSSING || hasLine(kind) ? 1.4 : 0.24;
}

/**
 * m beyond the middle of the lane where who walks is met: away from the strip by which a car could
 * pass, so short of it for who comes from that side.
 */
export function metBeyond(kind: i32): f64 {
  if (kind == HAZARD_DARK_ZEBRA) return -0.3;
  return kind == HAZARD_DEER_CROSSING ? 0.28 : 0.4;
}

/** Whether a car has a line to stop at before the conflict point: the actor goes by the speed with which it comes. */
export function hasLine(kind: i32): bool {
  return kind == HAZARD_RED_LIGHT_LORRY || kind == HAZARD_DOWNHILL_STOP;
}

/** No actor is sent for a car that is slower, m/s. */
export function speedNeeded(kind: i32): f64 {
  const mode = modeOf(kind);
  if (mode == MODE_CROSSES) return kind == HAZARD_RED_LIGHT_LORRY ? 5.0 : 4.0;
  return mode == MODE_LEADS ? 9.0 : mode == MODE_CUTS_IN ? 10.5 : 8.0;
}

/** How an actor gets up to speed, m/s². */
export function startAccel(mode: i32): f64 {
  return mode == MODE_WALKS ? 5.0 : mode == MODE_LEADS ? 3.5 : 2.5;
}

/** The hardest that an actor brakes, m/s²: a tram and a loaded lorry less than a car. */
export function hardestBrake(kind: i32): f64 {
  if (kind == HAZARD_TRAM_CROSSING) return 2.5;
  if (kind == HAZARD_BLIND_STALL) return 4.0;
  return kind == HAZARD_SUDDEN_STOP ? 8.0 : 6.0;
}

/**
 * m by which the middle of what drives across is short of the conflict point as a car's front
 * arrives there: of what is long the front part is met.
 */
export function shortBy(site: usize): f64 {
  const behind = 0.5 * load<f64>(site + HS_BODY_LENGTH) - 3.5;
  return behind > 0.0 ? behind : 0.0;
}

/** Whether a car that stands or is hit in the side by it has itself to blame: it has right of way, and no way round. */
export function hasTrack(kind: i32): bool {
  return kind == HAZARD_TRAM_CROSSING;
}

/** The actor is gone; the next comes after a pause. */
export function leave(slab: usize, spot: i32, site: usize): void {
  const kind = kindOf(site);
  if (kind == HAZARD_FOG_STALL) pause(slab, spot, LONG_PAUSE_MIN_S, LONG_PAUSE_MAX_S);
  else pause(slab, spot, PAUSE_MIN_S, kind == HAZARD_WET_CREST ? SHORT_PAUSE_MAX_S : PAUSE_MAX_S);
}

/** In a new world none comes at once. */
export function pauseFirst(slab: usize, spot: i32): void {
  pause(slab, spot, PAUSE_MIN_S, PAUSE_MAX_S);
}

/** The length of each pause is from the spot's own stream. */
function pause(slab: usize, spot: i32, low: f64, high: f64): void {
  const actor = actorRecord(slab, spot);
  const key = streamKey(load<u64>(slab + H_SEED), PURPOSE_HAZARD, <u64>spot);
  const seconds = uniformBetween(key, <u64>load<u32>(actor + A_SENT), low, high);
  const tick = load<u32>(slab + H_TICK);
  store<i32>(actor + A_STATE, ACTOR_WAITS);
  store<u32>(actor + A_SINCE, tick);
  store<u32>(actor + A_ARMED, tick + <u32>(seconds * TICKS_PER_S));
  store<i32>(actor + A_CAR, -1);
  store<u32>(actor + A_STRUCK, 0);
  store<u32>(actor + A_WAIT, 0);
  store<f64>(actor + A_SPEED, 0.0);
}
