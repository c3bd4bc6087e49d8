import {
  B_CORNER,
  B_CORNERS,
  B_HAZARD,
  CONTACT_BUILDING,
  CONTACT_OBSTACLE,
  CONTACT_VEHICLE,
  CT_MASS,
  CT_PER_INERTIA,
  CT_PER_MASS,
  C_CONTACT_TICK,
  C_DECLARED,
  C_EFFECTIVE,
  C_HALT_TICK,
  C_HX,
  C_HY,
  C_NEAR,
  C_STATUS,
  C_TOW,
  C_TYPE,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  FRAME_TICKS,
  H_STRANDED,
  H_TICK,
  K_CLOSING,
  K_ENERGY,
  K_IMPULSE_X,
  K_IMPULSE_Y,
  K_PARTY,
  K_STRIKING,
  K_X,
  K_Y,
  NEAR_BLOCKS,
  PARTY_BYTES,
  P_CAR,
  P_DECLARED,
  P_EFFECTIVE,
  P_HX,
  P_HY,
  P_MASS,
  P_SPEED,
  P_TYPE,
  STATUS_CRASHED,
  TICK_S,
} from './layout';
import { blockRecord, cellAt, cellEnd, cellStart } from './blocks';
import { BODY_A, BODY_B, BODY_COG_X, BODY_COG_Y, bodyOf, velocityX, velocityY } from './body';
import { findNear, findNearOf, TOUCH_M, touchesBlockBox } from './broad-phase';
import { linked, meetsAnew, newContact, raiseCollision } from './contacts';
import { BODY_FRICTION, impulse, IMPULSE_X, IMPULSE_Y, restitution } from './impulse';
import { carsWithout } from './masks';
import { greatest } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';
import {
  BOX_HX,
  BOX_HY,
  boxesCommon,
  boxOverlap,
  COMMON_X,
  COMMON_Y,
  NORMAL_X,
  NORMAL_Y,
  polygonCommon,
  polygonOverlap,
} from './overlap';
import { addPush, hasPulse, noteRecorded, noteUnrecorded, storePulse } from './pulses';

/** A car that is pulled may brush against a wreck; struck faster than this it lies there, m/s. */
const UPSET_MPS = 2.0;
/** Bisections that find the moment of first contact, to a 32nd of a tick. */
const BISECTIONS = 5;

/** Finds contacts, applies impulses and makes wrecks. Pairs in order of index. */
export function collide(slab: usize, city: usize): void {
  if (load<u32>(slab + H_TICK) % FRAME_TICKS == 0) findNear(slab, city);
  // Cars before `first` have had their turn. A contact changes the masks of others.
  for (let first = 0; ; ) {
    const left = carsWithout(slab, C_NEAR, 0) & (-1 << first);
    if (left == 0) return;
    const car = <i32>ctz(left);
    meetNear(slab, city, car);
    first = car + 1;
  }
}

/** Blocks come last: a contact with a car may have made this car a wreck. */
function meetNear(slab: usize, city: usize, car: i32): void {
  let cars = getI(slab, C_NEAR, car) & ~NEAR_BLOCKS;
  for (; cars != 0; cars &= cars - 1) meetCar(slab, city, car, ctz(cars));
  if (getI(slab, C_NEAR, car) & NEAR_BLOCKS) meetBlocks(slab, city, car);
}

function meetCar(slab: usize, city: usize, a: i32, b: i32): void {
  const dx = getF(slab, C_X, b) - getF(slab, C_X, a);
  const dy = getF(slab, C_Y, b) - getF(slab, C_Y, a);
  if (dx * dx + dy * dy > TOUCH_M * TOUCH_M) return;
  if (liesStill(slab, a) && liesStill(slab, b)) return;
  if (overlapBefore(slab, a, b, 0, 0.0) > 0.0) strike(slab, city, a, b, -1, 0);
}

function meetBlocks(slab: usize, city: usize, car: i32): void {
  if (liesStill(slab, car)) return;
  const x = getF(slab, C_X, car);
  const y = getF(slab, C_Y, car);
  const cell = cellAt(city, x, y);
  const end = cellEnd(city, cell);
  for (let entry = cellStart(city, cell); entry < end; entry += 2) {
    const block = <i32>load<u16>(entry);
    const record = blockRecord(city, block);
    if (touchesBlockBox(record, x, y) && overlapBefore(slab, car, -1, record, 0.0) > 0.0)
      strike(slab, city, car, -1, block, record);
  }
}

function isWreck(slab: usize, car: i32): bool {
  return getI(slab, C_STATUS, car) == STATUS_CRASHED;
}

function liesStill(slab: usize, car: i32): bool {
  if (!isWreck(slab, car)) return false;
  return (
    getF(slab, C_VX, car) == 0.0 &&
    getF(slab, C_VY, car) == 0.0 &&
    getF(slab, C_YAW_RATE, car) == 0.0
  );
}

/**
 * Least overlap of a car with another car, or with a block if `b` is −1, `back` s before; leaves
 * both bodies and the normal.
 */
function overlapBefore(slab: usize, a: i32, b: i32, block: usize, back: f64): f64 {
  bodyOf(slab, a, back, BODY_A);
  if (b < 0) return polygonOverlap(BODY_A, block + B_CORNER, load<i32>(block + B_CORNERS));
  bodyOf(slab, b, back, BODY_B);
  return boxOverlap(BODY_A, BODY_B);
}

/**
 * Leaves both bodies at their first contact within this tick, with normal and point of contact.
 * Bodies that overlapped before the tick stay as they are.
 */
function findContact(slab: usize, a: i32, b: i32, block: usize): void {
  let touching = 0.0;
  if (overlapBefore(slab, a, b, block, TICK_S) <= 0.0) {
    let apart = TICK_S;
    for (let n = 0; n < BISECTIONS; n++) {
      const half = 0.5 * (touching + apart);
      if (overlapBefore(slab, a, b, block, half) > 0.0) touching = half;
      else apart = half;
    }
  }
  overlapBefore(slab, a, b, block, touching);
  if (b < 0) polygonCommon(BODY_A, block + B_CORNER, load<i32>(block + B_CORNERS));
  else boxesCommon(BODY_A, BODY_B);
}

/** A contact with another car, or with a block if `b` is −1. */
function strike(slab: usize, city: usize, a: i32, b: i32, block: i32, record: usize): void {
  findContact(slab, a, b, record);
  const nx = load<f64>(NORMAL_X);
  const ny = load<f64>(NORMAL_Y);
  const px = load<f64>(COMMON_X);
  const py = load<f64>(COMMON_Y);
  const rAx = px - load<f64>(BODY_A + BODY_COG_X);
  const rAy = py - load<f64>(BODY_A + BODY_COG_Y);
  const rBx = b < 0 ? 0.0 : px - load<f64>(BODY_B + BODY_COG_X);
  const rBy = b < 0 ? 0.0 : py - load<f64>(BODY_B + BODY_COG_Y);
  let ux = pointVelocityX(slab, a, rAy);
  let uy = pointVelocityY(slab, a, rAx);
  const towardsA = ux * nx + uy * ny;
  if (b >= 0) {
    ux -= pointVelocityX(slab, b, rBy);
    uy -= pointVelocityY(slab, b, rBx);
  }
  const closing = greatest(0.0, ux * nx + uy * ny);
  // Whoever pulls a car holds it.
  if (closing < UPSET_MPS && isPulledPast(slab, a, b)) return;
  const perMassB = b < 0 ? 0.0 : load<f64>(typeOf(slab, b) + CT_PER_MASS);
  const perInertiaB = b < 0 ? 0.0 : load<f64>(typeOf(slab, b) + CT_PER_INERTIA);
  const lost = impulse(
    load<f64>(typeOf(slab, a) + CT_PER_MASS),
    load<f64>(typeOf(slab, a) + CT_PER_INERTIA),
    rAx,
    rAy,
    perMassB,
    perInertiaB,
    rBx,
    rBy,
    nx,
    ny,
    ux,
    uy,
    restitution(closing),
    BODY_FRICTION,
  );
  if (isRecorded(slab, a, b, closing)) {
    // If both closed the gap, the greater part counts.
    const striking = b < 0 || 2.0 * towardsA >= ux * nx + uy * ny ? 0 : 1;
    report(slab, a, b, block, record, closing, lost, striking);
    wreck(slab, city, a);
    if (b >= 0) wreck(slab, city, b);
  } else if (closing > 0.0) countUnrecorded(slab, a, b, lost);
  layDown(slab, a);
  if (b >= 0) layDown(slab, b);
  const jx = load<f64>(IMPULSE_X);
  const jy = load<f64>(IMPULSE_Y);
  push(slab, a, jx, jy, rAx, rAy);
  if (b >= 0) push(slab, b, -jx, -jy, rBx, rBy);
}

/** Closing speed from which a contact between wrecks, or of one with a block, has a record, m/s. */
const NOTABLE_MPS = 1.0;

/**
 * Wrecks that slide together touch in every tick. So contacts of wrecks alone have a record only if
 * they bring a car into an incident, or are hard and not part of the pulses of two cars that have met
 * already. A tick has at most one record a car: see CONTACT_RING.
 */
function isRecorded(slab: usize, a: i32, b: i32, closing: f64): bool {
  const tick = load<u32>(slab + H_TICK);
  const isFirst = <u32>getI(slab, C_CONTACT_TICK, a) != tick;
  if (!isFirst && (b < 0 || <u32>getI(slab, C_CONTACT_TICK, b) == tick)) return false;
  if (!isWreck(slab, a) || (b >= 0 && !isWreck(slab, b))) return true;
  if (b >= 0 && closing > 0.0 && meetsAnew(slab, tick, a, b)) return true;
  return closing >= NOTABLE_MPS && !(b >= 0 && hasPulse(slab, a) && hasPulse(slab, b));
}

/** Counts a contact without a record for the incidents in which its cars are. */
function countUnrecorded(slab: usize, a: i32, b: i32, lost: f64): void {
  const jx = load<f64>(IMPULSE_X);
  const jy = load<f64>(IMPULSE_Y);
  countOne(slab, a, BODY_A, jx, jy, b < 0 ? lost : 0.5 * lost);
  if (b >= 0) countOne(slab, b, BODY_B, -jx, -jy, 0.5 * lost);
}

function countOne(slab: usize, car: i32, body: usize, jx: f64, jy: f64, energy: f64): void {
  if (!hasPulse(slab, car) && !linked(slab, load<u32>(slab + H_TICK), car)) return;
  addPush(slab, car, body, jx, jy);
  noteUnrecorded(slab, car, energy);
}

/** Records a contact while the bodies still move as before it. */
function report(
  slab: usize,
  a: i32,
  b: i32,
  block: i32,
  record: usize,
  closing: f64,
  lost: f64,
  striking: i32,
): void {
  const hazard = record == 0 ? -1 : load<i32>(record + B_HAZARD);
  const kind = b >= 0 ? CONTACT_VEHICLE : hazard < 0 ? CONTACT_BUILDING : CONTACT_OBSTACLE;
  const contact = newContact(slab, kind, block, hazard, a, b);
  store<f64>(contact + K_X, load<f64>(COMMON_X));
  store<f64>(contact + K_Y, load<f64>(COMMON_Y));
  store<f64>(contact + K_CLOSING, closing);
  store<f64>(contact + K_ENERGY, lost);
  store<i32>(contact + K_STRIKING, striking);
  const jx = load<f64>(IMPULSE_X);
  const jy = load<f64>(IMPULSE_Y);
  store<f64>(contact + K_IMPULSE_X, jx);
  store<f64>(contact + K_IMPULSE_Y, jy);
  party(slab, contact + K_PARTY, a, BODY_A, jx, jy);
  const other = contact + K_PARTY + PARTY_BYTES;
  if (b >= 0) party(slab, other, b, BODY_B, -jx, -jy);
  else store<i32>(other + P_CAR, -1);
  if (striking == 0) raiseCollision(slab, contact, a, b);
  else raiseCollision(slab, contact, b, a);
}

/** Records a car's state right before the contact, and counts the impulse j on it. */
export function party(slab: usize, record: usize, car: i32, body: usize, jx: f64, jy: f64): void {
  addPush(slab, car, body, jx, jy);
  noteRecorded(slab, car);
  storePulse(slab, record, car);
  store<i32>(record + P_CAR, car);
  store<i32>(record + P_DECLARED, getI(slab, C_DECLARED, car));
  store<i32>(record + P_EFFECTIVE, getI(slab, C_EFFECTIVE, car));
  store<i32>(record + P_TYPE, getI(slab, C_TYPE, car));
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  store<f64>(record + P_SPEED, sqrt(vx * vx + vy * vy));
  store<f64>(record + P_HX, load<f64>(body + BOX_HX));
  store<f64>(record + P_HY, load<f64>(body + BOX_HY));
  store<f64>(record + P_MASS, load<f64>(typeOf(slab, car) + CT_MASS));
}

/**
 * Makes a car a wreck, which may touch blocks from now on. A second hit does not delay its
 * clearance.
 */
export function wreck(slab: usize, city: usize, car: i32): void {
  if (isWreck(slab, car)) return;
  setI(slab, C_STATUS, car, STATUS_CRASHED);
  setI(slab, C_HALT_TICK, car, load<u32>(slab + H_TICK));
  findNearOf(slab, city, car);
}

/** Whether a car that is out of the traffic touches nothing but a wreck or a wall. */
function isPulledPast(slab: usize, a: i32, b: i32): bool {
  if (!isWreck(slab, a) || (b >= 0 && !isWreck(slab, b))) return false;
  return getI(slab, C_TOW, a) != 0 || (b >= 0 && getI(slab, C_TOW, b) != 0);
}

/** A car out of the traffic that was hit is a wreck like any other, and lies where it was hit. */
function layDown(slab: usize, car: i32): void {
  store<u32>(slab + H_STRANDED, load<u32>(slab + H_STRANDED) & ~(1 << car));
  if (getI(slab, C_TOW, car) == 0) return;
  setI(slab, C_TOW, car, 0);
  setI(slab, C_HALT_TICK, car, load<u32>(slab + H_TICK));
}

/** Applies an impulse at `r` from the centre of gravity. */
export function push(slab: usize, car: i32, jx: f64, jy: f64, rx: f64, ry: f64): void {
  const type = typeOf(slab, car);
  const perMass = load<f64>(type + CT_PER_MASS);
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  setF(slab, C_VX, car, getF(slab, C_VX, car) + (hx * jx + hy * jy) * perMass);
  setF(slab, C_VY, car, getF(slab, C_VY, car) + (hx * jy - hy * jx) * perMass);
  setF(
    slab,
    C_YAW_RATE,
    car,
    getF(slab, C_YAW_RATE, car) + (rx * jy - ry * jx) * load<f64>(type + CT_PER_INERTIA),
  );
}

/** Velocity east of the point of a body at `r` from its centre of gravity, m/s. */
export function pointVelocityX(slab: usize, car: i32, ry: f64): f64 {
  return velocityX(slab, car) - getF(slab, C_YAW_RATE, car) * ry;
}

/** The same north. */
export function pointVelocityY(slab: usize, car: i32, rx: f64): f64 {
  return velocityY(slab, car) + getF(slab, C_YAW_RATE, car) * rx;
}
