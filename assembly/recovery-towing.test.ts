import { describe, expect, it } from 'vitest';
import { at, lengthOf } from '../src/city/geometry.ts';
import type { Lane } from '../src/city/types.ts';
import { Crossing } from '../src/testing/rigs/crossing.ts';
import { cars, cities, makeOneWorld } from '../src/testing/rigs/kernel.ts';
import { poseAlong } from '../src/testing/rigs/paths.ts';
import {
  C_CLAIM,
  C_LANE,
  C_ROUTE_INDEX,
  C_STATION,
  C_VX,
  C_X,
  C_Y,
  CAR_COUNT,
  F_THROTTLE,
  TICKS_PER_S,
} from './layout.ts';

/** Steps a world with features off; returns the longest standstill and the number of tows. */
function watchStanding(seed: number, off: (car: number) => number, seconds: number) {
  const { kernel, slab } = makeOneWorld(seed, seed % cities.cities.length);
  for (const car of cars) kernel.apply(slab, 0, car, off(car), 0);
  const { f64 } = kernel.view(slab);
  const of = (array: number, car: number) => f64[array / 8 + car] ?? Number.NaN;
  const since = cars.map(() => 0);
  const places = cars.map((car) => [of(C_X, car), of(C_Y, car)] as const);
  const seen = { longestS: 0, tows: 0, movingShare: 0 };
  for (let tick = 1; tick <= seconds * TICKS_PER_S; tick++) {
    kernel.step(slab, 1);
    for (const car of cars) {
      const [x, y] = [of(C_X, car), of(C_Y, car)];
      const [fromX, fromY] = at(places, car);
      // A wreck respawns at rest.
      if (Math.hypot(x - fromX, y - fromY) > 3 && of(C_VX, car) > 0) seen.tows++;
      places[car] = [x, y];
      if (of(C_VX, car) > 0.5) seen.movingShare += 1 / (seconds * TICKS_PER_S * CAR_COUNT);
      if (of(C_VX, car) > 0.1) since[car] = tick;
      seen.longestS = Math.max(seen.longestS, (tick - at(since, car)) / TICKS_PER_S);
    }
  }
  return { ...seen, contacts: kernel.contactCount(slab) };
}

/** Stands a car at a station of a lane through the junction. */
function stand(crossing: Crossing, car: number, lane: Lane, stationM: number): void {
  const index = crossing.city.lanes.indexOf(lane);
  crossing.edit((world) => {
    for (const array of [C_LANE, C_CLAIM]) world.setI32(array, car, index);
    world.setI32(C_ROUTE_INDEX, car, 1);
    world.setF64(C_STATION, car, stationM);
    world.placeCar(car, poseAlong(lane.polyline, stationM));
  });
}

describe('a car that does not get going', () => {
  it('[C25] is towed after a hundred seconds and rolls on: a world without throttles keeps moving', () => {
    for (const seed of [1, 2]) {
      const seen = watchStanding(seed, () => F_THROTTLE, 400);
      expect(seen.longestS).toBeGreaterThan(100);
      // A queued car counts its own time only once the car ahead has been towed.
      expect(seen.longestS).toBeLessThan(250);
      expect(seen.movingShare).toBeGreaterThan(0.12);
      expect(seen.tows).toBeGreaterThan(20);
    }
  });

  it('does not delay the other cars for long', () => {
    const seen = watchStanding(3, (car) => (car === 4 ? F_THROTTLE : 0), 400);
    expect(seen.tows).toBeGreaterThan(1);
    expect(seen.longestS).toBeLessThan(150);
  });

  it('is towed also if two cars block each other, held by their own brakes', () => {
    const world = new Crossing({
      control: 'none',
      row: 'collector',
      column: 'collector',
      cars: {
        0: { from: 'east', turn: 'straight', distanceM: 1, speedMps: 0 },
        1: { from: 'north', turn: 'left', distanceM: 1, speedMps: 0 },
      },
    });
    const left = world.connector('north', 'left');
    stand(world, 0, world.connector('east', 'straight'), 5);
    stand(world, 1, left, 0.4 * lengthOf(left.polyline));
    const { f64 } = world.kernel.view(world.slab);
    const places = () => [0, 1].map((car) => [f64[C_X / 8 + car] ?? 0, f64[C_Y / 8 + car] ?? 0]);
    const from = places();
    const movedM = () =>
      places().map(([x = 0, y = 0], car) => {
        const [fromX = 0, fromY = 0] = at(from, car);
        return Math.hypot(x - fromX, y - fromY);
      });
    world.step(95 * TICKS_PER_S);
    expect(Math.max(...movedM())).toBeLessThan(3);
    world.step(60 * TICKS_PER_S);
    expect(Math.max(...movedM())).toBeGreaterThan(50);
    expect(world.contactCount).toBe(0);
  });

  it('does not occur with all features on', () => {
    expect(watchStanding(4, () => 0, 300).tows).toBe(0);
  });
});
