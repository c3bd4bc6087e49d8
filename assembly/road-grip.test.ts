import { describe, expect, it, test } from 'vitest';
import { at, boundsOf, distance } from '../src/city/geometry.ts';
import { type LaneProfile, profilesOf } from '../src/city/table/lane-profile.ts';
import type { Block, City, Zone } from '../src/city/types.ts';
import { grown, rectangle } from '../src/citygen/geometry.ts';
import { packCity } from '../src/citygen/tables/city-table.ts';
import type { Kernel } from '../src/kernel/kernel.ts';
import { cars, cities, look, makeWorldOf } from '../src/testing/rigs/kernel.ts';
import { edit } from '../src/testing/rigs/slab-editor.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import {
  C_CLAIM,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HALT_TICK,
  C_LANE,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_STATION,
  C_STATUS,
  C_STEER,
  C_VX,
  C_VY,
  C_WAIT_TICK,
  C_X,
  C_Y,
  C_YAW_RATE,
  C_YAW_REFERENCE,
  F_ALL,
  F_ESC,
  STATUS_CRASHED,
  T_ZONES,
  TICK_S,
  Z_FRICTION,
} from './layout.ts';

const GRAVITY = 9.81;
/** Lateral acceleration that drivers take on a dry road, m/s². */
const COMFORT_MPS2 = 2;
const APPROACH_M = 30;
const ICY = 0.2;
/** A dry road has 0.95, rounded to f32. */
const BELOW_DRY = 0.9;
/** Buildings further than this from the bend stop no car that leaves it, m. */
const NEAR_M = 120;
/** All cars have rear-wheel drive. */
const TYPE = 2;

interface Bend {
  city: City;
  lane: number;
  /** Route of car 0: the lane and the lanes that follow it. */
  route: readonly number[];
  profile: LaneProfile;
  /** Stations between which it bends at least half as much as it does most. */
  fromM: number;
  toM: number;
  radiusM: number;
}

/** The tightest bend of a city by about a right angle, of more than 20 m radius. */
function bendOf(city: City): Bend {
  const bends = profilesOf(city).flatMap((profile, lane): Bend[] => {
    const { points, spacingM } = profile;
    if (at(city.lanes, lane).road < 0) return [];
    const sizes = points.map(({ curvature }) => Math.abs(curvature));
    const turn = sizes.reduce((sum, size) => sum + size, 0) * spacingM;
    const radiusM = 1 / Math.max(...sizes);
    const isBent = (size: number) => size > 0.5 / radiusM;
    const fromM = sizes.findIndex(isBent) * spacingM;
    const toM = sizes.findLastIndex(isBent) * spacingM;
    if (Math.abs(turn - Math.PI / 2) > 0.3 || radiusM < 20 || fromM < APPROACH_M + 5) return [];
    const route = [lane];
    while (route.length < 5) route.push(at(at(city.lanes, at(route, -1)).next, 0));
    return [{ city, lane, route, profile, fromM, toM, radiusM }];
  });
  return at(
    bends.toSorted((a, b) => a.radiusM - b.radiusM),
    0,
  );
}

/** Ice, or any other friction, all around a bend. */
function zoneOver({ profile, fromM, toM }: Bend, friction: number): Zone {
  const { points, spacingM } = profile;
  const inside = points.slice(Math.floor(fromM / spacingM), Math.ceil(toM / spacingM));
  const { minX, minY, maxX, maxY } = grown(boundsOf(inside.map(({ position }) => position)), 8);
  const polygon = rectangle(minX, minY, maxX, maxY);
  return { id: 'z1', kind: 'ice', friction, polygon };
}

/** Puts car 0 on its lane before the bend, and all other cars out of the city. */
function approach(kernel: Kernel, slab: number, bend: Bend, speed: number): void {
  const { points, spacingM } = bend.profile;
  const index = Math.floor((bend.fromM - APPROACH_M) / spacingM);
  const { position, tangent } = at(points, index);
  const elsewhere = bend.city.lanes.findIndex((_, lane) => !bend.route.includes(lane));
  edit(kernel, slab, (world) => {
    for (const car of cars) {
      const isDriver = car === 0;
      world.setReal(C_X, car, 6000 + 100 * car);
      world.setReal(C_Y, car, 6000);
      world.stopCar(car);
      for (const array of [C_YAW_REFERENCE, C_STEER, C_OFFSET]) world.setReal(array, car, 0);
      world.setI32(C_LANE, car, elsewhere);
      world.setI32(C_CLAIM, car, -1);
      world.setI32(C_WAIT_TICK, car, 0);
      world.setI32(C_STATUS, car, isDriver ? 0 : STATUS_CRASHED);
      world.setI32(C_HALT_TICK, car, isDriver ? 0 : 1);
    }
    world.placeCar(0, { x: position[0], y: position[1], hx: tangent[0], hy: tangent[1] });
    world.setReal(C_VX, 0, speed);
    world.setReal(C_STATION, 0, index * spacingM);
    world.setI32(C_ROUTE_INDEX, 0, 0);
    world.setI32(C_LANE, 0, bend.lane);
  });
}

/** Tables of a bend's city without any zone and with the one over the bend. */
const tables = new Map<Bend, { plain: ArrayBuffer; zoned: ArrayBuffer }>();

function tablesOf(bend: Bend): { plain: ArrayBuffer; zoned: ArrayBuffer } {
  const routes = [bend.route, ...bend.city.routes.slice(1)];
  // The table has ranges of what is slippery.
  const zone = zoneOver(bend, ICY);
  const isNear = ({ polygon: [corner] }: Block) =>
    corner !== undefined && distance(corner, at(zone.polygon, 0)) < NEAR_M;
  const city = { ...bend.city, blocks: bend.city.blocks.filter(isNear), hazards: [], routes };
  const pack = (zones: readonly Zone[]) => packCity({ ...city, zones });
  const known = tables.get(bend) ?? { plain: pack([]), zoned: pack([zone]) };
  tables.set(bend, known);
  return known;
}

/** The same table with another friction in its only zone. */
function tableWith(bend: Bend, friction: number | undefined): ArrayBuffer {
  const { plain, zoned } = tablesOf(bend);
  if (friction === undefined) return plain;
  const view = new DataView(zoned);
  view.setFloat64(view.getInt32(T_ZONES, true) + Z_FRICTION, friction, true);
  return zoned;
}

interface Drive {
  /** Of the lane's centre, m. */
  offset: number;
  /** Of its motion to its heading, rad. */
  slip: number;
  /** Of its yaw rate from speed × curvature of the lane, rad/s. */
  yawOff: number;
  /** Felt, m/s². */
  lateral: number;
  entrySpeed: number;
  /** Station of the car at which each axle leaves the dry road, 0 never. */
  onZone: { front: number; rear: number };
}

/**
 * Drives through the bend at dry speed on a road of some friction, with or without stability control;
 * the greatest values.
 */
function driveThrough(bend: Bend, friction: number | undefined, hasEsc = false): Drive {
  const masks = cars.map(() => (hasEsc ? F_ALL : F_ALL & ~F_ESC));
  const { kernel, slab } = makeWorldOf(tableWith(bend, friction), TYPE, masks);
  approach(kernel, slab, bend, Math.sqrt(COMFORT_MPS2 * bend.radiusM));
  const found: Drive = {
    offset: 0,
    slip: 0,
    yawOff: 0,
    lateral: 0,
    entrySpeed: 0,
    onZone: { front: 0, rear: 0 },
  };
  let vyBefore = 0;
  for (let tick = 0; tick < 450; tick++) {
    kernel.step(slab, 1);
    const view = look(kernel, slab);
    const of = (array: number) => view.real(array, 0);
    const station = of(C_STATION);
    const isOver = view.i32(C_LANE, 0) !== bend.lane || station > bend.toM + 5;
    if (isOver || view.i32(C_STATUS, 0) === STATUS_CRASHED) break;
    if (of(C_FRICTION_FRONT) < BELOW_DRY) found.onZone.front ||= station;
    if (of(C_FRICTION_REAR) < BELOW_DRY) found.onZone.rear ||= station;
    const { curvature } = at(bend.profile.points, Math.round(station / bend.profile.spacingM));
    const felt = (of(C_VY) - vyBefore) / TICK_S + of(C_VX) * of(C_YAW_RATE);
    vyBefore = of(C_VY);
    if (found.entrySpeed === 0 && station > bend.fromM) found.entrySpeed = of(C_VX);
    found.offset = Math.max(found.offset, Math.abs(of(C_OFFSET)));
    found.slip = Math.max(found.slip, Math.abs(Math.atan2(of(C_VY), of(C_VX))));
    found.yawOff = Math.max(found.yawOff, Math.abs(of(C_YAW_RATE) - of(C_VX) * curvature));
    found.lateral = Math.max(found.lateral, Math.abs(felt));
  }
  return found;
}

describe.each(cities.cities.map((city) => ({ name: city.name, bend: bendOf(city) })))(
  'a bend of $name driven at the speed of a dry road',
  ({ bend }) => {
    const dry = driveThrough(bend, undefined);

    it('asks for the lateral acceleration of comfort', () => {
      expect(dry.entrySpeed).toBeGreaterThan(7);
      expect(dry.lateral).toBeGreaterThan(0.8 * COMFORT_MPS2);
      expect(dry.lateral).toBeLessThan(1.1 * COMFORT_MPS2);
    });

    test.each([0.95, 0.55])('with friction %d is followed', (friction) => {
      const drive = driveThrough(bend, friction);
      expect(drive.offset).toBeLessThan(0.2);
      expect(drive.slip).toBeLessThan(0.07);
      expect(drive.yawOff).toBeLessThan(0.1);
    });

    it('in a zone as dry as the road is the same to the last bit', () => {
      expect(driveThrough(bend, 0.95)).toEqual(dry);
    });

    it('with friction 0.2 ends in a slide to the side', () => {
      const drive = driveThrough(bend, 0.2);
      expect(drive.entrySpeed).toBeCloseTo(dry.entrySpeed, 1);
      expect(drive.offset).toBeGreaterThan(1.5);
      expect(drive.slip).toBeGreaterThan(0.26);
      expect(drive.yawOff).toBeGreaterThan(0.3);
      expect(drive.lateral).toBeGreaterThan(0.9 * 0.2 * GRAVITY);
      expect(drive.lateral).toBeLessThan(0.2 * GRAVITY);
    });

    it.each([0.95, 0.55])('needs no stability control with friction %d', (friction) => {
      expect(driveThrough(bend, friction, true)).toEqual(driveThrough(bend, friction));
    });

    it('with friction 0.1 ends straight on, off the lane', () => {
      const drive = driveThrough(bend, 0.1);
      expect(drive.offset).toBeGreaterThan(3);
      expect(drive.slip).toBeLessThan(0.1);
      // The lane turns by 0.33 rad/s, the car hardly.
      expect(drive.yawOff).toBeGreaterThan(0.25);
      expect(drive.lateral).toBeLessThan(0.1 * GRAVITY);
    });

    it('has ice under the front axle first, under the rear axle one wheelbase later', () => {
      const { onZone } = driveThrough(bend, 0.1);
      const { wheelbaseM } = at(CAR_TYPES, TYPE);
      expect(onZone.front).toBeGreaterThan(0);
      // Tolerance: the distance driven between two samples of the road.
      expect(Math.abs(onZone.rear - onZone.front - wheelbaseM)).toBeLessThan(0.4);
    });
  },
);
