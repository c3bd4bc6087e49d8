/**
 * Stages of emergency braking by time to collision, shared by AEB and animal detection. The
 * thresholds do not depend on friction.
 */
import {
  AEB_EASES,
  AEB_FULL,
  AEB_NONE,
  AEB_PARTIAL,
  AEB_WARN,
  CONTACT_ANIMAL,
  CONTACT_PERSON,
  C_VX,
  TG_CLASS,
} from '../layout';
import { greatest, least } from '../math';
import { getF } from '../memory';
import { closingInTheEnd, gapTo, relate, speedAlong, timeToGap, willMeet } from './threat';

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
/** Distance at which a car that slows gently comes to a standstill, m. */
const EASES_BEFORE_M = 2.0;
/** Braking of the stages, m/s²; the full stage demands more than tyres can transmit. */
const EASE_DECEL_MAX = 4.0;
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
  const isActing = held >= AEB_EASES;
  if (!willMeet(slab, car, isActing ? HELD_S : 0.0)) return AEB_NONE;
  const time = timeToGap();
  const speed = getF(slab, C_VX, car);
  const base = closingInTheEnd(speed) * (0.5 / REFERENCE_DECEL);
  let stage = AEB_NONE;
  if (time < readiness * (base + FULL_S)) stage = AEB_FULL;
  else if (time < base + PARTIAL_S) stage = AEB_PARTIAL;
  else if (time < base + WARN_S) stage = canEase(slab, car, target) ? AEB_EASES : AEB_WARN;
  if (!isActing || stage >= held) return stage;
  const began = base + (held == AEB_FULL ? FULL_S : held == AEB_PARTIAL ? PARTIAL_S : WARN_S);
  return speed > speedAlong() || time < RELEASE_SHARE * began ? held : stage;
}

/** Whether gentle braking suffices for a target that a driver would give way to. */
function canEase(slab: usize, car: i32, target: usize): bool {
  const kind = load<i32>(target + TG_CLASS);
  if (kind != CONTACT_PERSON && kind != CONTACT_ANIMAL) return false;
  return decelToStop(slab, car) <= EASE_DECEL_MAX;
}

/** Deceleration with which a car stops before the target of `relate`, m/s². */
@inline function decelToStop(slab: usize, car: i32): f64 {
  const speed = getF(slab, C_VX, car);
  return (0.5 * speed * speed) / greatest(gapTo() - EASES_BEFORE_M, 0.1);
}

/** Deceleration that a stage demands for the target of `relate`, m/s². */
export function decelOf(slab: usize, car: i32, stage: i32): f64 {
  if (stage == AEB_FULL) return FULL_DECEL;
  if (stage == AEB_PARTIAL) return PARTIAL_DECEL;
  return stage == AEB_EASES ? least(decelToStop(slab, car), EASE_DECEL_MAX) : 0.0;
}
