import {
  ACTOR_ACTS,
  ACTOR_LEAVES,
  ACTOR_STANDS,
  ACTOR_WAITS,
  A_ACCEL,
  A_CAR,
  A_HX,
  A_HY,
  A_NEAR,
  A_SINCE,
  A_SPEED,
  A_STATE,
  A_STATION,
  A_STRUCK,
  A_X,
  A_Y,
  CONTACT_VEHICLE,
  CT_PER_INERTIA,
  CT_PER_MASS,
  C_HX,
  C_HY,
  C_STATUS,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  HS_ACTOR_STATION,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  HS_CLASS,
  HS_INERTIA,
  HS_MASS,
  H_TICK,
  K_CLOSING,
  K_ENERGY,
  K_IMPULSE_X,
  K_IMPULSE_Y,
  K_PARTY,
  K_STRIKING,
  K_X,
  K_Y,
  OTHER_ACTOR,
  PARTY_BYTES,
  P_CAR,
  P_DELTA_V,
  P_HX,
  P_HY,
  P_IMPACT_X,
  P_IMPACT_Y,
  P_MASS,
  P_SPEED,
  STATUS_CRASHED,
  TICK_S,
  T_HAZARD_COUNT,
} from '../layout';
import { BODY_A, BODY_B, BODY_COG_X, BODY_COG_Y, bodyOf } from '../body';
import { BODY_REACH_M } from '../broad-phase';
import { party, pointVelocityX, pointVelocityY, push, wreck } from '../collision';
import { newContact, raiseCollision } from '../contacts';
import { BODY_FRICTION, impulse, IMPULSE_X, IMPULSE_Y, restitution } from '../impulse';
import { greatest } from '../math';
import { getF, getI, typeOf } from '../memory';
import {
  BOX_HX,
  BOX_HY,
  boxesCommon,
  boxOverlap,
  COMMON_X,
  COMMON_Y,
  NORMAL_X,
  NORMAL_Y,
} from '../overlap';
import { impactAhead, impactLeft } from '../pulses';
import { STANDING_FOR_ACTORS_MPS } from '../thresholds';
import { actorBody, putOnPath } from './paths';
import {
  actorRecord,
  hardestBrake,
  hasTrack,
  kindOf,
  MODE_CROSSES,
  MODE_FOLLOWS,
  modeOf,
  siteRecord,
} from './spots';

/** Bisections that find the moment of first contact, to a 32nd of a tick. */
const BISECTIONS = 5;
/** Cosine of 45°, from which two directions count as crossing. */
const ACROSS = 0.707;
/** Distance that an actor which ran into a car steps back, m. */
const STEP_BACK_M = 0.3;

/** Finds contacts of cars with actors, after contacts between cars. In order of index. */
export function meetActors(slab: usize, city: usize): void {
  for (let left = nearCars(slab, city); left != 0; left &= left - 1) {
    const spot = <i32>ctz(left);
    meetActor(slab, city, spot, siteRecord(city, spot), actorRecord(slab, spot));
  }
}

/** Mask of the spots whose actors are present and may touch a car, without a branch for each. */
function nearCars(slab: usize, city: usize): u32 {
  const count = load<i32>(city + T_HAZARD_COUNT);
  let mask: u32 = 0;
  for (let spot = 0; spot < count; spot++) {
    const actor = actorRecord(slab, spot);
    const isNear = <u32>((load<u32>(actor + A_NEAR) & ~load<u32>(actor + A_STRUCK)) != 0);
    mask |= (isNear & <u32>(load<i32>(actor + A_STATE) != ACTOR_WAITS)) << spot;
  }
  return mask;
}

function meetActor(slab: usize, city: usize, spot: i32, site: usize, actor: usize): void {
  const reach =
    BODY_REACH_M + 0.5 * (load<f64>(site + HS_BODY_LENGTH) + load<f64>(site + HS_BODY_WIDTH));
  for (
    let left = load<u32>(actor + A_NEAR) & ~load<u32>(actor + A_STRUCK);
    left != 0;
    left &= left - 1
  ) {
    const car = <i32>ctz(left);
    const dx = getF(slab, C_X, car) - load<f64>(actor + A_X);
    const dy = getF(slab, C_Y, car) - load<f64>(actor + A_Y);
    if (dx * dx + dy * dy > reach * reach || getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    if (overlapBefore(slab, car, site, actor, 0.0) > 0.0) meet(slab, city, car, spot, site, actor);
  }
}

/** Least overlap of a car and an actor `back` s before; leaves both bodies and the normal. */
function overlapBefore(slab: usize, car: i32, site: usize, actor: usize, back: f64): f64 {
  bodyOf(slab, car, back, BODY_A);
  actorBody(site, actor, load<f64>(actor + A_SPEED), back, BODY_B);
  return boxOverlap(BODY_A, BODY_B);
}

/** Leaves both bodies at their first contact within this tick, with normal and point of contact. */
function findContact(slab: usize, car: i32, site: usize, actor: usize): void {
  let touching = 0.0;
  if (overlapBefore(slab, car, site, actor, TICK_S) <= 0.0) {
    let apart = TICK_S;
    for (let n = 0; n < BISECTIONS; n++) {
      const half = 0.5 * (touching + apart);
      if (overlapBefore(slab, car, site, actor, half) > 0.0) touching = half;
      else apart = half;
    }
  }
  overlapBefore(slab, car, site, actor, touching);
  boxesCommon(BODY_A, BODY_B);
}

/** A car touches an actor: a collision if the car contributed to it, else the actor just stops. */
function meet(slab: usize, city: usize, car: i32, spot: i32, site: usize, actor: usize): void {
  findContact(slab, car, site, actor);
  const nx = load<f64>(NORMAL_X);
  const ny = load<f64>(NORMAL_Y);
  const rAx = load<f64>(COMMON_X) - load<f64>(BODY_A + BODY_COG_X);
  const rAy = load<f64>(COMMON_Y) - load<f64>(BODY_A + BODY_COG_Y);
  const rBx = load<f64>(COMMON_X) - load<f64>(BODY_B + BODY_COG_X);
  const rBy = load<f64>(COMMON_Y) - load<f64>(BODY_B + BODY_COG_Y);
  const vAx = pointVelocityX(slab, car, rAy);
  const vAy = pointVelocityY(slab, car, rAx);
  const speed = load<f64>(actor + A_SPEED);
  const ux = vAx - speed * load<f64>(actor + A_HX);
  const uy = vAy - speed * load<f64>(actor + A_HY);
  const closing = ux * nx + uy * ny;
  if (closing <= 0.0) return;
  const drivesIn = 2.0 * (vAx * nx + vAy * ny) >= closing;
  if (!drivesIn && !isInTheWay(slab, car, site, actor)) {
    stop(city, site, actor);
    return;
  }
  const mass = load<f64>(site + HS_MASS);
  const lost = impulse(
    load<f64>(typeOf(slab, car) + CT_PER_MASS),
    load<f64>(typeOf(slab, car) + CT_PER_INERTIA),
    rAx,
    rAy,
    1.0 / mass,
    1.0 / load<f64>(site + HS_INERTIA),
    rBx,
    rBy,
    nx,
    ny,
    ux,
    uy,
    restitution(closing),
    BODY_FRICTION,
  );
  report(slab, car, spot, site, actor, closing, lost, drivesIn ? 0 : 1);
  wreck(slab, city, car);
  const jx = load<f64>(IMPULSE_X);
  const jy = load<f64>(IMPULSE_Y);
  push(slab, car, jx, jy, rAx, rAy);
  pushActor(slab, car, site, actor, -jx / mass, -jy / mass);
}

/** Distance behind the crossing up to which the tram's track has priority, m. */
const TRACK_M = 8.0;

/**
 * Whether a car that does not drive into the actor is where it should not be: crossing the actor's
 * path, on a track, or standing where it was struck from behind.
 */
function isInTheWay(slab: usize, car: i32, site: usize, actor: usize): bool {
  const kind = kindOf(site);
  if (hasTrack(kind))
    return (
      load<f64>(actor + A_STATION) <
      load<f64>(site + HS_ACTOR_STATION) + 0.5 * load<f64>(site + HS_BODY_LENGTH) + TRACK_M
    );
  const mode = modeOf(kind);
  if (mode == MODE_FOLLOWS) return load<i32>(actor + A_CAR) == car;
  if (mode != MODE_CROSSES) return false;
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  if (vx * vx + vy * vy < STANDING_FOR_ACTORS_MPS * STANDING_FOR_ACTORS_MPS) return false;
  return (
    abs(
      getF(slab, C_HX, car) * load<f64>(actor + A_HX) +
        getF(slab, C_HY, car) * load<f64>(actor + A_HY),
    ) < ACROSS
  );
}

/** An actor that ran into a car without fault stops in front of it. */
function stop(city: usize, site: usize, actor: usize): void {
  store<f64>(actor + A_SPEED, 0.0);
  const state = load<i32>(actor + A_STATE);
  if (state != ACTOR_ACTS && state != ACTOR_LEAVES) return;
  store<f64>(actor + A_STATION, greatest(0.0, load<f64>(actor + A_STATION) - STEP_BACK_M));
  putOnPath(city, site, actor);
}

/** Effect of a contact on an actor: a vehicle is pushed and brakes, all else is thrown. */
function pushActor(slab: usize, car: i32, site: usize, actor: usize, dvx: f64, dvy: f64): void {
  const hx = load<f64>(actor + A_HX);
  const hy = load<f64>(actor + A_HY);
  const speed = load<f64>(actor + A_SPEED);
  const kind = load<i32>(site + HS_CLASS);
  store<u32>(actor + A_STRUCK, load<u32>(actor + A_STRUCK) | (1 << car));
  store<u32>(actor + A_SINCE, load<u32>(slab + H_TICK));
  if (kind != CONTACT_VEHICLE) {
    const vx = speed * hx + dvx;
    const vy = speed * hy + dvy;
    const thrown = sqrt(vx * vx + vy * vy);
    store<i32>(actor + A_STATE, ACTOR_STANDS);
    store<f64>(actor + A_SPEED, thrown);
    if (thrown < 1e-6) return;
    store<f64>(actor + A_HX, vx / thrown);
    store<f64>(actor + A_HY, vy / thrown);
    return;
  }
  const along = speed + dvx * hx + dvy * hy;
  const stands = load<i32>(actor + A_STATE) == ACTOR_STANDS;
  store<f64>(actor + A_SPEED, stands ? along : greatest(0.0, along));
  store<f64>(actor + A_ACCEL, -hardestBrake(kindOf(site)));
}

/** Records a contact while the bodies still move as before it. */
function report(
  slab: usize,
  car: i32,
  spot: i32,
  site: usize,
  actor: usize,
  closing: f64,
  lost: f64,
  striking: i32,
): void {
  const contact = newContact(slab, load<i32>(site + HS_CLASS), -1, spot, car, -1);
  store<f64>(contact + K_X, load<f64>(COMMON_X));
  store<f64>(contact + K_Y, load<f64>(COMMON_Y));
  store<f64>(contact + K_CLOSING, closing);
  store<f64>(contact + K_ENERGY, lost);
  store<i32>(contact + K_STRIKING, striking);
  const jx = load<f64>(IMPULSE_X);
  const jy = load<f64>(IMPULSE_Y);
  store<f64>(contact + K_IMPULSE_X, jx);
  store<f64>(contact + K_IMPULSE_Y, jy);
  party(slab, contact + K_PARTY, car, BODY_A, jx, jy);
  const other = contact + K_PARTY + PARTY_BYTES;
  store<i32>(other + P_CAR, -1);
  store<f64>(other + P_SPEED, load<f64>(actor + A_SPEED));
  store<f64>(other + P_DELTA_V, sqrt(jx * jx + jy * jy) / load<f64>(site + HS_MASS));
  store<f64>(other + P_HX, load<f64>(BODY_B + BOX_HX));
  store<f64>(other + P_HY, load<f64>(BODY_B + BOX_HY));
  store<f64>(other + P_IMPACT_X, impactAhead(BODY_B));
  store<f64>(other + P_IMPACT_Y, impactLeft(BODY_B));
  store<f64>(other + P_MASS, load<f64>(site + HS_MASS));
  raiseCollision(slab, contact, car, OTHER_ACTOR);
}
