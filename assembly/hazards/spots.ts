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

/** Behaviour of the actor of a kind. */
export const MODE_NONE = 0;
/** Stands broken down in the lane for a while. */
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
/** Rolls into the lane from beside the road, and back. */
export const MODE_ROLLS = 7;

/** Pause between two actors that come from afar, s. */
const PAUSE_MIN_S = 20.0;
const PAUSE_MAX_S = 60.0;
/** That of an actor which then waits beside the road: it still has to wait for a moment unseen. */
const SHORT_PAUSE_MIN_S = 5.0;
const SHORT_PAUSE_MAX_S = 30.0;
/** The pause of a vehicle that breaks down, which is present about half of the time. */
const LONG_PAUSE_MIN_S = 30.0;
const LONG_PAUSE_MAX_S = 60.0;

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
      return MODE_STANDS;
    case HAZARD_WET_CREST:
      return MODE_ROLLS;
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

/**
 * Time before a car's arrival at which a crossing vehicle sets off, s: from where cars at the
 * conflict point are too far away to see it appear.
 */
export function leadTime(kind: i32): f64 {
  if (kind == HAZARD_LEFT_TURN_ONCOMING) return 5.0;
  return kind == HAZARD_BLIND_CROSSING || kind == HAZARD_DOWNHILL_STOP ? 6.5 : 8.0;
}

/** Delay by which an actor may still set off, s: one that crosses from afar can wait for a gap in traffic. */
export function lateBy(kind: i32): f64 {
  const mode = modeOf(kind);
  // Nobody could stop for one that pulls out later.
  if (mode == MODE_CUTS_IN) return 0.1;
  if (mode != MODE_CROSSES) return 0.24;
  return leadTime(kind) - (kind == HAZARD_LEFT_TURN_ONCOMING ? 3.0 : 3.1);
}

/**
 * Distance beyond the middle of the lane at which a pedestrian is met, m: away from the side on
 * which a car could pass, so negative for one that comes from that side.
 */
export function metBeyond(kind: i32): f64 {
  if (kind == HAZARD_DARK_ZEBRA) return -0.3;
  return kind == HAZARD_DEER_CROSSING ? 0.28 : 0.4;
}

/**
 * Whether cars have a stop line before the conflict point: the actor then relies on their present
 * speed.
 */
export function hasLine(kind: i32): bool {
  return kind == HAZARD_RED_LIGHT_LORRY || kind == HAZARD_DOWNHILL_STOP;
}

/** Speed below which a car triggers no actor, m/s. */
export function speedNeeded(kind: i32): f64 {
  const mode = modeOf(kind);
  if (mode == MODE_CROSSES) return kind == HAZARD_RED_LIGHT_LORRY ? 5.0 : 4.0;
  return mode == MODE_LEADS ? 9.0 : mode == MODE_CUTS_IN ? 11.5 : 8.0;
}

/** Acceleration of an actor that sets off, m/s². */
export function startAccel(mode: i32): f64 {
  return mode == MODE_WALKS ? 5.0 : mode == MODE_LEADS ? 3.5 : 2.5;
}

/** Hardest braking of an actor, m/s²: a tram and a loaded lorry brake less than a car. */
export function hardestBrake(kind: i32): f64 {
  if (kind == HAZARD_TRAM_CROSSING) return 2.5;
  if (kind == HAZARD_BLIND_STALL) return 4.0;
  return kind == HAZARD_SUDDEN_STOP ? 8.0 : 6.0;
}

/**
 * Distance by which the middle of a crossing vehicle is short of the conflict point when the car
 * arrives, m: the front part of a long vehicle is struck.
 */
export function shortBy(site: usize): f64 {
  const behind = 0.5 * load<f64>(site + HS_BODY_LENGTH) - 3.5;
  return behind > 0.0 ? behind : 0.0;
}

/**
 * Whether the actor has a track: it has right of way and cannot evade, so a car that it hits is at
 * fault.
 */
export function hasTrack(kind: i32): bool {
  return kind == HAZARD_TRAM_CROSSING;
}

/** Removes the actor; the next one appears after a pause. */
export function leave(slab: usize, spot: i32, site: usize): void {
  const mode = modeOf(kindOf(site));
  if (mode == MODE_STANDS) pause(slab, spot, LONG_PAUSE_MIN_S, LONG_PAUSE_MAX_S);
  else if (mode == MODE_CROSSES || mode == MODE_FOLLOWS) pauseFirst(slab, spot);
  else pause(slab, spot, SHORT_PAUSE_MIN_S, SHORT_PAUSE_MAX_S);
}

/** A new world starts with a pause at every spot. */
export function pauseFirst(slab: usize, spot: i32): void {
  pause(slab, spot, PAUSE_MIN_S, PAUSE_MAX_S);
}

/** Each pause is drawn from the spot's own stream. */
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
