/**
 * Everything that sensors can detect: the cars, and the actors that are present. Each is a moving
 * oriented box with the fields of overlap.ts. Gathered once a scan.
 */
import {
  ACTOR_WAITS,
  A_ACCEL,
  A_HX,
  A_HY,
  A_SIGHT,
  A_SPEED,
  A_STATE,
  A_X,
  A_Y,
  CAR_COUNT,
  CONTACT_VEHICLE,
  CT_CENTRE,
  CT_LENGTH,
  CT_WIDTH,
  C_ACCEL,
  C_HX,
  C_HY,
  C_LANE,
  C_X,
  C_Y,
  HAZARD_FOG_STALL,
  HAZARD_WET_CREST,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  HS_CLASS,
  HS_KIND,
  HS_LANES,
  HS_LANE_COUNT,
  HS_SIGHT,
  L_ZONE_FROM,
  L_ZONE_TO,
  OBJECTS,
  T_HAZARD_COUNT,
  Z_KIND,
} from './layout';
import { velocityX, velocityY } from './body';
import { actorRecord, siteRecord } from './hazards/spots';
import { getF, getI, typeOf } from './memory';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';
import { carsAnywhere, isInside, isWithin, zoneRecord, zonesNear } from './road-grip';

const OBJECT_BYTES: usize = 96;
export const OB_VX: usize = 48; // m/s over ground
export const OB_VY: usize = 56;
export const OB_ACCEL: usize = 64; // m/s² along its heading
export const OB_RADIUS: usize = 72; // m, from its middle to a corner
export const OB_CLASS: usize = 80; // i32 CONTACT_
export const OB_ZONES: usize = 84; // i32, bit of each ZONE_ kind that contains it
export const OB_SIGHT: usize = 88; // f32 m, greatest range of cameras, 0 no limit
export const OB_CREST: usize = 92; // f32 m, greatest range of all sensors, 0 no limit

/** Address of an object's record: that of a car, or CAR_COUNT + spot. */
@inline export function objectRecord(object: i32): usize {
  return <usize>OBJECTS + <usize>object * OBJECT_BYTES;
}

/** Writes the records of all objects; returns the mask of the spots whose actors are present. */
export function gatherObjects(slab: usize, city: usize): u32 {
  const anywhere = carsAnywhere(slab);
  for (let car = 0; car < CAR_COUNT; car++) gatherCar(slab, city, car, (anywhere >> car) & 1);
  let out: u32 = 0;
  const spots = load<i32>(city + T_HAZARD_COUNT);
  for (let spot = 0; spot < spots; spot++) {
    const actor = actorRecord(slab, spot);
    if (load<i32>(actor + A_STATE) == ACTOR_WAITS) continue;
    gatherActor(slab, city, actor, siteRecord(city, spot), objectRecord(CAR_COUNT + spot));
    out |= 1 << spot;
  }
  return out;
}

/** `isAnywhere`: 1 for a car whose station does not say whether it may be in a zone. */
@inline function gatherCar(slab: usize, city: usize, car: i32, isAnywhere: u32): void {
  const type = typeOf(slab, car);
  const object = objectRecord(car);
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const centre = load<f64>(type + CT_CENTRE);
  store<f64>(object + BOX_X, getF(slab, C_X, car) + centre * hx);
  store<f64>(object + BOX_Y, getF(slab, C_Y, car) + centre * hy);
  store<f64>(object + BOX_HX, hx);
  store<f64>(object + BOX_HY, hy);
  store<f64>(object + OB_VX, velocityX(slab, car));
  store<f64>(object + OB_VY, velocityY(slab, car));
  store<f64>(object + OB_ACCEL, getF(slab, C_ACCEL, car));
  store<i32>(object + OB_CLASS, CONTACT_VEHICLE);
  const mayBeInZone = isAnywhere | <u32>isWithin(slab, city, car, L_ZONE_FROM, L_ZONE_TO);
  const zones = zonesNear(slab, city, getI(slab, C_LANE, car)) & (0 - mayBeInZone);
  store<i32>(object + OB_ZONES, zonesAround(city, zones, object));
  store<f32>(object + OB_SIGHT, 0.0);
  store<f32>(object + OB_CREST, 0.0);
  setSize(object, load<f64>(type + CT_LENGTH), load<f64>(type + CT_WIDTH));
}

function gatherActor(slab: usize, city: usize, actor: usize, spot: usize, object: usize): void {
  const hx = load<f64>(actor + A_HX);
  const hy = load<f64>(actor + A_HY);
  const speed = load<f64>(actor + A_SPEED);
  store<f64>(object + BOX_X, load<f64>(actor + A_X));
  store<f64>(object + BOX_Y, load<f64>(actor + A_Y));
  store<f64>(object + BOX_HX, hx);
  store<f64>(object + BOX_HY, hy);
  store<f64>(object + OB_VX, speed * hx);
  store<f64>(object + OB_VY, speed * hy);
  store<f64>(object + OB_ACCEL, load<f64>(actor + A_ACCEL));
  store<i32>(object + OB_CLASS, load<i32>(spot + HS_CLASS));
  const last = spot + HS_LANES + ((<usize>(load<i32>(spot + HS_LANE_COUNT) - 1)) << 2);
  store<i32>(object + OB_ZONES, zonesAround(city, zonesNear(slab, city, load<i32>(last)), object));
  const kind = load<i32>(spot + HS_KIND);
  store<f32>(object + OB_CREST, kind == HAZARD_WET_CREST ? load<f32>(actor + A_SIGHT) : 0.0);
  // Fog limits the camera itself, wherever the fog is.
  store<f32>(object + OB_SIGHT, kind == HAZARD_FOG_STALL ? 0.0 : <f32>load<f64>(spot + HS_SIGHT));
  setSize(object, load<f64>(spot + HS_BODY_LENGTH), load<f64>(spot + HS_BODY_WIDTH));
}

@inline function setSize(object: usize, length: f64, width: f64): void {
  store<f64>(object + BOX_HALF_LENGTH, 0.5 * length);
  store<f64>(object + BOX_HALF_WIDTH, 0.5 * width);
  store<f64>(object + OB_RADIUS, 0.5 * sqrt(length * length + width * width));
}

/** Bits of the kinds of some zones that contain the middle of a box. */
@inline function zonesAround(city: usize, zones: u32, box: usize): i32 {
  return zones == 0 ? 0 : zonesAt(city, zones, load<f64>(box + BOX_X), load<f64>(box + BOX_Y));
}

function zonesAt(city: usize, zones: u32, x: f64, y: f64): i32 {
  let kinds = 0;
  for (let left = zones; left != 0; left &= left - 1) {
    const zone = zoneRecord(city, <i32>ctz(left));
    if (isInside(zone, x, y)) kinds |= 1 << load<i32>(zone + Z_KIND);
  }
  return kinds;
}
