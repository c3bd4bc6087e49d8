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

/** From seeing to braking, s. */
const REACTION_S = 0.3;
/** One stops for amber where this suffices, m/s² (the amber times of the German VwV-StVO fit it). */
const AMBER_DECEL = 3.0;
/** In the dilemma zone, where it takes more to stop and too long to pass, up to this, m/s². */
const DILEMMA_DECEL = 4.5;
/** Acceleration up to the line, m/s², and how long the pedals take to bring it about, s; longer from a standstill. */
const START_ACCEL = 1.5;
const PEDALS_S = 0.6;
const START_S = 0.8;
/** A car that stands asks so many headways after green; its pedals make it 0.8 to 1.2 s until it moves. */
const START_HEADWAYS = 0.05;
/** Slower than this a car takes longer to stop than its speed tells: it is about to start, m/s. */
const ROLLING_MPS = 1.0;
/** Faster than any car on its way to a line, m/s. */
const TOP_MPS = 40.0;

/** The light that a car obeys before a connector, −1 none. */
@inline export function lightFor(city: usize, connector: i32): i32 {
  return load<i32>(laneRecord(city, connector) + L_LIGHT);
}

/** Decides for each car whether it stops at the light ahead; within a junction there is none. */
export function chooseAtLights(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    if (isConnector(city, getI(slab, C_LANE, car))) setI(slab, C_LIGHT_CHOICE, car, CHOICE_NONE);
    else chooseAtLight(slab, city, car, lightFor(city, connectorAhead(car)), lineDistance(car));
  }
}

/**
 * Decides once, as amber begins or as the car first comes to see it: stop or go. With v the speed,
 * x the way to the line, t the reaction and Y the time of amber: stop where x > v t + v² ÷ 2·3;
 * else go where x ≤ v Y; else stop where v² ÷ 2(x − v t) ≤ 4.5, and go otherwise. A light that the
 * car does not see is none.
 */
function chooseAtLight(slab: usize, city: usize, car: i32, light: i32, distance: f64): void {
  const state =
    light < 0 || !seesLight(slab, car, distance) ? LIGHT_GREEN : lightState(slab, city, light);
  if (state == LIGHT_GREEN) {
    setI(slab, C_LIGHT_CHOICE, car, CHOICE_NONE);
  } else if (state == LIGHT_AMBER) {
    const left = ticksToRed(slab, city, light);
    if (getI(slab, C_LIGHT_CHOICE, car) != CHOICE_NONE) {
      if (isLate(getF(slab, C_VX, car), distance, <f64>left * TICK_S))
        setI(slab, C_LIGHT_CHOICE, car, CHOICE_STOP);
      return;
    }
    const amber = amberTicks(city, light);
    const age = amber - left;
    // Where amber began since the last decision, as things stood at the end of its first tick.
    const sinceS = age < FRAME_TICKS ? <f64>(age - 1) * TICK_S : 0.0;
    const speed = getF(slab, C_VX, car);
    const before = greatest(speed - getF(slab, C_ACCEL, car) * sinceS, 0.0);
    setI(slab, C_LIGHT_CHOICE, car, choice(before, distance + speed * sinceS, <f64>amber * TICK_S));
  } else {
    // Who chose to go is past the line by now, or so near that it cannot stay behind it.
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

/** Whether a car that was held up on its way no longer makes it in the time, and can still stop. */
function isLate(speed: f64, distance: f64, seconds: f64): bool {
  return (
    distance > (speed + 0.5 * START_ACCEL * seconds) * seconds &&
    canStop(speed, distance, AMBER_DECEL)
  );
}

/** Whether a car stays behind a line if it reacts and brakes by `decel`. */
@inline function canStop(speed: f64, distance: f64, decel: f64): bool {
  return speed * speed <= 2.0 * decel * (distance - speed * REACTION_S);
}

/** Whether the light tells this car to wait before its line. */
export function isHeld(slab: usize, car: i32): bool {
  return getI(slab, C_LIGHT_CHOICE, car) == CHOICE_STOP;
}

/**
 * Whether a car may ask for its way as far as the light is concerned: it is past the line before
 * red, and from a standstill before amber, once green is old enough. Whoever heeds no lights may
 * always; whoever does not see its own yet has time.
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

/** Whether a light lets nobody pass, whoever sees it. */
export function isClosed(slab: usize, city: usize, light: i32): bool {
  if (light < 0) return false;
  const state = lightState(slab, city, light);
  return state == LIGHT_RED || state == LIGHT_RED_AMBER;
}

/** Whether cars may come from a light: it is not red, and the car did not decide to stop at amber. */
export function mayCome(slab: usize, city: usize, car: i32, light: i32): bool {
  if (light < 0) return true;
  const state = lightState(slab, city, light);
  if (state == LIGHT_RED) return false;
  return state != LIGHT_AMBER || !isHeld(slab, car);
}
