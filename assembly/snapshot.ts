import {
  ACTOR_WAITS,
  A_HX,
  A_HY,
  A_STATE,
  A_WAIT,
  A_X,
  A_Y,
  CAR_COUNT,
  CT_CENTRE,
  C_ACCEL,
  C_FLAGS,
  C_GAP,
  C_HX,
  C_HY,
  C_LANE,
  C_STEER,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  HAZARD_ICE_BEND,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  HS_KIND,
  HS_X,
  HS_Y,
  H_TICK,
  L_JUNCTION,
  L_ROAD,
  OC_ACCEL,
  OC_FLAGS,
  OC_GAP,
  OC_HEADING,
  OC_LANE,
  OC_PLACE,
  OC_SPEED,
  OC_STATUS,
  OC_STEER,
  OC_STRIDE,
  OC_X,
  OC_Y,
  OH_ACTIVE,
  OH_HEADING,
  OH_LENGTH,
  OH_STRIDE,
  OH_WIDTH,
  OH_X,
  OH_Y,
  OUT,
  O_CARS,
  O_HAZARD,
  O_HAZARDS,
  O_LIGHT,
  O_LIGHTS,
  O_TICK,
  T_HAZARD_COUNT,
  T_LIGHT_COUNT,
} from './layout';
import { actorRecord, siteRecord } from './hazards/spots';
import { heading, storeHeadings } from './heading';
import { cityOf, laneRecord } from './lanes';
import { getF, getI, typeOf } from './memory';
import { lightState } from './signals';
import { publicStatus } from './status';

@inline function put(index: i32, value: i32): void {
  store<i32>(<usize>OUT + ((<usize>index) << 2), value);
}

/** Nearest integer, limited to the range of i32. */
@inline function whole(value: f64): i32 {
  const limited = value > 2e9 ? 2e9 : value < -2e9 ? -2e9 : value;
  return <i32>nearest(limited);
}

/** Writes the public state of a world to OUT, in the integer units of the O_ constants. */
export function pack(slab: usize): void {
  const city = cityOf(slab);
  put(O_TICK, <i32>load<u32>(slab + H_TICK));
  for (let car = 0; car < CAR_COUNT; car++) packCar(slab, city, car);
  packHeadings(slab);
  const lights = load<i32>(city + T_LIGHT_COUNT);
  put(O_LIGHTS, lights);
  for (let light = 0; light < lights; light++) put(O_LIGHT + light, lightState(slab, city, light));
  packHazards(slab, city);
}

function packCar(slab: usize, city: usize, car: i32): void {
  const address = O_CARS + car * OC_STRIDE;
  const lane = getI(slab, C_LANE, car);
  const road = load<i32>(laneRecord(city, lane) + L_ROAD);
  const vx = getF(slab, C_VX, car);
  const vy = getF(slab, C_VY, car);
  const gap = getF(slab, C_GAP, car);
  // The public position is the middle of the body, not the centre of gravity.
  const centre = load<f64>(typeOf(slab, car) + CT_CENTRE);
  put(address + OC_X, whole((getF(slab, C_X, car) + centre * getF(slab, C_HX, car)) * 100.0));
  put(address + OC_Y, whole((getF(slab, C_Y, car) + centre * getF(slab, C_HY, car)) * 100.0));
  put(address + OC_SPEED, whole(sqrt(vx * vx + vy * vy) * 100.0));
  put(address + OC_PLACE, road >= 0 ? road : -1 - load<i32>(laneRecord(city, lane) + L_JUNCTION));
  put(address + OC_GAP, gap < 0.0 ? -1 : whole(gap * 100.0));
  put(address + OC_FLAGS, getI(slab, C_FLAGS, car));
  put(address + OC_STATUS, publicStatus(slab, car));
  put(address + OC_ACCEL, whole(getF(slab, C_ACCEL, car) * 100.0));
  put(address + OC_STEER, whole(getF(slab, C_STEER, car) * 10000.0));
  put(address + OC_LANE, lane);
}

function packHeadings(slab: usize): void {
  for (let car = 0; car < CAR_COUNT; car += 2) {
    const row = slab + ((<usize>car) << 3);
    const first = <usize>OUT + ((<usize>(O_CARS + car * OC_STRIDE + OC_HEADING)) << 2);
    storeHeadings(row + C_HX, row + C_HY, first, first + OC_STRIDE * 4);
  }
}

/** The box of an actor that is present, else the place of its spot; an icy bend is active while there is ice. */
function packHazards(slab: usize, city: usize): void {
  const count = load<i32>(city + T_HAZARD_COUNT);
  put(O_HAZARDS, count);
  for (let spot = 0; spot < count; spot++) {
    const from = siteRecord(city, spot);
    const actor = actorRecord(slab, spot);
    const isThere = load<i32>(actor + A_STATE) != ACTOR_WAITS;
    const address = O_HAZARD + spot * OH_STRIDE;
    const isIcy = load<i32>(from + HS_KIND) == HAZARD_ICE_BEND && load<u32>(actor + A_WAIT) != 0;
    put(address + OH_ACTIVE, isThere || isIcy ? 1 : 0);
    put(address + OH_X, whole((isThere ? load<f64>(actor + A_X) : load<f64>(from + HS_X)) * 100.0));
    put(address + OH_Y, whole((isThere ? load<f64>(actor + A_Y) : load<f64>(from + HS_Y)) * 100.0));
    put(
      address + OH_HEADING,
      isThere ? heading(load<f64>(actor + A_HX), load<f64>(actor + A_HY)) : 0,
    );
    put(address + OH_LENGTH, isThere ? whole(load<f64>(from + HS_BODY_LENGTH) * 100.0) : 0);
    put(address + OH_WIDTH, isThere ? whole(load<f64>(from + HS_BODY_WIDTH) * 100.0) : 0);
  }
}
