/**
 * Crash pulses: the sum of what contacts do to a car within PULSE_TICKS. A record of a contact has
 * the sum until then. If other contacts change the sum, the pulse gets a record of its own when it
 * ends.
 */
import {
  CAR_COUNT,
  CONTACT_PULSE,
  CT_MASS,
  CT_PER_MASS,
  C_CHAIN_ORDER,
  C_CHAIN_TICK,
  C_PULSE_ENERGY,
  C_PULSE_GREATEST,
  C_PULSE_IMPACT_X,
  C_PULSE_IMPACT_Y,
  C_PULSE_PEAK,
  C_PULSE_TICK,
  C_PULSE_X,
  C_PULSE_Y,
  H_PULSES,
  H_PUSHED,
  H_RECORDED,
  H_TICK,
  K_ENERGY,
  K_PARTY,
  PARTY_BYTES,
  PULSE_TICKS,
  P_CAR,
  P_DELTA_V,
  P_IMPACT_X,
  P_IMPACT_Y,
  P_MASS,
  P_PULSE_TICK,
} from './layout';
import { newRecord, setChain } from './contact-ring';
import { greatest } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';
import { BOX_HX, BOX_HY, BOX_X, BOX_Y, COMMON_X, COMMON_Y } from './overlap';

/** Energy from which a pulse without any recorded contact gets a record in any case, J. */
const TOLD_J = 100.0;

@inline export function hasPulse(slab: usize, car: i32): bool {
  return (load<u32>(slab + H_PULSES) & (1 << car)) != 0;
}

/**
 * Counts the impulse j, N s, of the contact that COMMON_X tells, in the pulse of a car; begins one if
 * none goes on. `body`: the car's, at the contact.
 */
export function addPush(slab: usize, car: i32, body: usize, jx: f64, jy: f64): void {
  if (!hasPulse(slab, car)) begin(slab, car);
  const perMass = load<f64>(typeOf(slab, car) + CT_PER_MASS);
  const dvx = jx * perMass;
  const dvy = jy * perMass;
  setF(slab, C_PULSE_X, car, getF(slab, C_PULSE_X, car) + dvx);
  setF(slab, C_PULSE_Y, car, getF(slab, C_PULSE_Y, car) + dvy);
  const size = sqrt(dvx * dvx + dvy * dvy);
  const impact = slab + ((<usize>car) << 2);
  if (<f32>size <= load<f32>(impact + C_PULSE_PEAK)) return;
  store<f32>(impact + C_PULSE_PEAK, <f32>size);
  store<f32>(impact + C_PULSE_IMPACT_X, <f32>impactAhead(body));
  store<f32>(impact + C_PULSE_IMPACT_Y, <f32>impactLeft(body));
}

/** The push just counted has the record of a contact. */
export function noteRecorded(slab: usize, car: i32): void {
  store<u32>(slab + H_RECORDED, load<u32>(slab + H_RECORDED) | (1 << car));
}

/** The push just counted has no record. `energy`: the car's share, J. */
export function noteUnrecorded(slab: usize, car: i32, energy: f64): void {
  store<u32>(slab + H_PUSHED, load<u32>(slab + H_PUSHED) | (1 << car));
  setF(slab, C_PULSE_ENERGY, car, getF(slab, C_PULSE_ENERGY, car) + energy);
}

/** Peak −1: the first push is greater, also if it is 0. */
function begin(slab: usize, car: i32): void {
  store<u32>(slab + H_PULSES, load<u32>(slab + H_PULSES) | (1 << car));
  setI(slab, C_PULSE_TICK, car, load<u32>(slab + H_TICK));
  setF(slab, C_PULSE_X, car, 0.0);
  setF(slab, C_PULSE_Y, car, 0.0);
  store<f32>(slab + C_PULSE_PEAK + ((<usize>car) << 2), -1.0);
}

/** Ends the pulses whose time is over. */
export function endPulses(slab: usize): void {
  let left = load<u32>(slab + H_PULSES);
  if (left == 0) return;
  const tick = load<u32>(slab + H_TICK);
  for (; left != 0; left &= left - 1) {
    const car = <i32>ctz(left);
    if (tick - <u32>getI(slab, C_PULSE_TICK, car) >= <u32>(PULSE_TICKS - 1)) endPulse(slab, car);
  }
}

/** A car goes to another chain. A pulse of this very tick goes with it; an older one ends. */
export function leaveChain(slab: usize, car: i32): void {
  const began = <u32>getI(slab, C_PULSE_TICK, car);
  const isNew = hasPulse(slab, car) && began == load<u32>(slab + H_TICK);
  if (hasPulse(slab, car) && !isNew) endPulse(slab, car);
  setF(slab, C_PULSE_GREATEST, car, 0.0);
  if (!isNew) setF(slab, C_PULSE_ENERGY, car, 0.0);
}

function endPulse(slab: usize, car: i32): void {
  const x = getF(slab, C_PULSE_X, car);
  const y = getF(slab, C_PULSE_Y, car);
  const sum = sqrt(x * x + y * y);
  if (isTold(slab, car, sum)) report(slab, car);
  setF(slab, C_PULSE_GREATEST, car, greatest(sum, getF(slab, C_PULSE_GREATEST, car)));
  dropPulse(slab, car);
}

/** Whether a pulse gets a record: if a recorded contact has told another sum, or if it matters. */
function isTold(slab: usize, car: i32, sum: f64): bool {
  if ((load<u32>(slab + H_PUSHED) & (1 << car)) == 0) return false;
  if (load<u32>(slab + H_RECORDED) & (1 << car)) return true;
  return sum > getF(slab, C_PULSE_GREATEST, car) || getF(slab, C_PULSE_ENERGY, car) >= TOLD_J;
}

/** Ends the pulse of a car, if any, without a record. */
export function dropPulse(slab: usize, car: i32): void {
  const others = ~(1 << car);
  store<u32>(slab + H_PULSES, load<u32>(slab + H_PULSES) & others);
  store<u32>(slab + H_PUSHED, load<u32>(slab + H_PUSHED) & others);
  store<u32>(slab + H_RECORDED, load<u32>(slab + H_RECORDED) & others);
}

function report(slab: usize, car: i32): void {
  const record = newRecord(slab, CONTACT_PULSE);
  setChain(record, getI(slab, C_CHAIN_TICK, car), getI(slab, C_CHAIN_ORDER, car));
  store<f64>(record + K_ENERGY, getF(slab, C_PULSE_ENERGY, car));
  setF(slab, C_PULSE_ENERGY, car, 0.0);
  store<i32>(record + K_PARTY + P_CAR, car);
  store<f64>(record + K_PARTY + P_MASS, load<f64>(typeOf(slab, car) + CT_MASS));
  store<i32>(record + K_PARTY + PARTY_BYTES + P_CAR, -1);
  storePulse(slab, record + K_PARTY, car);
}

/** Writes the pulse of a car until now into the record of a party. */
export function storePulse(slab: usize, party: usize, car: i32): void {
  const x = getF(slab, C_PULSE_X, car);
  const y = getF(slab, C_PULSE_Y, car);
  const impact = slab + ((<usize>car) << 2);
  store<f64>(party + P_DELTA_V, sqrt(x * x + y * y));
  store<f64>(party + P_IMPACT_X, <f64>load<f32>(impact + C_PULSE_IMPACT_X));
  store<f64>(party + P_IMPACT_Y, <f64>load<f32>(impact + C_PULSE_IMPACT_Y));
  store<u32>(party + P_PULSE_TICK, getI(slab, C_PULSE_TICK, car));
}

/** How far ahead of the middle of a body the contact is, as a share of its distance. */
export function impactAhead(body: usize): f64 {
  const dx = load<f64>(COMMON_X) - load<f64>(body + BOX_X);
  const dy = load<f64>(COMMON_Y) - load<f64>(body + BOX_Y);
  const along = load<f64>(body + BOX_HX) * dx + load<f64>(body + BOX_HY) * dy;
  return along / greatest(sqrt(dx * dx + dy * dy), 1e-6);
}

/** How far to the left, likewise. */
export function impactLeft(body: usize): f64 {
  const dx = load<f64>(COMMON_X) - load<f64>(body + BOX_X);
  const dy = load<f64>(COMMON_Y) - load<f64>(body + BOX_Y);
  const across = load<f64>(body + BOX_HX) * dy - load<f64>(body + BOX_HY) * dx;
  return across / greatest(sqrt(dx * dx + dy * dy), 1e-6);
}
