import { C_EFFECTIVE, F_BRAKES, F_FRONT_CAMERA, F_TRAFFIC_LIGHT_RECOGNITION } from '../layout';
import { getI } from '../memory';
import { credit } from './intervention';

/** Range within which a camera recognises the state of a light, m. */
const RANGE_M = 90.0;

/** Whether a car recognises lights; one that does not drives as if all were green. */
@inline export function obeysLights(slab: usize, car: i32): bool {
  return (getI(slab, C_EFFECTIVE, car) & F_TRAFFIC_LIGHT_RECOGNITION) != 0;
}

/** Whether a car `distance` m before the line knows the state of its light. */
@inline export function seesLight(slab: usize, car: i32, distance: f64): bool {
  return distance <= RANGE_M && obeysLights(slab, car);
}

/** Credits the features by which a car stops, or waits, because of a light. */
@inline export function creditStop(slab: usize, car: i32): void {
  credit(slab, car, F_TRAFFIC_LIGHT_RECOGNITION | F_FRONT_CAMERA | F_BRAKES);
}
