/**
 * Everything that sensors can meet: the cars, and the actors of the spots that have come out. Each
 * is an oriented box (the fields of overlap.ts) that moves. Gathered once a look, for all who look.
 */
import {
  ACTOR_WAITS, A_ACCEL, A_HX, A_HY, A_SPEED, A_STATE, A_X, A_Y, CAR_COUNT, CONTACT_VEHICLE, CT_CENTRE, CT_LENGTH, CT_WIDTH, C_ACCEL,
  C_HX, C_HY, C_X, C_Y, HAZARDS, HAZARD_BYTES, HAZARD_SPOT_BYTES, HS_BODY_LENGTH, HS_BODY_WIDTH, HS_CLASS, OBJECTS, T_HAZARDS,
  T_HAZARD_COUNT,
} from './layout';
import { velocityX, velocityY } from './body';
import { getF, typeOf } from './memory';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';

const OBJECT_BYTES: usize = 128;
export const OB_VX: usize = 48; // m/s over ground
export const OB_VY: usize = 56;
export const OB_ACCEL: usize = 64; // m/s² along its heading
export const OB_RADIUS: usize = 72; // m, from its middle to a corner
export const OB_CLASS: usize = 80; // i32 CONTACT_

/** Address of an object: a car, or CAR_COUNT + spot. */
@inline export function objectAt(object: i32): usize {
  return <usize>OBJECTS + <usize>object * OBJECT_BYTES;
}

/** Address of what a spot has in the world. */
@inline export function actorAt(slab: usize, spot: i32): usize {
  return slab + HAZARDS + <usize>spot * HAZARD_BYTES;
}

/** Address of a spot's record in the city's table. */
@inline export function spotAt(city: usize, spot: i32): usize {
  return city + load<i32>(city + T_HAZARDS) + <usize>spot * HAZARD_SPOT_BYTES;
}

/** Makes the records of all objects; returns the mask of the spots whose actors are out. */
export function gatherObjects(slab: usize, city: usize): u32 {
  for (let car = 0; car < CAR_COUNT; car++) gatherCar(slab, car);
  let out: u32 = 0;
  const spots = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < spots; spot++) {
    const actor = actorAt(slab, spot);
    if (load<i32>(actor + A_STATE) == ACTOR_WAITS) continue;
    gatherActor(actor, spotAt(city, spot), objectAt(CAR_COUNT + spot));
    out |= 1 << spot;
  }
  return out;
}

@inline function gatherCar(slab: usize, car: i32): void {
  const type = typeOf(slab, car);
  const at = objectAt(car);
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const centre = load<f64>(type + CT_CENTRE);
  store<f64>(at + BOX_X, getF(slab, C_X, car) + centre * hx);
  store<f64>(at + BOX_Y, getF(slab, C_Y, car) + centre * hy);
  store<f64>(at + BOX_HX, hx);
  store<f64>(at + BOX_HY, hy);
  store<f64>(at + OB_VX, velocityX(slab, car));
  store<f64>(at + OB_VY, velocityY(slab, car));
  store<f64>(at + OB_ACCEL, getF(slab, C_ACCEL, car));
  store<i32>(at + OB_CLASS, CONTACT_VEHICLE);
  setSize(at, load<f64>(type + CT_LENGTH), load<f64>(type + CT_WIDTH));
}

function gatherActor(actor: usize, spot: usize, at: usize): void {
  const hx = load<f64>(actor + A_HX);
  const hy = load<f64>(actor + A_HY);
  const speed = load<f64>(actor + A_SPEED);
  store<f64>(at + BOX_X, load<f64>(actor + A_X));
  store<f64>(at + BOX_Y, load<f64>(actor + A_Y));
  store<f64>(at + BOX_HX, hx);
  store<f64>(at + BOX_HY, hy);
  store<f64>(at + OB_VX, speed * hx);
  store<f64>(at + OB_VY, speed * hy);
  store<f64>(at + OB_ACCEL, load<f64>(actor + A_ACCEL));
  store<i32>(at + OB_CLASS, load<i32>(spot + HS_CLASS));
  setSize(at, load<f64>(spot + HS_BODY_LENGTH), load<f64>(spot + HS_BODY_WIDTH));
}

@inline function setSize(at: usize, length: f64, width: f64): void {
  store<f64>(at + BOX_HALF_LENGTH, 0.5 * length);
  store<f64>(at + BOX_HALF_WIDTH, 0.5 * width);
  store<f64>(at + OB_RADIUS, 0.5 * sqrt(length * length + width * width));
}
