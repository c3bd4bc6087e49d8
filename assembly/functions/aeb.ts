import {
  AEB_EASES,
  AEB_NONE,
  CONTACT_ANIMAL,
  C_AEB_STAGE,
  C_EFFECTIVE,
  C_VX,
  F_AEB,
  F_BRAKES,
  SEEN_CAMERA,
  SEEN_RADAR,
  TG_CLASS,
  TG_HALF_LENGTH,
  TG_HALF_WIDTH,
  TG_OBJECT,
  TG_SENSORS,
  TG_VX,
  TG_VY,
} from '../layout';
import { least } from '../math';
import { getF, getI, setI } from '../memory';
import { targetRecord } from '../targets';
import { decelOf, stageFor } from './brake-ladder';
import { announce, credit, demand, featuresOf } from './intervention';

/**
 * Half length and width from which a radar alone tells an obstacle from a sign or a manhole cover,
 * m.
 */
const RADAR_HALF_SIZE_M = 0.6;
/** Above this speed, 50 km/h, a radar alone is not trusted about objects that never moved, m/s. */
const TRUSTED_MPS = 13.9;
const STILL_MPS = 0.5;
/** Braking for such objects, m/s². */
const UNSURE_DECEL = 5.0;

/**
 * Automatic emergency braking for vehicles, persons and obstacles, by front camera and front radar.
 * `near`: mask of the targets that can matter.
 */
export function brakeInEmergency(slab: usize, city: usize, car: i32, near: u32): void {
  const held = getI(slab, C_AEB_STAGE, car);
  let stage = AEB_NONE;
  if (getI(slab, C_EFFECTIVE, car) & F_AEB) {
    for (let left = near; left != 0; left &= left - 1) {
      const target = targetRecord(car, <i32>ctz(left));
      if (!isTrusted(target)) continue;
      const own = stageFor(slab, city, car, target, held, 1.0);
      if (own >= AEB_EASES) act(slab, car, target, own, held);
      if (own > stage) stage = own;
    }
  }
  setI(slab, C_AEB_STAGE, car, stage);
}

/** Whether the function brakes for a target: animals belong to animal detection. */
function isTrusted(target: usize): bool {
  const sensors = load<i32>(target + TG_SENSORS);
  if (sensors & SEEN_CAMERA) return load<i32>(target + TG_CLASS) != CONTACT_ANIMAL;
  if ((sensors & SEEN_RADAR) == 0) return false;
  return (
    load<f64>(target + TG_HALF_LENGTH) > RADAR_HALF_SIZE_M &&
    load<f64>(target + TG_HALF_WIDTH) > RADAR_HALF_SIZE_M
  );
}

function act(slab: usize, car: i32, target: usize, stage: i32, held: i32): void {
  const sensors = load<i32>(target + TG_SENSORS);
  let decel = decelOf(slab, car, stage);
  if ((sensors & SEEN_CAMERA) == 0 && getF(slab, C_VX, car) > TRUSTED_MPS && isStill(target))
    decel = least(decel, UNSURE_DECEL);
  demand(slab, car, decel);
  if (held < AEB_EASES) announce(slab, car, F_AEB, load<i32>(target + TG_OBJECT));
  credit(slab, car, F_AEB | F_BRAKES | featuresOf(sensors & (SEEN_CAMERA | SEEN_RADAR)));
}

function isStill(target: usize): bool {
  const vx = load<f64>(target + TG_VX);
  const vy = load<f64>(target + TG_VY);
  return vx * vx + vy * vy < STILL_MPS * STILL_MPS;
}
