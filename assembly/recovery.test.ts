import { describe, expect, it } from 'vitest';
import { at, lengthOf } from '../src/city/geometry.ts';
import {
  cars,
  cities,
  contactsUntil,
  look,
  makeKernel,
  makeOneWorld,
  makeWorld,
  type SlabView,
  stepTo,
} from '../src/testing/rigs/kernel.ts';
import { poseAlong } from '../src/testing/rigs/paths.ts';
import { loadProbe } from '../src/testing/rigs/probe.ts';
import { edit, type Pose, type SlabEditor } from '../src/testing/rigs/slab-editor.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import {
  A_SINCE,
  A_STRUCK,
  C_CONTACT_TICK,
  C_DRIVE,
  C_EVADE_FROM,
  C_EVADE_OFFSET,
  C_EVADE_S,
  C_EVADE_TICK,
  C_HALT_TICK,
  C_HX,
  C_HY,
  C_LANE,
  C_NEAR,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_STATION,
  C_STATUS,
  C_TYPE,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  F_BRAKES,
  F_STEERING,
  F_THROTTLE,
  HAZARDS,
  STATUS_CRASHED,
  STATUS_DRIVING,
} from './layout.ts';

const probe = loadProbe();
const city = at(cities.cities, 0);

/** Station of the respawn place on the first lane of a route. */
const START_STATION_M = 12;

/** On the first lane of car 0's route, continued straight backwards, so far to the left of it. */
function besideStart(stationM: number, leftM: number): Pose {
  const { x, y, hx, hy } = poseAlong(at(city.lanes, at(at(city.routes, 0), 0)).polyline, 0);
  return { x: x + stationM * hx - leftM * hy, y: y + stationM * hy + leftM * hx, hx, hy };
}

const speedOf = (view: SlabView, car: number) =>
  Math.hypot(view.f64(C_VX, car), view.f64(C_VY, car));

/** A wreck that is now standing on its lane again. */
function hasReturned(before: SlabView, now: SlabView, car: number): boolean {
  return before.i32(C_STATUS, car) === STATUS_CRASHED && now.i32(C_STATUS, car) !== STATUS_CRASHED;
}

/** Overlap of a car's body, that much longer and wider all around, with another's. */
function overlapOf(view: SlabView, car: number, other: number, aroundM: number): number {
  for (const [box, index, more] of [
    ['firstBox', car, aroundM],
    ['secondBox', other, 0],
  ] as const) {
    const { lengthM, widthM, centreM } = at(CAR_TYPES, view.i32(C_TYPE, index));
    const [hx, hy] = [view.f64(C_HX, index), view.f64(C_HY, index)];
    const [x, y] = [view.f64(C_X, index) + centreM * hx, view.f64(C_Y, index) + centreM * hy];
    probe[box](x, y, hx, hy, lengthM / 2 + more, widthM / 2 + more);
  }
  return probe.boxOverlap();
}

/** Metres from a car along its own route to a place on a lane, or undefined if it does not lead there. */
function distanceTo(view: SlabView, car: number, lane: number, station: number) {
  const route = at(city.routes, car);
  let base = -view.f64(C_STATION, car);
  for (let ahead = 0; base < 60; ahead++) {
    const next = at(route, (view.i32(C_ROUTE_INDEX, car) + ahead) % route.length);
    if (next === lane && base + station > 0) return base + station;
    base += lengthOf(at(city.lanes, next).polyline);
  }
  return undefined;
}

describe('a cleared car', () => {
  it('[C24] respawns on its route where the lane is free and approaching cars can stop', () => {
    const kernel = makeKernel(1);
    let [returns, starts, approached] = [0, 0, 0];
    for (let seed = 30; seed < 34; seed++) {
      const slab = makeWorld(kernel, seed);
      for (const car of cars) kernel.apply(slab, 0, car, car % 3 ? 0 : F_BRAKES | F_STEERING, 0);
      let before = look(kernel, slab);
      for (let tick = 1; tick <= 12_000; tick++) {
        kernel.step(slab, 1);
        const now = look(kernel, slab);
        for (const car of cars) {
          if (!hasReturned(before, now, car)) continue;
          returns++;
          if (now.i32(C_ROUTE_INDEX, car) === 0) starts++;
          expect([now.f64(C_VX, car), now.f64(C_VY, car), now.f64(C_YAW_RATE, car)]).toEqual([
            0, 0, 0,
          ]);
          expect(now.i32(C_LANE, car)).toBe(at(at(city.routes, car), now.i32(C_ROUTE_INDEX, car)));
          for (const other of cars) {
            if (other === car) continue;
            expect(overlapOf(now, car, other, 0.5)).toBeLessThan(0);
            if (Math.abs(now.f64(C_OFFSET, other)) > 1.5) continue;
            const lane = now.i32(C_LANE, car);
            const distance = distanceTo(now, other, lane, now.f64(C_STATION, car));
            if (distance === undefined || now.i32(C_STATUS, other) === STATUS_CRASHED) continue;
            approached++;
            const gap = distance - 5;
            expect(gap).toBeGreaterThan(speedOf(now, other) ** 2 / (2 * 3.5));
          }
        }
        before = now;
      }
      kernel.release(slab);
    }
    expect(returns).toBeGreaterThan(10);
    expect(starts).toBeGreaterThan(returns / 2);
    expect(approached).toBeGreaterThan(0);
  });

  it('[C24] stands as a wreck for 10 to 20 s before it is cleared', () => {
    const { kernel, slab } = makeOneWorld(3);
    for (const car of cars) kernel.apply(slab, 0, car, F_STEERING, 0);
    const waits: number[] = [];
    let before = look(kernel, slab);
    for (let tick = 1; tick <= 8000; tick++) {
      kernel.step(slab, 1);
      const now = look(kernel, slab);
      for (const car of cars) {
        if (!hasReturned(before, now, car)) continue;
        waits.push(tick - before.i32(C_HALT_TICK, car));
        expect(speedOf(before, car)).toBeLessThan(0.1);
      }
      before = now;
    }
    expect(waits.length).toBeGreaterThan(3);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(500);
    // Most cars find room at once; the others try again.
    expect(waits.toSorted((a, b) => a - b)[waits.length >> 1]).toBeLessThanOrEqual(1000);
  });

  /** A wreck stands there, heading the same way and `asideM` to the left, from tick 600 on. */
  function blockStart(world: SlabEditor, car: number, asideM: number): void {
    wreck(world, car, 600);
    world.placeCar(car, besideStart(START_STATION_M, asideM));
  }

  function wreck(world: SlabEditor, car: number, sinceTick: number): void {
    world.setI32(C_STATUS, car, STATUS_CRASHED);
    world.setI32(C_HALT_TICK, car, sinceTick);
    world.stopCar(car);
  }

  /** A world at tick 600, where one car is a wreck that asks for its place from tick 651 on. */
  function cleared(change: (world: SlabEditor) => void, lost = 0) {
    const { kernel, slab } = makeOneWorld(5);
    stepTo(kernel, slab, 600);
    edit(kernel, slab, (world) => {
      for (const car of cars) {
        // All other cars are far away, stand, and have just become wrecks.
        wreck(world, car, car === lost ? 51 : 600);
        world.setF64(C_X, car, 6000 + 100 * car);
        world.setI32(C_CONTACT_TICK, car, 1);
      }
      change(world);
    });
    const isBack = () => look(kernel, slab).i32(C_STATUS, lost) !== STATUS_CRASHED;
    return { kernel, slab, isBack };
  }

  it('waits while a car stands at the start, and then respawns on a lane further on', () => {
    const { kernel, slab, isBack } = cleared((world) => blockStart(world, 1, 0));
    stepTo(kernel, slab, 651);
    expect(isBack()).toBe(false);
    stepTo(kernel, slab, 1150);
    expect(isBack()).toBe(true);
    const view = look(kernel, slab);
    expect(view.i32(C_STATUS, 1)).toBe(STATUS_CRASHED);
    expect(view.i32(C_ROUTE_INDEX, 0)).toBeGreaterThan(0);
    expect(view.i32(C_CONTACT_TICK, 0)).toBe(0);
  });

  it('has its mask of near cars from its first tick on', () => {
    const { kernel, slab, isBack } = cleared((world) => blockStart(world, 1, 3.2));
    stepTo(kernel, slab, 650);
    expect(isBack()).toBe(false);
    expect(look(kernel, slab).i32(C_NEAR, 0) & 2).toBe(0);
    kernel.step(slab, 1);
    expect(isBack()).toBe(true);
    expect(look(kernel, slab).i32(C_NEAR, 0) & 2).toBe(2);
  });

  it.each([
    [15, false],
    [0, true],
  ])('yields to a car that approaches at %d m/s from the junction behind', (speed, returns) => {
    const passing = (start: number) =>
      cars.findIndex((car) => at(city.routes, car).indexOf(start) > 0);
    const lost = cars.findIndex((car) => passing(at(at(city.routes, car), 0)) >= 0);
    const start = at(at(city.routes, lost), 0);
    const other = passing(start);
    const route = at(city.routes, other);
    const index = route.indexOf(start) - 1;
    const { polyline } = at(city.lanes, at(route, index));
    const { kernel, slab, isBack } = cleared(() => {}, lost);
    stepTo(kernel, slab, 650);
    edit(kernel, slab, (world) => {
      world.setI32(C_STATUS, other, STATUS_DRIVING);
      world.setI32(C_HALT_TICK, other, 0);
      world.setI32(C_ROUTE_INDEX, other, index);
      world.setI32(C_LANE, other, at(route, index));
      world.setF64(C_STATION, other, 0);
      world.setF64(C_OFFSET, other, 0);
      world.placeCar(other, poseAlong(polyline, 0));
      world.setF64(C_VX, other, speed);
    });
    kernel.step(slab, 1);
    expect(isBack()).toBe(returns);
  });

  /** A struck actor stands or slides on the lane towards the start of car 0's route. */
  function actorBefore(world: SlabEditor, distanceM: number, speedMps: number): void {
    world.placeActor(0, besideStart(START_STATION_M - distanceM, 0), speedMps);
    world.setI32(HAZARDS + A_STRUCK, 0, 1);
    world.setI32(HAZARDS + A_SINCE, 0, 640);
  }

  // After 1 s at 14 m/s and a stop at 3.5 m/s², 14 m + 28 m; at 3 m/s 4.3 m.
  it.each([
    ['stands there', 0, 0, false],
    ['comes at 14 m/s from 40 m away', 40, 14, false],
    ['comes at 3 m/s from 40 m away', 40, 3, true],
    ['stands 40 m away', 40, 0, true],
  ])('respawns only with room to an actor that %s', (_, distanceM, speedMps, returns) => {
    const { kernel, slab, isBack } = cleared(() => {});
    stepTo(kernel, slab, 650);
    edit(kernel, slab, (world) => actorBefore(world, distanceM, speedMps));
    kernel.step(slab, 1);
    expect(isBack()).toBe(returns);
  });

  it('is cleared at the same tick after a second hit', () => {
    const { kernel, slab } = cleared((world) => {
      wreck(world, 0, 500);
      world.placeCar(0, { x: 6000, y: 0, hx: 1, hy: 0 });
      world.placeCar(1, { x: 6000 - 6, y: 0, hx: 1, hy: 0 });
      world.setF64(C_VX, 1, 6);
      world.setI32(C_STATUS, 1, STATUS_DRIVING);
    });
    expect(contactsUntil(kernel, slab, 640)).toHaveLength(1);
    expect(look(kernel, slab).i32(C_HALT_TICK, 0)).toBe(500);
    expect(look(kernel, slab).i32(C_HALT_TICK, 1)).toBeGreaterThan(600);
  });

  it('may be a car that stands beside its lane and cannot drive back', () => {
    const { kernel, slab } = makeOneWorld(5);
    stepTo(kernel, slab, 600);
    kernel.apply(slab, 601, 0, F_THROTTLE, 0);
    edit(kernel, slab, (world) => {
      world.setF64(C_X, 0, world.f64(C_X, 0) - 1.4 * world.f64(C_HY, 0));
      world.setF64(C_Y, 0, world.f64(C_Y, 0) + 1.4 * world.f64(C_HX, 0));
      world.stopCar(0);
      world.setF64(C_DRIVE, 0, 0);
    });
    stepTo(kernel, slab, 1150);
    expect(Math.abs(look(kernel, slab).f64(C_OFFSET, 0))).toBeGreaterThan(1.2);
    stepTo(kernel, slab, 3000);
    expect(Math.abs(look(kernel, slab).f64(C_OFFSET, 0))).toBeLessThan(0.1);
  });
});

describe('a car that evades an object', () => {
  it('does not count as lost while it waits beside its lane, and returns to the lane', () => {
    const { kernel, slab } = makeOneWorld(5);
    stepTo(kernel, slab, 600);
    const put = (world: SlabEditor, car: number, stationM: number, leftM: number) => {
      world.placeCar(car, besideStart(stationM, leftM));
      world.stopCar(car);
    };
    edit(kernel, slab, (world) => {
      for (const car of cars.slice(1)) {
        put(world, car, 0, 0);
        world.setF64(C_X, car, 6000 + 100 * car);
        world.setI32(C_STATUS, car, STATUS_CRASHED);
        // No wreck is cleared before tick 1200.
        world.setI32(C_HALT_TICK, car, 600);
        world.setI32(C_CONTACT_TICK, car, 1);
      }
      put(world, 0, 12, 1.4);
      world.setI32(C_ROUTE_INDEX, 0, 0);
      world.setI32(C_LANE, 0, at(at(city.routes, 0), 0));
      world.setF64(C_STATION, 0, 12);
      world.setF64(C_OFFSET, 0, 1.4);
      world.setF64(C_EVADE_FROM, 0, 0);
      world.setF64(C_EVADE_OFFSET, 0, 1.4);
      world.setF64(C_EVADE_S, 0, 1);
      world.setI32(C_EVADE_TICK, 0, 500);
      put(world, 1, 12 + 6.5, 0);
    });
    let furthest = 0;
    for (let tick = 601; tick <= 2400; tick++) {
      const before = look(kernel, slab);
      kernel.step(slab, 1);
      const now = look(kernel, slab);
      furthest = Math.max(
        furthest,
        Math.hypot(now.f64(C_X, 0) - before.f64(C_X, 0), now.f64(C_Y, 0) - before.f64(C_Y, 0)),
      );
      if (tick === 1190) {
        expect(now.f64(C_VX, 0)).toBeLessThan(0.1);
        expect(now.f64(C_STATION, 0)).toBeLessThan(15);
        expect(now.i32(C_HALT_TICK, 0)).toBe(0);
      }
    }
    // Driven all the way: 15 m/s is 0.3 m a tick.
    expect(furthest).toBeLessThan(0.4);
    const now = look(kernel, slab);
    expect(now.i32(C_EVADE_TICK, 0)).toBe(0);
    expect(now.f64(C_VX, 0)).toBeGreaterThan(3);
    expect(Math.abs(now.f64(C_OFFSET, 0))).toBeLessThan(0.3);
  });
});
