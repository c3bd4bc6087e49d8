import {
  F_ACTUATORS_AND_SENSORS,
  F_AEB,
  F_ANIMAL_DETECTION,
  F_BRAKES,
  F_CORNER_RADARS,
  F_ESC,
  F_EVASIVE_STEERING,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  F_INTERSECTION_ASSIST,
  F_STEERING,
  F_TRAFFIC_LIGHT_RECOGNITION,
} from './layout';

/**
 * Effective features: a function that lacks something it needs does not act; actuators and sensors
 * need nothing.
 */
export function effective(declared: i32): i32 {
  let mask = declared & F_ACTUATORS_AND_SENSORS;
  const front = (mask & (F_FRONT_RADAR | F_FRONT_CAMERA)) != 0;
  if (front && has(mask, F_BRAKES)) mask |= declared & F_AEB;
  if (has(mask, F_FRONT_CAMERA)) mask |= declared & F_ANIMAL_DETECTION;
  if (has(mask, F_STEERING | F_FRONT_CAMERA)) mask |= declared & F_EVASIVE_STEERING;
  if (has(mask, F_FRONT_CAMERA | F_BRAKES)) mask |= declared & F_TRAFFIC_LIGHT_RECOGNITION;
  if (has(mask, F_CORNER_RADARS | F_BRAKES)) mask |= declared & F_INTERSECTION_ASSIST;
  if (has(mask, F_BRAKES | F_STEERING)) mask |= declared & F_ESC;
  return mask;
}

@inline function has(mask: i32, needs: i32): bool {
  return (mask & needs) == needs;
}
