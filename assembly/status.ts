/** The public state of a car: what others can see of its speed, pedals and functions. */
import {
  AEB_PARTIAL,
  C_ASSIST_STAGE,
  C_BRAKE,
  C_ESC_ACTIVE,
  C_EVADE_TICK,
  C_FLAGS,
  C_STATUS,
  C_VX,
  C_VY,
  ESC_TICKS,
  FLAG_AEB,
  FLAG_BRAKING,
  FLAG_ESC,
  FLAG_EVASIVE,
  FRAME_TICKS,
  H_STRANDED,
  STATUS_CRASHED,
  STATUS_DRIVING,
  STATUS_STOPPED,
  TOW_BACK,
  TOW_PULLS_OUT,
} from './layout';
import { ROLLING } from './actuators';
import { carsWithout } from './masks';
import { getF, getI, setI } from './memory';
import { isBraking } from './relevance';
import { STOPPED_MPS } from './thresholds';
import { towOf } from './tow';

/** A brake light is on above this braking beyond rolling resistance, m/s². */
const BRAKE_LIGHT = 0.4;

/** Updates status and flags of every car that is no wreck. */
export function updateStatus(slab: usize): void {
  for (let left = carsWithout(slab, C_STATUS, STATUS_CRASHED); left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    const vx = getF(slab, C_VX, car);
    const vy = getF(slab, C_VY, car);
    const stands = vx * vx + vy * vy < STOPPED_MPS * STOPPED_MPS;
    setI(slab, C_STATUS, car, stands ? STATUS_STOPPED : STATUS_DRIVING);
    setI(slab, C_FLAGS, car, flagsOf(slab, car));
  }
}

/** The status that others see: a car that is out of the traffic without a wreck stands, or pulls out. */
export function publicStatus(slab: usize, car: i32): i32 {
  const status = getI(slab, C_STATUS, car);
  if (status != STATUS_CRASHED) return status;
  const tow = towOf(slab, car);
  if (tow == TOW_PULLS_OUT) return STATUS_DRIVING;
  const isStranded = ((load<u32>(slab + H_STRANDED) >> car) & 1) != 0;
  return tow == TOW_BACK || isStranded ? STATUS_STOPPED : STATUS_CRASHED;
}

/** Without branches, some of which would often be predicted wrongly. */
@inline function flagsOf(slab: usize, car: i32): i32 {
  const isAssisted = getI(slab, C_ASSIST_STAGE, car) >= AEB_PARTIAL;
  const isInterfering = getI(slab, C_ESC_ACTIVE, car) > ESC_TICKS - <i32>FRAME_TICKS;
  return (
    (<i32>(getF(slab, C_BRAKE, car) > BRAKE_LIGHT + ROLLING) * FLAG_BRAKING) |
    ((<i32>isBraking(slab, car) | <i32>isAssisted) * FLAG_AEB) |
    (<i32>(getI(slab, C_EVADE_TICK, car) != 0) * FLAG_EVASIVE) |
    (<i32>isInterfering * FLAG_ESC)
  );
}
