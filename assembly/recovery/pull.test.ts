import { describe, expect, it } from 'vitest';
import { at } from '../../src/city/geometry.ts';
import {
  cars,
  cities,
  contactsUntil,
  look,
  makeOneWorld,
  stepTo,
} from '../../src/testing/rigs/kernel.ts';
import { poseAlong } from '../../src/testing/rigs/paths.ts';
import { edit } from '../../src/testing/rigs/slab-editor.ts';
import {
  C_HALT_TICK,
  C_LANE,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_STATION,
  C_STATUS,
  C_STEER,
  C_TOW,
  C_VX,
  C_X,
  C_Y,
  C_YAW_REFERENCE,
  F_AEB,
  F_EVASIVE_STEERING,
  ROADSIDE_BYTES,
  RS_LANE,
  RS_STATION,
  STATUS_CRASHED,
  STATUS_DRIVING,
  T_ROADSIDE,
  T_ROADSIDE_COUNT,
  TICKS_PER_S,
  TOW_ASIDE,
} from '../layout.ts';

const CITY = 0;
const city = at(cities.cities, CITY);
const table = new DataView(at(cities.tables, CITY));
const [PULLED, DRIVER] = [8, 0];
const SPEED_MPS = 13;
/** From the lane's centre to the car beside it, at the side across from the place. */
const BESIDE_M = 3.4;

/** A place beside a lane of the driver's route, far enough from both of its ends. */
const place = Array.from({ length: table.getInt32(T_ROADSIDE_COUNT, true) }, (_, index) => {
  const record = table.getInt32(T_ROADSIDE, true) + index * ROADSIDE_BYTES;
  const lane = table.getInt32(record + RS_LANE, true);
  return { index, lane, stationM: table.getFloat32(record + RS_STATION, true) };
}).find(({ lane, stationM }) => at(city.routes, DRIVER).includes(lane) && stationM > 100);

/** A car across the lane from its place, about to be pulled there, and one that comes so far before it. */
function staged(aheadM: number) {
  if (place === undefined) throw new Error('no place is far enough from the beginning of its lane');
  const { index, lane, stationM } = place;
  const { polyline } = at(city.lanes, lane);
  const world = makeOneWorld(1, CITY);
  edit(world.kernel, world.slab, (editor) => {
    for (const car of cars) {
      editor.setReal(C_X, car, 6000 + 100 * car);
      editor.setReal(C_Y, car, 6000);
      editor.stopCar(car);
      editor.setI32(C_STATUS, car, STATUS_CRASHED);
      editor.setI32(C_HALT_TICK, car, 1);
      for (const array of [C_OFFSET, C_STEER, C_YAW_REFERENCE]) editor.setReal(array, car, 0);
    }
    const { x, y, hx, hy } = poseAlong(polyline, stationM);
    editor.placeCar(PULLED, { x: x - BESIDE_M * hy, y: y + BESIDE_M * hx, hx, hy });
    editor.setI32(C_LANE, PULLED, lane);
    editor.setReal(C_STATION, PULLED, stationM);
    editor.setReal(C_OFFSET, PULLED, BESIDE_M);
    editor.setI32(C_TOW, PULLED, TOW_ASIDE | ((index + 1) << 8));
    editor.placeCar(DRIVER, poseAlong(polyline, stationM - aheadM));
    editor.setI32(C_LANE, DRIVER, lane);
    editor.setI32(C_ROUTE_INDEX, DRIVER, at(city.routes, DRIVER).indexOf(lane));
    editor.setReal(C_STATION, DRIVER, stationM - aheadM);
    editor.setReal(C_VX, DRIVER, SPEED_MPS);
    editor.setI32(C_STATUS, DRIVER, STATUS_DRIVING);
    editor.setI32(C_HALT_TICK, DRIVER, 0);
  });
  return world;
}

describe('a car that is pulled across a lane', () => {
  it('lets those pass that could not stop, and has come to its place half a minute later', () => {
    for (let aheadM = 10; aheadM <= 90; aheadM += 2) {
      const { kernel, slab } = staged(aheadM);
      // The driver alone has to cope.
      kernel.apply(slab, 1, DRIVER, F_AEB | F_EVASIVE_STEERING, 0);
      expect(contactsUntil(kernel, slab, 10 * TICKS_PER_S)).toEqual([]);
      stepTo(kernel, slab, 30 * TICKS_PER_S);
      expect(look(kernel, slab).i32(C_TOW, PULLED) & 0xff).not.toBe(TOW_ASIDE);
    }
  });
});
