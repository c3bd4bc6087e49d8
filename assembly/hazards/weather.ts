/** Ice and fog that come and go with the seed: nobody can learn where they are. */
import {
  ACTOR_WAITS,
  A_ARMED,
  A_SENT,
  A_STATE,
  A_WAIT,
  HAZARD_ICE_BEND,
  H_SEED,
  H_TICK,
  H_ZONES,
  TICKS_PER_S,
  T_ZONE_COUNT,
  Z_SPOT,
} from '../layout';
import { uniformBetween, PURPOSE_HAZARD, streamKey } from '../random';
import { zoneRecord } from '../road-grip';
import { isActorSeen } from './paths';
import { actorRecord, kindOf, siteRecord } from './spots';

/** How long ice stays, and how long a bend is free of it, s; a change waits until no car sees it. */
const ICE_MIN_S = 60.0;
const ICE_MAX_S = 240.0;
const THAWED_MIN_S = 10.0;
const THAWED_MAX_S = 60.0;

/** A new world begins with ice at every icy bend. */
export function freezeFirst(slab: usize, spot: i32): void {
  store<u32>(actorRecord(slab, spot) + A_WAIT, 1);
  setNext(slab, spot);
}

/** Lets the ice of a bend, which is due, form or thaw if no car is in sight. */
export function freezeOrThaw(slab: usize, city: usize, spot: i32): void {
  const actor = actorRecord(slab, spot);
  if (isActorSeen(slab, city, siteRecord(city, spot), actor)) return;
  store<u32>(actor + A_WAIT, 1 - load<u32>(actor + A_WAIT));
  store<u32>(actor + A_SENT, load<u32>(actor + A_SENT) + 1);
  setNext(slab, spot);
}

/** Draws the time of the next change from the spot's own stream. */
function setNext(slab: usize, spot: i32): void {
  const actor = actorRecord(slab, spot);
  const isIcy = load<u32>(actor + A_WAIT) != 0;
  const key = streamKey(load<u64>(slab + H_SEED), PURPOSE_HAZARD, <u64>spot);
  const seconds = uniformBetween(
    key,
    <u64>load<u32>(actor + A_SENT),
    isIcy ? ICE_MIN_S : THAWED_MIN_S,
    isIcy ? ICE_MAX_S : THAWED_MAX_S,
  );
  store<u32>(actor + A_ARMED, load<u32>(slab + H_TICK) + <u32>(seconds * TICKS_PER_S));
}

/** Finds the zones that count: ice as long as it stays, fog while something stands in it. */
export function findZones(slab: usize, city: usize): void {
  const count = load<i32>(city + T_ZONE_COUNT);
  let mask: u32 = 0;
  for (let index = 0; index < count; index++) {
    const spot = load<i32>(zoneRecord(city, index) + Z_SPOT);
    if (spot < 0 || doesCount(slab, city, spot)) mask |= 1 << index;
  }
  store<u32>(slab + H_ZONES, mask);
}

function doesCount(slab: usize, city: usize, spot: i32): bool {
  const actor = actorRecord(slab, spot);
  if (kindOf(siteRecord(city, spot)) == HAZARD_ICE_BEND) return load<u32>(actor + A_WAIT) != 0;
  return load<i32>(actor + A_STATE) != ACTOR_WAITS;
}
