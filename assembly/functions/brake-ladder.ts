/**
 * Stages of emergency braking by time to collision, which automatic emergency braking and animal
 * detection share. The thresholds know nothing of friction.
 */
import { AEB_FULL, AEB_NONE, AEB_PARTIAL, AEB_WARN, C_VX } from '../layout';
import { getF } from '../memory';
import { closingInTheEnd, relate, speedAlong, timeToGap, willMeet } from './threat';

/** Deceleration by which the time that a stop takes is reckoned, m/s². */
const REFERENCE_DECEL = 7.0;
/** What is added to half of that time for each stage, s. */
const WARN_S = 1.2;
const PARTIAL_S = 0.55;
const FULL_S = 0.25;
/** A stage ends where the time becomes so much longer than it began with, and the gap grows. */
const RELEASE_SHARE = 1.5;
/** While a car brakes, whoever leaves its way so little before it comes there counts still, s. */
const HELD_S = 0.5;
/** What full braking demands, m/s²: more than tyres can transmit. */
const PARTIAL_DECEL = 4.0;
const FULL_DECEL = 9.5;

/**
 * Stage that a target asks for. `held`: the stage that the car is in; `readiness`: share of the
 * thresholds' time at which the function acts fully.
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
