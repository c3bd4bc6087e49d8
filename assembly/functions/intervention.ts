import {
  CAR_COUNT,
  C_ACTED,
  C_EMERGENCY,
  EVENT_INTERVENTION,
  E_CAR,
  E_FEATURE,
  E_KIND,
  E_TICK,
  F_CORNER_RADARS,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  H_EVENT_COUNT,
  H_TICK,
  SEEN_CAMERA,
  SEEN_CORNERS,
  SEEN_RADAR,
} from '../layout';
import { eventRecord, oldestEvent, raise } from '../events';
import { getF, getI, setF, setI } from '../memory';

/** An intervention that begins again within so many ticks (2 s) counts as the same. */
const SAME_TICKS: u32 = 100;

/**
 * Raises the event that a function of a car begins to intervene because of an object, once per
 * intervention.
 */
export function announce(slab: usize, car: i32, feature: i32, object: i32): void {
  const index = <i32>ctz(feature);
  if (hasBegun(slab, car, index)) return;
  raise(
    slab,
    load<u32>(slab + H_TICK),
    EVENT_INTERVENTION,
    car,
    index,
    object < CAR_COUNT ? -1 : object - CAR_COUNT,
    0,
    -1,
  );
}

/** Whether an event of the last two seconds reports the same intervention. */
function hasBegun(slab: usize, car: i32, index: i32): bool {
  const tick = load<u32>(slab + H_TICK);
  const oldest = oldestEvent(slab);
  for (let n = load<u32>(slab + H_EVENT_COUNT); n > oldest; n--) {
    const event = eventRecord(slab, n - 1);
    if (tick - load<u32>(event + E_TICK) > SAME_TICKS) return false;
    const isOwn = load<i32>(event + E_CAR) == car && load<i32>(event + E_FEATURE) == index;
    if (isOwn && load<i32>(event + E_KIND) == EVENT_INTERVENTION) return true;
  }
  return false;
}

/** Notes the features that have just made a difference to a car. */
@inline export function credit(slab: usize, car: i32, features: i32): void {
  setI(slab, C_ACTED, car, getI(slab, C_ACTED, car) | features);
}

/** Demands a deceleration, m/s²; the strongest demand applies. */
@inline export function demand(slab: usize, car: i32, decel: f64): void {
  if (decel > getF(slab, C_EMERGENCY, car)) setF(slab, C_EMERGENCY, car, decel);
}

/** Features of the sensors in a mask of SEEN_ bits. */
@inline export function featuresOf(sensors: i32): i32 {
  let features = 0;
  if (sensors & SEEN_CAMERA) features |= F_FRONT_CAMERA;
  if (sensors & SEEN_RADAR) features |= F_FRONT_RADAR;
  if (sensors & SEEN_CORNERS) features |= F_CORNER_RADARS;
  return features;
}
