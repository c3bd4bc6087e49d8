import {
  C_ACCEL,
  C_ACCEL_TARGET,
  C_ACCEL_WANTED,
  C_BRAKE,
  C_BRAKE_TICKS,
  C_CLAIM,
  C_CONTACT_TICK,
  C_DRIVE,
  C_FLAGS,
  C_HALT_TICK,
  C_LIGHT_CHOICE,
  C_LOAD_ACCEL,
  C_OFFSET,
  C_STALL_TICK,
  C_STATUS,
  C_STEER,
  C_STEER_TARGET,
  C_STILL_TICK,
  C_STOOD_TICK,
  C_TOW,
  C_UNANNOUNCED,
  C_VX,
  C_VY,
  C_WAIT_TICK,
  C_YAW_RATE,
  H_STRANDED,
  STATUS_STOPPED,
} from '../layout';
import { resetFunctions } from '../functions/assist';
import { setF, setI } from '../memory';
import { dropPulse } from '../pulses';

/** Resets a car to undamaged and standing in its lane. */
export function reset(slab: usize, car: i32): void {
  store<u32>(slab + H_STRANDED, load<u32>(slab + H_STRANDED) & ~(1 << car));
  setI(slab, C_STATUS, car, STATUS_STOPPED);
  setI(slab, C_TOW, car, 0);
  setI(slab, C_HALT_TICK, car, 0);
  setI(slab, C_CONTACT_TICK, car, 0);
  dropPulse(slab, car);
  setI(slab, C_CLAIM, car, -1);
  setI(slab, C_UNANNOUNCED, car, 0);
  setI(slab, C_STILL_TICK, car, 0);
  setI(slab, C_STALL_TICK, car, 0);
  setI(slab, C_WAIT_TICK, car, 0);
  setI(slab, C_STOOD_TICK, car, 0);
  setI(slab, C_LIGHT_CHOICE, car, 0);
  setI(slab, C_FLAGS, car, 0);
  setF(slab, C_VX, car, 0.0);
  setF(slab, C_VY, car, 0.0);
  setF(slab, C_YAW_RATE, car, 0.0);
  setF(slab, C_STEER, car, 0.0);
  setF(slab, C_STEER_TARGET, car, 0.0);
  setF(slab, C_ACCEL, car, 0.0);
  setF(slab, C_ACCEL_TARGET, car, 0.0);
  setF(slab, C_ACCEL_WANTED, car, 0.0);
  setF(slab, C_LOAD_ACCEL, car, 0.0);
  setF(slab, C_DRIVE, car, 0.0);
  setF(slab, C_BRAKE, car, 0.0);
  setF(slab, C_BRAKE_TICKS, car, 0.0);
  setF(slab, C_OFFSET, car, 0.0);
  resetFunctions(slab, car);
}
