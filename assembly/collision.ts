import {
  B_CORNER, B_CORNERS, B_MAX_X, B_MAX_Y, B_MIN_X, B_MIN_Y, B_SOLID, BLOCK_BYTES, C_DECLARED, C_EFFECTIVE, C_HALT_TICK, C_HX, C_HY,
  C_STATUS, C_TYPE, C_VX, C_VY, C_X, C_Y, CAR_COUNT, CONTACT_BUILDING, CONTACT_BYTES, CONTACT_RING,
  CONTACT_VEHICLE, CONTACTS, CT_LENGTH, CT_MASS, CT_WIDTH, EVENT_COLLISION, H_CONTACT_COUNT, H_CONTACT_ORDER, H_CONTACT_TICK, H_TICK,
  K_BLOCK, K_CLOSING, K_KIND, K_ORDER, K_PARTY, K_STRIKING, K_TICK, K_X, K_Y, P_CAR, P_DECLARED, P_DELTA_V, P_EFFECTIVE, P_HX, P_HY,
  P_IMPACT_X, P_IMPACT_Y, P_MASS, P_SPEED, P_TYPE, PARTY_BYTES, SCRATCH, STATUS_CRASHED, T_BLOCK_COUNT, T_BLOCKS,
} from './layout';
import { raise } from './events';
import { greatest, least } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';
import { isAstray } from './sensing';

/** No two cars whose centres are further apart than this can touch, m. */
const REACH_M = 5.4;

// The narrow phase leaves its result here; it is read in the same call.
const NORMAL_X: usize = SCRATCH + 256;
const NORMAL_Y: usize = SCRATCH + 264;
const DEPTH: usize = SCRATCH + 272;
const CORNERS_A: usize = SCRATCH + 320; // f64 pairs
const CORNERS_B: usize = SCRATCH + 512;

/** Finds new contacts and turns the cars in them into wrecks. Pairs in order of index. */
export function collide(slab: usize, city: usize): void {
  for (let a = 0; a < CAR_COUNT; a++) {
    const ax = getF(slab, C_X, a);
    const ay = getF(slab, C_Y, a);
    for (let b = a + 1; b < CAR_COUNT; b++) {
      const dx = getF(slab, C_X, b) - ax;
      const dy = getF(slab, C_Y, b) - ay;
      if (dx * dx + dy * dy < REACH_M * REACH_M) meet(slab, a, b);
    }
    if (isAstray(slab, a)) meetBlocks(slab, city, a);
  }
}

function meet(slab: usize, a: i32, b: i32): void {
  if (getI(slab, C_STATUS, a) == STATUS_CRASHED && getI(slab, C_STATUS, b) == STATUS_CRASHED) return;
  corners(slab, a, CORNERS_A);
  corners(slab, b, CORNERS_B);
  if (!overlap(CORNERS_A, 4, CORNERS_B, 4)) return;
  crash(slab, a, b);
}

/** The four corners of a car's box, counter-clockwise from the front left. */
function corners(slab: usize, car: i32, at: usize): void {
  const type = typeOf(slab, car);
  const l = 0.5 * load<f64>(type + CT_LENGTH);
  const w = 0.5 * load<f64>(type + CT_WIDTH);
  const x = getF(slab, C_X, car);
  const y = getF(slab, C_Y, car);
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  store<f64>(at, x + l * hx - w * hy);
  store<f64>(at + 8, y + l * hy + w * hx);
  store<f64>(at + 16, x - l * hx - w * hy);
  store<f64>(at + 24, y - l * hy + w * hx);
  store<f64>(at + 32, x - l * hx + w * hy);
  store<f64>(at + 40, y - l * hy - w * hx);
  store<f64>(at + 48, x + l * hx + w * hy);
  store<f64>(at + 56, y + l * hy - w * hx);
}

/**
 * Separating axes over the edge normals of two convex, counter-clockwise polygons. Where they
 * overlap, leaves depth and normal (from the first to the second) of the least overlap.
 */
function overlap(a: usize, countA: i32, b: usize, countB: i32): bool {
  store<f64>(DEPTH, 1e9);
  return overlapOnEdges(a, countA, b, countB, 1.0) && overlapOnEdges(b, countB, a, countA, -1.0);
}

function overlapOnEdges(a: usize, countA: i32, b: usize, countB: i32, sign: f64): bool {
  for (let i = 0; i < countA; i++) {
    const from = a + (<usize>i << 4);
    const to = a + (<usize>(i + 1 == countA ? 0 : i + 1) << 4);
    const ex = load<f64>(to) - load<f64>(from);
    const ey = load<f64>(to + 8) - load<f64>(from + 8);
    const norm = 1.0 / sqrt(ex * ex + ey * ey);
    const nx = ey * norm;
    const ny = -ex * norm;
    const face = nx * load<f64>(from) + ny * load<f64>(from + 8);
    let nearest = 1e9;
    for (let j = 0; j < countB; j++) {
      nearest = least(nearest, nx * load<f64>(b + (<usize>j << 4)) + ny * load<f64>(b + (<usize>j << 4) + 8));
    }
    const depth = face - nearest;
    if (depth <= 0.0) return false;
    if (depth < load<f64>(DEPTH)) {
      store<f64>(DEPTH, depth);
      store<f64>(NORMAL_X, nx * sign);
      store<f64>(NORMAL_Y, ny * sign);
    }
  }
  return true;
}

function meetBlocks(slab: usize, city: usize, car: i32): void {
  const count = load<i32>(city + T_BLOCK_COUNT);
  const blocks = city + load<i32>(city + T_BLOCKS);
  const x = getF(slab, C_X, car);
  const y = getF(slab, C_Y, car);
  const reach = 0.5 * REACH_M;
  for (let block = 0; block < count; block++) {
    const at = blocks + <usize>block * BLOCK_BYTES;
    if (load<f64>(at + B_MIN_X) > x + reach || load<f64>(at + B_MAX_X) < x - reach) continue;
    if (load<f64>(at + B_MIN_Y) > y + reach || load<f64>(at + B_MAX_Y) < y - reach) continue;
    if (load<i32>(at + B_SOLID) == 0) continue;
    corners(slab, car, CORNERS_A);
    if (overlap(CORNERS_A, 4, at + B_CORNER, load<i32>(at + B_CORNERS))) hitBlock(slab, car, block);
  }
}

/** A wreck that slides into a wall just stops; a car that drives into it has an incident. */
function hitBlock(slab: usize, car: i32, block: i32): void {
  if (getI(slab, C_STATUS, car) != STATUS_CRASHED) {
    const contact = newContact(slab, CONTACT_BUILDING, block);
    const closing = greatest(0.0, velocityX(slab, car) * load<f64>(NORMAL_X) + velocityY(slab, car) * load<f64>(NORMAL_Y));
    const px = getF(slab, C_X, car) + load<f64>(NORMAL_X) * 1.5;
    const py = getF(slab, C_Y, car) + load<f64>(NORMAL_Y) * 1.5;
    describe(contact, px, py, closing, 0);
    party(slab, contact, 0, car, px, py, closing);
    store<i32>(contact + K_PARTY + PARTY_BYTES + P_CAR, -1);
    wreck(slab, car);
    raiseCollision(slab, contact, car, -1);
  }
  setF(slab, C_VX, car, 0.0);
  setF(slab, C_VY, car, 0.0);
}

function crash(slab: usize, a: i32, b: i32): void {
  const nx = load<f64>(NORMAL_X);
  const ny = load<f64>(NORMAL_Y);
  const towardsA = velocityX(slab, a) * nx + velocityY(slab, a) * ny;
  const towardsB = -(velocityX(slab, b) * nx + velocityY(slab, b) * ny);
  const closing = greatest(0.0, towardsA + towardsB);
  const massA = massOf(slab, a);
  const massB = massOf(slab, b);
  const px = 0.5 * (getF(slab, C_X, a) + getF(slab, C_X, b));
  const py = 0.5 * (getF(slab, C_Y, a) + getF(slab, C_Y, b));
  const contact = newContact(slab, CONTACT_VEHICLE, -1);
  describe(contact, px, py, closing, towardsA >= towardsB ? 0 : 1);
  // Central plastic check: each takes the other's share of the closing speed.
  party(slab, contact, 0, a, px, py, (massB / (massA + massB)) * closing);
  party(slab, contact, 1, b, px, py, (massA / (massA + massB)) * closing);
  const ux = (massA * velocityX(slab, a) + massB * velocityX(slab, b)) / (massA + massB);
  const uy = (massA * velocityY(slab, a) + massB * velocityY(slab, b)) / (massA + massB);
  wreck(slab, a);
  wreck(slab, b);
  setVelocity(slab, a, ux, uy);
  setVelocity(slab, b, ux, uy);
  raiseCollision(slab, contact, towardsA >= towardsB ? a : b, towardsA >= towardsB ? b : a);
}

function newContact(slab: usize, kind: i32, block: i32): usize {
  const tick = load<u32>(slab + H_TICK);
  const count = load<u32>(slab + H_CONTACT_COUNT);
  const again = count > 0 && load<u32>(slab + H_CONTACT_TICK) == tick;
  const order = again ? load<u32>(slab + H_CONTACT_ORDER) + 1 : 0;
  store<u32>(slab + H_CONTACT_TICK, tick);
  store<u32>(slab + H_CONTACT_ORDER, order);
  store<u32>(slab + H_CONTACT_COUNT, count + 1);
  const at = slab + CONTACTS + <usize>(count % CONTACT_RING) * CONTACT_BYTES;
  memory.fill(at, 0, CONTACT_BYTES);
  store<u32>(at + K_TICK, tick);
  store<u32>(at + K_ORDER, order);
  store<i32>(at + K_KIND, kind);
  store<i32>(at + K_BLOCK, block);
  return at;
}

function describe(contact: usize, x: f64, y: f64, closing: f64, striking: i32): void {
  store<f64>(contact + K_X, x);
  store<f64>(contact + K_Y, y);
  store<f64>(contact + K_CLOSING, closing);
  store<i32>(contact + K_STRIKING, striking);
}

/** Writes down a car as it was just before the contact. */
function party(slab: usize, contact: usize, index: i32, car: i32, px: f64, py: f64, deltaV: f64): void {
  const at = contact + K_PARTY + <usize>index * PARTY_BYTES;
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const dx = px - getF(slab, C_X, car);
  const dy = py - getF(slab, C_Y, car);
  const norm = greatest(sqrt(dx * dx + dy * dy), 1e-6);
  store<i32>(at + P_CAR, car);
  store<i32>(at + P_DECLARED, getI(slab, C_DECLARED, car));
  store<i32>(at + P_EFFECTIVE, getI(slab, C_EFFECTIVE, car));
  store<i32>(at + P_TYPE, getI(slab, C_TYPE, car));
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  store<f64>(at + P_SPEED, sqrt(vx * vx + vy * vy));
  store<f64>(at + P_DELTA_V, deltaV);
  store<f64>(at + P_HX, hx);
  store<f64>(at + P_HY, hy);
  store<f64>(at + P_IMPACT_X, (hx * dx + hy * dy) / norm);
  store<f64>(at + P_IMPACT_Y, (hx * dy - hy * dx) / norm);
  store<f64>(at + P_MASS, massOf(slab, car));
}

function wreck(slab: usize, car: i32): void {
  setI(slab, C_STATUS, car, STATUS_CRASHED);
  setI(slab, C_HALT_TICK, car, load<u32>(slab + H_TICK));
}

function raiseCollision(slab: usize, contact: usize, car: i32, other: i32): void {
  const order = <i32>load<u32>(contact + K_ORDER);
  raise(slab, load<u32>(slab + H_TICK), EVENT_COLLISION, car, -1, -1, order, other);
}

function massOf(slab: usize, car: i32): f64 {
  return load<f64>(typeOf(slab, car) + CT_MASS);
}

function velocityX(slab: usize, car: i32): f64 {
  return getF(slab, C_VX, car) * getF(slab, C_HX, car) - getF(slab, C_VY, car) * getF(slab, C_HY, car);
}

function velocityY(slab: usize, car: i32): f64 {
  return getF(slab, C_VX, car) * getF(slab, C_HY, car) + getF(slab, C_VY, car) * getF(slab, C_HX, car);
}

function setVelocity(slab: usize, car: i32, x: f64, y: f64): void {
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  setF(slab, C_VX, car, hx * x + hy * y);
  setF(slab, C_VY, car, hx * y - hy * x);
}
