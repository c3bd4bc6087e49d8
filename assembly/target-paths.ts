/** How the targets of each car stand to the path that it is about to drive. */
import {
  CAR_COUNT,
  C_STATUS,
  SCRATCH,
  STATUS_CRASHED,
  TG_OBJECT,
  TG_PATH,
  TG_PATH_OPEN,
} from './layout';
import { carsWithout, carsWithTargets } from './masks';
import { OB_RADIUS, objectRecord } from './objects';
import { beginPath, meetPath, MET_DISTANCE } from './own-path';
import { isIdle, relevantTargets } from './relevance';
import { targetRecord, targetCount } from './targets';

/** u32[CAR_COUNT]: mask of the targets that can matter to a car's functions. */
const RELEVANT: usize = SCRATCH + 928;

/** Mask of the targets that can matter to a car's functions in this look. */
@inline export function relevantTargetsOf(car: i32): u32 {
  return load<u32>(RELEVANT + ((<usize>car) << 2));
}

/**
 * Finds the targets that can matter to each car. A car whose functions have anything to act on also
 * gets the paths that the look left open.
 */
export function measureOpenPaths(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) store<u32>(RELEVANT + ((<usize>car) << 2), 0);
  const cars = carsWithTargets() & carsWithout(slab, C_STATUS, STATUS_CRASHED);
  for (let left = cars; left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    const relevant = relevantTargets(slab, car);
    store<u32>(RELEVANT + ((<usize>car) << 2), relevant);
    if (relevant != 0 || !isIdle(slab, car)) measureOpenPathsOf(slab, city, car);
  }
}

function measureOpenPathsOf(slab: usize, city: usize, car: i32): void {
  const count = targetCount(car);
  let hasPath = false;
  for (let i = 0; i < count; i++) {
    const target = targetRecord(car, i);
    if (load<f32>(target + TG_PATH) != <f32>TG_PATH_OPEN) continue;
    if (!hasPath) beginPath(slab, city, car);
    hasPath = true;
    measurePath(slab, city, objectRecord(load<i32>(target + TG_OBJECT)), target);
  }
}

/** Measures where an object stands on the path that `beginPath` began. */
export function measurePath(slab: usize, city: usize, object: usize, target: usize): void {
  const isMet = meetPath(slab, city, object, load<f64>(object + OB_RADIUS));
  store<f32>(target + TG_PATH, isMet ? <f32>load<f64>(MET_DISTANCE) : -1.0);
}
