import { describe, expect, it } from 'vitest';
import { at, lengthOf } from '../src/city/geometry.ts';
import type { City, HazardSpot } from '../src/city/types.ts';
import type { Kernel } from '../src/kernel/kernel.ts';
import { realOf } from '../src/kernel/slab-arrays.ts';
import { cars, cities, makeOneWorld } from '../src/testing/rigs/kernel.ts';
import { poseAlong } from '../src/testing/rigs/paths.ts';
import { edit } from '../src/testing/rigs/slab-editor.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import {
  C_BRAKE,
  C_DRIVE,
  C_GAP,
  C_LANE,
  C_ROUTE_INDEX,
  C_SLOPE,
  C_STATION,
  C_TYPE,
  C_VX,
  F_BRAKES,
  F_THROTTLE,
} from './layout.ts';

/** A spot of a kind, with its city. */
function spotOf(kind: HazardSpot['kind']): { city: City; cityIndex: number; spot: HazardSpot } {
  for (const [cityIndex, city] of cities.cities.entries()) {
    const spot = city.hazards.find((each) => each.kind === kind);
    const lane = spot && at(spot.site.lanes, 0);
    if (spot && city.routes.some((route) => route.includes(lane ?? -1)))
      return { city, cityIndex, spot };
  }
  throw new RangeError(`no spot is a ${kind}`);
}

describe('on a slope', () => {
  const { city, cityIndex, spot } = spotOf('downhill_stop');
  const lane = at(spot.site.lanes, 0);
  const { polyline } = at(city.lanes, lane);
  const lengthM = lengthOf(polyline);

  /** A world in which one car stands so far before the end of the lane that leads downhill. */
  function standing(
    off: number,
    beforeEndM: number,
  ): { kernel: Kernel; slab: number; car: number } {
    const { kernel, slab } = makeOneWorld(5, cityIndex);
    const car = city.routes.findIndex((route) => route.includes(lane));
    kernel.apply(slab, 0, car, off, 0);
    const stationM = lengthM - beforeEndM;
    edit(kernel, slab, (world) => {
      // No other car is near.
      for (const other of cars) {
        if (other !== car && world.i32(C_LANE, other) === lane) world.setReal(C_VX, other, 0);
      }
      world.setI32(C_LANE, car, lane);
      world.setI32(C_ROUTE_INDEX, car, at(city.routes, car).indexOf(lane));
      world.setReal(C_STATION, car, stationM);
      world.placeCar(car, poseAlong(polyline, stationM));
      world.setReal(C_VX, car, 0);
      world.setReal(C_DRIVE, car, 0);
      world.setReal(C_BRAKE, car, 0.15);
    });
    return { kernel, slab, car };
  }

  it('gravity drives a car with 0.06 g, against rolling resistance alone without brakes', () => {
    const { kernel, slab, car } = standing(F_BRAKES | F_THROTTLE, 30);
    const world = kernel.view(slab);
    kernel.step(slab, 8);
    expect(realOf(world, C_SLOPE, car)).toBeCloseTo(0.06 * 9.81, 6);
    // 0.589 − 0.15 m/s², of which the engine takes more and more: after 1 s 0.4 m/s.
    kernel.step(slab, 50);
    expect(realOf(world, C_VX, car)).toBeGreaterThan(0.3);
    expect(realOf(world, C_VX, car)).toBeLessThan(0.46);
    kernel.step(slab, 350);
    expect(realOf(world, C_VX, car)).toBeGreaterThan(0.8);
  });

  it('a car stops at its stop line as on a level road', () => {
    const { kernel, slab, car } = standing(0, 25);
    const world = kernel.view(slab);
    const { i32 } = world;
    const { lengthM: bodyM, centreM } = at(CAR_TYPES, i32[C_TYPE / 4 + car] ?? 0);
    const leftM = () => lengthM - realOf(world, C_STATION, car) - centreM - bodyM / 2;
    let fastest = 0;
    const stands = () => {
      const speed = realOf(world, C_VX, car);
      fastest = Math.max(fastest, speed);
      const gapM = realOf(world, C_GAP, car);
      return fastest > 2 && speed < 0.3 && (gapM < 0 || gapM > leftM());
    };
    for (let tick = 0; tick < 1000 && !stands(); tick++) kernel.step(slab, 1);
    expect(leftM()).toBeGreaterThan(0.5);
    expect(leftM()).toBeLessThan(2);
  });

  it('elsewhere the road is level', () => {
    const { kernel, slab } = makeOneWorld(6, cityIndex);
    const world = kernel.view(slab);
    const { i32 } = world;
    const sloped = new Set(
      city.hazards.filter(({ site }) => site.grade !== 0).flatMap(({ site }) => site.lanes),
    );
    const isOnSlope = (car: number) => sloped.has(i32[C_LANE / 4 + car] ?? -1);
    for (let tick = 0; tick < 1000; tick += 10) {
      // A slope is felt until the next look, up to four ticks later.
      const were = cars.map(isOnSlope);
      kernel.step(slab, 10);
      for (const car of cars.filter((each) => !were[each] && !isOnSlope(each))) {
        expect(realOf(world, C_SLOPE, car)).toBe(0);
      }
    }
  });
});
