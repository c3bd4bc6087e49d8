import {
  AEB_NONE,
  CAR_COUNT,
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
  C_STATUS,
  C_VX,
  F_BRAKES,
  H_TICK,
  STATUS_CRASHED,
  TG_CLASS,
  TG_PATH,
  TG_VX,
} from '../layout';
import { getF, getI, setF, setI } from '../memory';
import { measurePaths } from '../sensors';
import { targetAt, targetCount } from '../targets';
import { brakeInEmergency } from './aeb';
import { brakeForAnimals } from './animal-detection';
import { easeBrakes, evade } from './evasive-steering';
import { brakeAtCrossing } from './intersection-assist';
import { demand } from './intervention';
import { isBraking, nearTargets } from './threat';

/** What is no longer demanded is let go by so much a look: 10 m/s³. */
const LET_GO = 0.8;
/** A car that stands after braking is held so long, ticks (2 s), and by so much, m/s². */
const HOLD_TICKS: u32 = 100;
const HOLD_DECEL = 4.0;
const STANDING_MPS = 0.1;
/** It is held on, at most so long, ticks (20 s), while something stands no further ahead than this, m, or is no vehicle. */
const BLOCKED_TICKS: u32 = 1000;
const BLOCKED_M = 1.5;

/** Lets the functions of each car act on what its sensors deliver, once a look. */
export function assist(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) beQuiet(slab, car);
    else assistCar(slab, city, car);
  }
}

function assistCar(slab: usize, city: usize, car: i32): void {
  const near = nearTargets(slab, car);
  if (near == 0 && isIdle(slab, car)) {
    brakeAtCrossing(slab, car);
    return;
  }
  measurePaths(slab, city, car);
  const before = getF(slab, C_EMERGENCY, car);
  setF(slab, C_EMERGENCY, car, 0.0);
  if (isHeld(slab, car)) {
    demand(slab, car, HOLD_DECEL);
    return;
  }
  brakeInEmergency(slab, city, car, near);
  brakeForAnimals(slab, city, car, near);
  brakeAtCrossing(slab, car);
  demand(slab, car, before - LET_GO);
  evade(slab, city, car, near);
  easeBrakes(slab, car);
}

/** Whether no function has anything to go on with. */
function isIdle(slab: usize, car: i32): bool {
  if (getF(slab, C_EMERGENCY, car) > 0.0 || getI(slab, C_EVADE_TICK, car) != 0) return false;
  return (
    (getI(slab, C_AEB_STAGE, car) |
      getI(slab, C_ANIMAL_STAGE, car) |
      getI(slab, C_AEB_TICK, car)) ==
    0
  );
}

/** Whether emergency braking that ended in a stop still holds the car. */
function isHeld(slab: usize, car: i32): bool {
  const since = <u32>getI(slab, C_AEB_TICK, car);
  if (since == 0) {
    if (!isBraking(slab, car) || getF(slab, C_VX, car) > STANDING_MPS) return false;
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

/** Whether the car could not go on anyway. Vehicles that drive again are the driver's to follow. */
function isBlocked(car: i32): bool {
  const count = targetCount(car);
  for (let i = 0; i < count; i++) {
    const target = targetAt(car, i);
    const ahead = <f64>load<f32>(target + TG_PATH);
    if (ahead < 0.0 || ahead > BLOCKED_M) continue;
    const vx = load<f64>(target + TG_VX);
    if (load<i32>(target + TG_CLASS) != CONTACT_VEHICLE || abs(vx) < STANDING_MPS) return true;
  }
  return false;
}

/** A wreck has no functions; a car that comes back has done nothing yet. */
export function beQuiet(slab: usize, car: i32): void {
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
