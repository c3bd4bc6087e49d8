/** What the functions of a car share: the braking that they demand, and the hold after a stop. */
import {
  AEB_NONE,
  CONTACT_VEHICLE,
  C_AEB_STAGE,
  C_AEB_TICK,
  C_ANIMAL_STAGE,
  C_ASSIST_STAGE,
  C_CROSSING,
  C_EFFECTIVE,
  C_EMERGENCY,
  C_EVADE_OFFSET,
  C_EVADE_S,
  C_EVADE_TICK,
  C_VX,
  F_BRAKES,
  H_TICK,
  TG_CLASS,
  TG_PATH,
  TG_VX,
} from '../layout';
import { getF, getI, setF, setI } from '../memory';
import { isBraking } from '../relevance';
import { targetRecord, targetCount } from '../targets';
import { STOPPED_MPS } from '../thresholds';
import { demand } from './intervention';

/** A demand that ends fades by so much at each decision, m/s²: 10 m/s³. */
const FADE_DECEL = 0.8;
/** Hold after an emergency stop: ticks (2 s) and braking, m/s². */
const HOLD_TICKS: u32 = 100;
const HOLD_DECEL = 4.0;
/** The hold goes on, for at most so many ticks (20 s), while the path is blocked this near, m. */
const BLOCKED_TICKS: u32 = 1000;
const BLOCKED_M = 1.5;

/** Clears the braking that the functions of a car demand, and returns its old value, m/s². */
export function takeDemand(slab: usize, car: i32): f64 {
  const demanded = getF(slab, C_EMERGENCY, car);
  setF(slab, C_EMERGENCY, car, 0.0);
  return demanded;
}

/** Lets the demand before this decision fade rather than end at once. */
export function fadeDemand(slab: usize, car: i32, demanded: f64): void {
  demand(slab, car, demanded - FADE_DECEL);
}

/** Holds a car that stands after emergency braking; false if nothing holds it. */
export function holdAfterStop(slab: usize, car: i32): bool {
  if (!isHeld(slab, car)) return false;
  demand(slab, car, HOLD_DECEL);
  return true;
}

function isHeld(slab: usize, car: i32): bool {
  const since = <u32>getI(slab, C_AEB_TICK, car);
  if (since == 0) {
    if (!isBraking(slab, car) || getF(slab, C_VX, car) > STOPPED_MPS) return false;
    setI(slab, C_AEB_TICK, car, load<u32>(slab + H_TICK));
    return true;
  }
  const hasBrakes = (getI(slab, C_EFFECTIVE, car) & F_BRAKES) != 0;
  const held = load<u32>(slab + H_TICK) - since;
  if (hasBrakes && (held < HOLD_TICKS || (held < BLOCKED_TICKS && isBlocked(car)))) return true;
  setI(slab, C_AEB_TICK, car, 0);
  setI(slab, C_AEB_STAGE, car, AEB_NONE);
  setI(slab, C_ANIMAL_STAGE, car, AEB_NONE);
  return false;
}

/**
 * Whether anything but a moving vehicle blocks the path: the driver follows vehicles that drive on.
 */
function isBlocked(car: i32): bool {
  const count = targetCount(car);
  for (let i = 0; i < count; i++) {
    const target = targetRecord(car, i);
    const ahead = <f64>load<f32>(target + TG_PATH);
    if (ahead < 0.0 || ahead > BLOCKED_M) continue;
    const vx = load<f64>(target + TG_VX);
    if (load<i32>(target + TG_CLASS) != CONTACT_VEHICLE || abs(vx) < STOPPED_MPS) return true;
  }
  return false;
}

/** Ends all interventions of a car: it is a wreck, or was put back on its route. */
export function resetFunctions(slab: usize, car: i32): void {
  setF(slab, C_EMERGENCY, car, 0.0);
  setF(slab, C_EVADE_S, car, 0.0);
  setF(slab, C_EVADE_OFFSET, car, 0.0);
  setI(slab, C_EVADE_TICK, car, 0);
  setI(slab, C_AEB_STAGE, car, AEB_NONE);
  setI(slab, C_AEB_TICK, car, 0);
  setI(slab, C_ANIMAL_STAGE, car, AEB_NONE);
  setI(slab, C_ASSIST_STAGE, car, AEB_NONE);
  setI(slab, C_CROSSING, car, 0);
}
