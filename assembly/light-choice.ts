import {
  CAR_COUNT,
  CHOICE_GO,
  CHOICE_NONE,
  CHOICE_STOP,
  C_ACCEL,
  C_HEADWAY,
  C_LANE,
  C_LIGHT_CHOICE,
  C_VX,
  FRAME_TICKS,
  LIGHT_AMBER,
  LIGHT_GREEN,
  LIGHT_RED,
  LIGHT_RED_AMBER,
  L_LIGHT,
  TICK_S,
} from './layout';
import { connectorAhead, lineDistance } from './approaches';
import { creditStop, obeysLights, seesLight } from './functions/traffic-light-recognition';
import { isConnector, laneRecord } from './lanes';
import { greatest, timeToCover } from './math';
import { getF, getI, setI } from './memory';
import { amberTicks, greenAge, lightState, ticksToRed } from './signals';
import { STOPPED_MPS } from './thresholds';

/** Time from seeing a light to braking, s. */
const REACTION_S = 0.3;
/**
 * A driver stops at amber if this deceleration suffices, m/s² (amber times by the German VwV-StVO).
 */
const AMBER_DECEL = 3.0;
/** Limit in the dilemma zone, where a car can neither stop comfortably nor pass in time, m/s². */
const DILEMMA_DECEL = 4.5;
/**
 * Acceleration towards the line, m/s², and the delay of the pedals while rolling and from rest, s.
 */
const START_ACCEL = 1.5;
const PEDALS_S = 0.6;
const START_S = 0.8;
/**
 * Headways that a standing car waits after green. With the pedals it moves 0.8 to 1.2 s after
 * green.
 */
const START_HEADWAYS = 0.05;
/**
 * Below this speed a car is about to start: it takes longer to the line than its speed suggests,
 * m/s.
 */
const ROLLING_MPS = 1.0;
/** A car has not passed a line if its front is less than this far beyond it, m. */
const ON_LINE_M = 1.0;
/** Above any speed that a car has on its way to a line, m/s. */
const TOP_MPS = 40.0;

/** Light that controls a connector, −1 none. */
@inline export function lightFor(city: usize, connector: i32): i32 {
  return load<i32>(laneRecord(city, connector) + L_LIGHT);
}

/**
 * Traffic light recognition: whether each car stops at the light ahead. Junctions have none inside.
 */
export function chooseAtLights(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    if (isConnector(city, getI(slab, C_LANE, car))) setI(slab, C_LIGHT_CHOICE, car, CHOICE_NONE);
    else chooseAtLight(slab, city, car, lightFor(city, connectorAhead(car)), lineDistance(car));
  }
}

/**
 * Decides once, when amber begins or when the car first sees it. With speed v, distance x to the
 * line, reaction time t and amber time Y: stop if x > v t + v² ÷ (2·3); else go if x ≤ v Y; else
 * stop if v² ÷ (2 (x − v t)) ≤ 4.5, and go otherwise. A car ignores a light that it does not see.
 */
function chooseAtLight(slab: usize, city: usize, car: i32, light: i32, distance: f64): void {
  const state =
    light < 0 || !seesLight(slab, car, distance) ? LIGHT_GREEN : lightState(slab, city, light);
  if (state == LIGHT_GREEN) {
    setI(slab, C_LIGHT_CHOICE, car, CHOICE_NONE);
  } else if (getF(slab, C_VX, car) < STOPPED_MPS && distance > -ON_LINE_M) {
    // In a queue a car may have come to stand on the line.
    setI(slab, C_LIGHT_CHOICE, car, CHOICE_STOP);
    if (state != LIGHT_AMBER) creditStop(slab, car);
  } else if (state == LIGHT_AMBER) {
    const left = ticksToRed(slab, city, light);
    if (getI(slab, C_LIGHT_CHOICE, car) != CHOICE_NONE) {
      if (isLate(getF(slab, C_VX, car), distance, <f64>left * TICK_S))
        setI(slab, C_LIGHT_CHOICE, car, CHOICE_STOP);
      return;
    }
    const amber = amberTicks(city, light);
    const age = amber - left;
    // Amber may have begun since the last decision: take the state at the end of its first tick.
    const sinceS = age < FRAME_TICKS ? <f64>(age - 1) * TICK_S : 0.0;
    const speed = getF(slab, C_VX, car);
    const before = greatest(speed - getF(slab, C_ACCEL, car) * sinceS, 0.0);
    setI(slab, C_LIGHT_CHOICE, car, choice(before, distance + speed * sinceS, <f64>amber * TICK_S));
  } else {
    // A car that chose to go has passed the line by now, or is too close to stop before it.
    if (
      getI(slab, C_LIGHT_CHOICE, car) == CHOICE_GO &&
      !canStop(getF(slab, C_VX, car), distance, AMBER_DECEL)
    )
      return;
    setI(slab, C_LIGHT_CHOICE, car, CHOICE_STOP);
    creditStop(slab, car);
  }
}

function choice(speed: f64, distance: f64, amberS: f64): i32 {
  if (distance <= 0.0) return CHOICE_GO;
  if (canStop(speed, distance, AMBER_DECEL)) return CHOICE_STOP;
  if (distance <= speed * amberS) return CHOICE_GO;
  return canStop(speed, distance, DILEMMA_DECEL) ? CHOICE_STOP : CHOICE_GO;
}

/** Whether a delayed car can no longer pass in `seconds` but can still stop. */
function isLate(speed: f64, distance: f64, seconds: f64): bool {
  return (
    distance > (speed + 0.5 * START_ACCEL * seconds) * seconds &&
    canStop(speed, distance, AMBER_DECEL)
  );
}

/** Whether a car stops before the line with reaction time and a deceleration of `decel`. */
@inline function canStop(speed: f64, distance: f64, decel: f64): bool {
  return speed * speed <= 2.0 * decel * (distance - speed * REACTION_S);
}

/** Whether the light holds a car before its line. */
export function isHeld(slab: usize, car: i32): bool {
  return getI(slab, C_LIGHT_CHOICE, car) == CHOICE_STOP;
}

/**
 * Whether the light allows a car to claim its connector: a rolling car must pass the line before
 * red, a standing one before amber and not right after green. A car that ignores lights always may;
 * one that does not see its light yet has to wait.
 */
export function mayStart(slab: usize, city: usize, car: i32, light: i32, distance: f64): bool {
  if (light < 0 || !obeysLights(slab, car)) return true;
  if (isHeld(slab, car) || !seesLight(slab, car, distance)) return false;
  const left = <f64>ticksToRed(slab, city, light) * TICK_S;
  const speed = getF(slab, C_VX, car);
  const needed = distance > 0.0 ? timeToCover(distance, speed, TOP_MPS, START_ACCEL) : 0.0;
  if (speed > ROLLING_MPS) return left > needed + PEDALS_S;
  if (left - <f64>amberTicks(city, light) * TICK_S < needed + START_S) return false;
  return <f64>greenAge(slab, city, light) * TICK_S > START_HEADWAYS * getF(slab, C_HEADWAY, car);
}

/** Whether a light is red, whether or not a car recognises it. */
export function isClosed(slab: usize, city: usize, light: i32): bool {
  if (light < 0) return false;
  const state = lightState(slab, city, light);
  return state == LIGHT_RED || state == LIGHT_RED_AMBER;
}

/**
 * Whether others must expect a car to come from a light: it is not red, and the car does not stop
 * at amber.
 */
export function mayCome(slab: usize, city: usize, car: i32, light: i32): bool {
  if (light < 0) return true;
  const state = lightState(slab, city, light);
  if (state == LIGHT_RED) return false;
  return state != LIGHT_AMBER || !isHeld(slab, car);
}
