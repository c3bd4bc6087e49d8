import { expect, test } from 'vitest';
import { add, at, cross, distance, nearestOnSegment, subtract } from '../src/city/geometry.ts';
import type { City, Point } from '../src/city/types.ts';
import { cornersOf } from '../src/citygen/hazards/paths.ts';
import { bodyBlocksOf } from '../src/citygen/tables/hazard-table.ts';
import {
  cities,
  look,
  makeKernel,
  makeWorld,
  type SlabView,
  stepTo,
} from '../src/testing/rigs/kernel.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import {
  A_STATE,
  A_X,
  A_Y,
  ACTOR_WAITS,
  C_EFFECTIVE,
  C_HX,
  C_HY,
  C_STATUS,
  C_TYPE,
  C_X,
  C_Y,
  CAR_COUNT,
  F_FRONT_CAMERA,
  FRAME_TICKS,
  HAZARD_BYTES,
  HAZARDS,
  OBJECT_MAX,
  SENSOR_COUNT,
  STATUS_CRASHED,
  TRACKS,
} from './layout.ts';

const CAMERA_BEHIND_M = 1.6;
const RANGE_M = 120;
const TANGENT = Math.tan((50 * Math.PI) / 180);
/** The camera always scans objects that are nearer than this, or straight ahead. */
const ATTENTION_M = 20;
const STRAIGHT_M = 6;
/** Nearer to a limit than this a difference in the last digits decides. */
const DOUBT_M = 1e-6;
const MISSES = 0xf0;

interface Car {
  camera: Point;
  middle: Point;
  heading: Point;
  corners: readonly Point[];
}

function carOf(world: SlabView, car: number): Car {
  const { lengthM, widthM, centreM } = at(CAR_TYPES, world.i32(C_TYPE, car));
  const heading: Point = [world.real(C_HX, car), world.real(C_HY, car)];
  const middle = add([world.real(C_X, car), world.real(C_Y, car)], heading, centreM);
  return {
    camera: add(middle, heading, lengthM / 2 - CAMERA_BEHIND_M),
    middle,
    heading,
    corners: cornersOf({ x: middle[0], y: middle[1], heading, lengthM, widthM }),
  };
}

/** Farther from the bumper than this a car is looked at every other look, and kept in between. */
const EVERY_LOOK_M = 25;

function isOfLastLook(
  tick: number,
  { camera, heading }: Car,
  own: number,
  cars: readonly Car[],
  other: number,
) {
  const nose = add(camera, heading, CAMERA_BEHIND_M);
  const isFar = distance(at(cars, other).middle, nose) > EVERY_LOOK_M - DOUBT_M;
  return isFar && (tick / FRAME_TICKS + own + other) % 2 === 1;
}

/** Whether a way crosses any edge of a polygon, or lies in it. */
function crosses(polygon: readonly Point[], from: Point, to: Point): boolean {
  const way = subtract(to, from);
  return polygon.some((start, i) => {
    const edge = subtract(at(polygon, (i + 1) % polygon.length), start);
    const per = cross(way, edge);
    if (Math.abs(per) < 1e-12) return false;
    const t = cross(subtract(start, from), edge) / per;
    const u = cross(subtract(start, from), way) / per;
    return t >= 0 && t < 1 && u >= 0 && u <= 1;
  });
}

/** The two corners furthest apart in direction, and the nearest point of the outline. */
function raysTo({ corners }: Car, from: Point): Point[] {
  const turn = (a: Point, b: Point) => cross(subtract(a, from), subtract(b, from));
  const left = corners.reduce((best, each) => (turn(best, each) > 0 ? each : best));
  const right = corners.reduce((best, each) => (turn(best, each) < 0 ? each : best));
  const nearest = corners
    .map((start, i) => nearestOnSegment(from, start, at(corners, (i + 1) % 4)))
    .reduce((best, each) => (distance(each, from) < distance(best, from) ? each : best));
  return [left, right, nearest];
}

/** Whether a camera sees a car past all blocks and vehicles; undefined within `DOUBT_M`. */
function seesByBruteForce(
  cars: readonly Car[],
  own: number,
  other: number,
  walls: readonly (readonly Point[])[],
) {
  const { camera, heading } = at(cars, own);
  const rays = raysTo(at(cars, other), camera);
  const rangeM = distance(at(rays, 2), camera);
  const edges = rays.map((end) => {
    const [dx, dy] = subtract(end, camera);
    return (
      TANGENT * (dx * heading[0] + dy * heading[1]) - Math.abs(dy * heading[0] - dx * heading[1])
    );
  });
  if (Math.abs(rangeM - RANGE_M) < DOUBT_M || edges.some((edge) => Math.abs(edge) < DOUBT_M))
    return undefined;
  if (rangeM > RANGE_M || edges.every((edge) => edge < 0)) return false;
  const bodies = cars.filter((_, i) => i !== own && i !== other).map(({ corners }) => corners);
  const free = rays.filter(
    (end) => ![...walls, ...bodies].some((each) => crosses(each, camera, end)),
  );
  return free.length >= 2;
}

function wallsOf(city: City): (readonly Point[])[] {
  const blocks = [...city.blocks, ...bodyBlocksOf(city).map(({ block }) => block)];
  return blocks.filter(({ solid }) => solid).map(({ polygon }) => polygon);
}

/** Where actors are out, which hide cars too. */
function actorsOut(image: Uint8Array, spots: number): Point[] {
  const view = new DataView(image.buffer, HAZARDS);
  return Array.from({ length: spots }, (_, spot) => spot * HAZARD_BYTES)
    .filter((actor) => view.getInt32(actor + A_STATE, true) !== ACTOR_WAITS)
    .map(
      (actor): Point => [view.getFloat64(actor + A_X, true), view.getFloat64(actor + A_Y, true)],
    );
}

/** Of actors, of dusk and of fog: they are another test's. */
const isClear = (city: City, cars: readonly Car[], own: number, out: readonly Point[]) =>
  !out.some((actor) => distance(actor, at(cars, own).middle) < RANGE_M + 30) &&
  !city.zones.some(({ kind, polygon }) => {
    const isThick = kind === 'dusk' || kind === 'fog';
    const far = Math.min(...polygon.map((corner) => distance(corner, at(cars, own).middle)));
    return isThick && far < RANGE_M + 30;
  });

test.each([0, 1, 2])(
  '[C10] in city %d the camera agrees with rays against all blocks and bodies',
  (cityIndex) => {
    const kernel = makeKernel(1);
    const city = at(cities.cities, cityIndex);
    const walls = wallsOf(city);
    const counts = { seen: 0, hidden: 0 };
    for (let seed = 1; seed <= 8; seed++) {
      const slab = makeWorld(kernel, seed, cityIndex);
      for (let tick = 199; tick < 2000; tick += 200) {
        stepTo(kernel, slab, tick);
        const before = look(kernel, slab);
        kernel.step(slab, 1);
        const after = kernel.image(slab);
        const tracks = after.subarray(TRACKS);
        const out = actorsOut(after, city.hazards.length);
        const cars = Array.from({ length: CAR_COUNT }, (_, car) => carOf(before, car));
        for (let own = 0; own < CAR_COUNT; own++) {
          if (before.i32(C_STATUS, own) === STATUS_CRASHED || !isClear(city, cars, own, out))
            continue;
          if ((before.i32(C_EFFECTIVE, own) & F_FRONT_CAMERA) === 0) continue;
          for (let other = 0; other < CAR_COUNT; other++) {
            if (other === own) continue;
            const track = tracks[own * SENSOR_COUNT * OBJECT_MAX + other] ?? 0;
            const sees = track !== 0 && (track & MISSES) === 0;
            const should = seesByBruteForce(cars, own, other, walls);
            if (should === undefined || isOfLastLook(tick + 1, at(cars, own), own, cars, other))
              continue;
            const [dx, dy] = subtract(at(cars, other).middle, at(cars, own).middle);
            const [hx, hy] = at(cars, own).heading;
            const isLookedAt =
              Math.hypot(dx, dy) < ATTENTION_M || Math.abs(dy * hx - dx * hy) < STRAIGHT_M;
            if (sees || isLookedAt)
              expect([seed, tick, own, other, sees]).toEqual([seed, tick, own, other, should]);
            if (isLookedAt) counts[should ? 'seen' : 'hidden'] += 1;
          }
        }
      }
      kernel.release(slab);
    }
    expect(counts.seen).toBeGreaterThan(60);
    expect(counts.hidden).toBeGreaterThan(60);
  },
);
