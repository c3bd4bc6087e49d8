/**
 * Stages of emergency braking by time to collision, shared by AEB and animal detection. The
 * thresholds do not depend on friction.
 */
import { AEB_FULL, AEB_NONE, AEB_PARTIAL, AEB_WARN, C_VX } from '../layout';
import { getF } from '../memory';
import { closingInTheEnd, relate, speedAlong, timeToGap, willMeet } from './threat';

/** Deceleration assumed for the time of a stop, m/s². */
const REFERENCE_DECEL = 7.0;
/** Time added to half of that for each stage, s. */
const WARN_S = 1.2;
const PARTIAL_S = 0.55;
const FULL_S = 0.25;
/** A stage ends once the time to collision is this factor above its beginning and the gap grows. */
const RELEASE_SHARE = 1.5;
/**
 * While a car brakes, a target that leaves the path this little before its arrival still counts, s.
 */
const HELD_S = 0.5;
/** Braking of the stages, m/s²; the full stage demands more than tyres can transmit. */
const PARTIAL_DECEL = 4.0;
const FULL_DECEL = 9.5;

/**
 * Stage that a target requires. `held`: present stage of the car; `readiness`: factor on the time
 * threshold of full braking.
 */
export function stageFor(
  slab: usize,
  city: usize,
  car: i32,
  target: usize,
  held: i32,
  readiness: f64,
): i32 {
  relate(slab, city, car, target);
  const isActing = held >= AEB_PARTIAL;
  if (!willMeet(slab, car, isActing ? HELD_S : 0.0)) return AEB_NONE;
  const time = timeToGap();
  const speed = getF(slab, C_VX, car);
  const base = closingInTheEnd(speed) * (0.5 / REFERENCE_DECEL);
  let stage = AEB_NONE;
  if (time < readiness * (base + FULL_S)) stage = AEB_FULL;
  else if (time < base + PARTIAL_S) stage = AEB_PARTIAL;
  else if (time < base + WARN_S) stage = AEB_WARN;
  if (!isActing || stage >= held) return stage;
  const began = base + (held == AEB_FULL ? FULL_S : PARTIAL_S);
  return speed > speedAlong() || time < RELEASE_SHARE * began ? held : stage;
}

/** Deceleration that a stage demands, m/s². */
@inline export function decelOf(stage: i32): f64 {
  return stage == AEB_FULL ? FULL_DECEL : stage == AEB_PARTIAL ? PARTIAL_DECEL : 0.0;
}
