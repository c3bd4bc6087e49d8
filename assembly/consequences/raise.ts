import {
  E_ARG,
  E_CAR,
  E_FEATURE,
  E_HAZARD,
  E_KIND,
  E_OTHER,
  E_TICK,
  H_EVENT_COUNT,
  H_TICK,
} from '../layout';
import { eventRecord, raise } from '../events';

/** What happens again within so many ticks (60 s) is the same event. */
const REPEAT_TICKS: u32 = 3000;
/** It is told anew if so many others came since: the last sixty are shown, and some come in one frame. */
const OTHERS_MAX: u32 = 40;
const ONCE_MORE: i32 = 1 << 16;
const TIMES_MAX: i32 = 0x7fff << 16;
const VALUE = 0xffff;

/**
 * Raises the event of a consequence, or counts it with an equal one of the last minute. `reason`: a
 * feature, or 0; `hazard`, `other`: −1 none; `distance`: cm, of several the least stays.
 */
export function tell(
  slab: usize,
  kind: i32,
  car: i32,
  reason: i32,
  hazard: i32,
  other: i32,
  distance: i32,
): void {
  const feature = reason == 0 ? -1 : <i32>ctz(reason);
  const known = earlier(slab, kind, car, feature, hazard, other);
  if (known == 0) {
    raise(slab, load<u32>(slab + H_TICK), kind, car, feature, hazard, distance, other);
    return;
  }
  const arg = load<i32>(known + E_ARG);
  const times = arg & TIMES_MAX;
  const least = distance < (arg & VALUE) ? distance : arg & VALUE;
  store<i32>(known + E_ARG, (times < TIMES_MAX ? times + ONCE_MORE : times) | least);
}

/** The record of an equal event of the last minute, 0 none. */
function earlier(slab: usize, kind: i32, car: i32, feature: i32, hazard: i32, other: i32): usize {
  const tick = load<u32>(slab + H_TICK);
  const count = load<u32>(slab + H_EVENT_COUNT);
  const oldest = count > OTHERS_MAX ? count - OTHERS_MAX : 0;
  for (let n = count; n > oldest; n--) {
    const event = eventRecord(slab, n - 1);
    if (tick - load<u32>(event + E_TICK) > REPEAT_TICKS) return 0;
    if (
      load<i32>(event + E_KIND) == kind &&
      load<i32>(event + E_CAR) == car &&
      load<i32>(event + E_FEATURE) == feature &&
      load<i32>(event + E_HAZARD) == hazard &&
      load<i32>(event + E_OTHER) == other
    )
      return event;
  }
  return 0;
}
