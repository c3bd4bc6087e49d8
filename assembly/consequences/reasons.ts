import {
  C_DECLARED,
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
} from '../layout';
import { getI } from '../memory';

/** The feature that is switched off and because of which `feature` does not act; 0 if it acts or is 0. */
export function reason(slab: usize, car: i32, feature: i32): i32 {
  const declared = getI(slab, C_DECLARED, car);
  if ((declared & feature) == 0) return feature;
  switch (feature) {
    case F_AEB:
      if ((declared & (F_FRONT_RADAR | F_FRONT_CAMERA)) == 0) return F_FRONT_CAMERA;
      return lacking(declared, F_BRAKES, 0);
    case F_ANIMAL_DETECTION:
      return lacking(declared, F_FRONT_CAMERA, F_BRAKES);
    case F_EVASIVE_STEERING:
      return lacking(declared, F_FRONT_CAMERA, F_STEERING);
    case F_TRAFFIC_LIGHT_RECOGNITION:
      return lacking(declared, F_FRONT_CAMERA, F_BRAKES);
    case F_INTERSECTION_ASSIST:
      return lacking(declared, F_CORNER_RADARS, F_BRAKES);
    case F_ESC:
      return lacking(declared, F_STEERING, F_BRAKES);
    default:
      return 0;
  }
}

/** The first of two features that is off, 0 if both are on. */
@inline function lacking(declared: i32, first: i32, second: i32): i32 {
  if ((declared & first) != first) return first;
  return (declared & second) != second ? second : 0;
}

/** The same of several features, of which some may be 0: the reason of the first that does not act. */
export function firstReason(slab: usize, car: i32, a: i32, b: i32, c: i32): i32 {
  let found = reason(slab, car, a);
  if (found == 0) found = reason(slab, car, b);
  return found == 0 ? reason(slab, car, c) : found;
}
