import { describe, expect, it } from 'vitest';
import {
  C_ACCEL,
  C_CLAIM,
  C_GAP,
  C_LANE,
  C_LOAD_ACCEL,
  C_OFFSET,
  C_STATION,
  C_STATUS,
  C_STEER,
  C_TYPE,
  C_VX,
  C_VY,
  C_YAW_RATE,
  CAR_COUNT,
  F_ALL,
  F_BRAKES,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  F_STEERING,
  F_THROTTLE,
  SLAB_BYTES,
  SLAB_USED,
  STATUS_CRASHED,
} from '../../assembly/layout.ts';
import { at } from '../city/geometry.ts';
import { packCity } from '../citygen/tables/city-table.ts';
import {
  cars,
  cities,
  contactsUntil,
  look,
  makeKernel,
  makeKernelOf,
  makeOneWorld,
  makeWorld,
  recordsUntil,
  type SlabView,
  stepTo,
  wasmOf,
} from '../testing/rigs/kernel.ts';
import { CAR_TYPES, carTypesOf } from '../twin/fleet.ts';
import { kernelIdentity } from './identity.ts';
import type { Kernel } from './kernel.ts';

const MINUTE_TICKS = 3000;

describe('the binary', () => {
  it('imports nothing', () => {
    expect(WebAssembly.Module.imports(new WebAssembly.Module(wasmOf('release')))).toEqual([]);
  });

  it('fits its slab', () => {
    expect(SLAB_USED).toBeLessThanOrEqual(SLAB_BYTES);
    expect(SLAB_BYTES).toBeLessThanOrEqual(16 * 1024);
  });

  it('has an identity that any of its parts changes', () => {
    const wasm = wasmOf('release');
    const own = kernelIdentity(wasm, cities.tables, []);
    expect(own).toMatch(/^[0-9a-f]{32}$/);
    expect(kernelIdentity(wasm.slice(1), cities.tables, [])).not.toBe(own);
    expect(kernelIdentity(wasm, [], [])).not.toBe(own);
  });
});

describe('driving with everything on', () => {
  it('[W11] starts every car on its route at road speed', () => {
    const kernel = makeKernel(1);
    const view = look(kernel, makeWorld(kernel, 5));
    for (const car of cars) {
      const lane = view.i32(C_LANE, car);
      expect(cities.cities[0]?.routes[car]).toContain(lane);
      expect(cities.cities[0]?.lanes[lane]?.road).toBeGreaterThanOrEqual(0);
      expect(view.real(C_VX, car)).toBeGreaterThan(5);
      expect(view.real(C_OFFSET, car)).toBe(0);
    }
  });
});

describe('a world in which all routes are the same', () => {
  it('begins with every car on the route, none on top of another', () => {
    const city = at(cities.cities, 0);
    const route = at(city.routes, 0);
    const crowded = { ...city, routes: city.routes.map(() => route) };
    const kernel = makeKernelOf(packCity(crowded));
    for (let seed = 1; seed <= 50; seed++) {
      const slab = makeWorld(kernel, seed);
      const world = look(kernel, slab);
      const places = cars.map(
        (car) => [world.i32(C_LANE, car), world.real(C_STATION, car)] as const,
      );
      for (const [car, [lane, stationM]] of places.entries()) {
        expect(route).toContain(lane);
        for (const [otherLane, otherM] of places.slice(0, car)) {
          if (otherLane === lane) expect(Math.abs(otherM - stationM)).toBeGreaterThan(7);
        }
      }
      kernel.release(slab);
    }
  });
});

describe('features that are off', () => {
  /** A world in which every car has lost some features since tick 0. */
  function crippled(kernel: Kernel, features: number, seed = 21): number {
    const slab = makeWorld(kernel, seed);
    for (const car of cars) kernel.apply(slab, 0, car, features, 0);
    return slab;
  }

  /**
   * Most that slows a car nobody brakes, m/s²: rolling resistance, engine, air, and turned front
   * wheels that push back with all of a dry road's friction.
   */
  function coastingDrag(view: SlabView, car: number): number {
    const { massKg, lrM, wheelbaseM, heightM } = at(CAR_TYPES, view.i32(C_TYPE, car));
    const air = (0.4 * view.real(C_VX, car) ** 2) / massKg;
    const shifted = -Math.min(0, view.real(C_LOAD_ACCEL, car)) * heightM;
    const front = (0.95 * (9.81 * lrM + shifted)) / wheelbaseM;
    return 0.15 + 0.4 + air + front * Math.sin(Math.abs(view.real(C_STEER, car)));
  }

  /** Forward speed that turns into speed to the side as a car turns, m/s². */
  const lossBySliding = (view: SlabView, car: number) =>
    Math.abs(view.real(C_VY, car) * view.real(C_YAW_RATE, car));

  it('raises one event for each feature that changes, and none for one that does not', () => {
    const { kernel, slab } = makeOneWorld(1);
    kernel.apply(slab, 4, 3, F_BRAKES | F_THROTTLE, F_THROTTLE);
    kernel.apply(slab, 4, 3, F_BRAKES, 0);
    const events = kernel.events(slab);
    expect(events).toEqual([
      { seq: 1, tick: 4, kind: 2, car: 3, feature: 1, hazard: -1, arg: 0, other: -1 },
    ]);
    expect(kernel.declared(slab)[3]).toBe(F_ALL & ~F_BRAKES);
  });

  it('[C6] without brakes a car only coasts, and comes to harm', () => {
    const kernel = makeKernel(1);
    const slab = crippled(kernel, F_BRAKES);
    let before = look(kernel, slab);
    for (let tick = 1; tick <= 3 * MINUTE_TICKS; tick++) {
      kernel.step(slab, 1);
      const view = look(kernel, slab);
      for (const car of cars) {
        const speed = view.real(C_VX, car);
        if (view.i32(C_STATUS, car) === STATUS_CRASHED || speed === 0) continue;
        const sliding = Math.max(lossBySliding(before, car), lossBySliding(view, car));
        expect(view.real(C_ACCEL, car)).toBeGreaterThan(-coastingDrag(view, car) - sliding - 0.02);
      }
      before = view;
    }
    expect(kernel.contactCount(slab)).toBeGreaterThan(0);
  });

  it('[C6] without throttle a car rolls to a standstill', () => {
    const kernel = makeKernel(1);
    const slab = crippled(kernel, F_THROTTLE);
    const stood = new Set<number>();
    for (let tick = 50; tick <= MINUTE_TICKS; tick += 50) {
      stepTo(kernel, slab, tick);
      const view = look(kernel, slab);
      for (const car of cars) if (view.real(C_VX, car) === 0) stood.add(car);
    }
    expect(stood.size).toBe(CAR_COUNT);
  });

  it('without throttle a car before a junction soon gives way to the others', () => {
    const kernel = makeKernel(1);
    const lanes = cities.cities[0]?.lanes ?? [];
    let longest = 0;
    for (let seed = 0; seed < 3; seed++) {
      const slab = makeWorld(kernel, seed);
      stepTo(kernel, slab, 1000);
      for (const car of [1, 5, 9, 13]) kernel.apply(slab, 1001, car, F_THROTTLE, 0);
      const idleTicks = new Array(CAR_COUNT).fill(0);
      for (let tick = 1010; tick <= 10 * MINUTE_TICKS; tick += 10) {
        stepTo(kernel, slab, tick);
        const view = look(kernel, slab);
        for (const car of cars) {
          const claimed = lanes[view.i32(C_CLAIM, car)]?.connector;
          const before = claimed?.from === view.i32(C_LANE, car);
          const idle = before && view.real(C_VX, car) === 0;
          idleTicks[car] = idle ? idleTicks[car] + 10 : 0;
          longest = Math.max(longest, idleTicks[car]);
        }
      }
      kernel.release(slab);
    }
    expect(longest).toBeGreaterThan(480);
    expect(longest).toBeLessThanOrEqual(520);
  });

  it('starts over at a later tick with the features that were declared', () => {
    const kernel = makeKernel(1);
    const slab = kernel.acquire() ?? 0;
    const masks = cars.map((car) => F_ALL & ~car);
    kernel.create(slab, { cityIndex: 0, seed: 3, carTypes: carTypesOf(3), tick: 5000, masks });
    expect(kernel.tick(slab)).toBe(5000);
    expect([...kernel.declared(slab)]).toEqual(masks);
    stepTo(kernel, slab, 6000);
    expect(kernel.pack(slab)[0]).toBe(6000);
  });

  it('is the same world, by its hash too, wherever its city stands among the tables', () => {
    const [many, one] = [makeKernel(1), makeKernelOf(cities.tables[1] ?? new ArrayBuffer(0))];
    const [there, here] = [makeWorld(many, 9, 1), one.acquire() ?? 0];
    one.create(here, { cityIndex: 0, seed: 9, carTypes: carTypesOf(9) });
    stepTo(many, there, 1000);
    stepTo(one, here, 1000);
    expect(one.hash(here)).toBe(many.hash(there));
    one.restore(here, many.image(there), 0);
    stepTo(many, there, 2000);
    stepTo(one, here, 2000);
    expect(one.hash(here)).toBe(many.hash(there));
    expect(many.image(there)).not.toEqual(one.image(here));
  });

  it('[C6] without steering a car holds its wheel angle and leaves its lane', () => {
    const { kernel, slab } = makeOneWorld(21);
    stepTo(kernel, slab, 700);
    for (const car of cars) kernel.apply(slab, 701, car, F_STEERING, 0);
    const angles = cars.map((car) => look(kernel, slab).real(C_STEER, car));
    const contacts = contactsUntil(kernel, slab, 700 + 400);
    const view = look(kernel, slab);
    for (const car of cars) expect(view.real(C_STEER, car)).toBe(angles[car]);
    expect(
      contacts.length + cars.filter((car) => Math.abs(view.real(C_OFFSET, car)) > 3).length,
    ).toBeGreaterThan(0);
  });

  it('[C7] without front sensors a car measures no gap; with one of them it does', () => {
    const kernel = makeKernel(2);
    const blind = crippled(kernel, F_FRONT_CAMERA | F_FRONT_RADAR, 5);
    const radar = crippled(kernel, F_FRONT_CAMERA, 5);
    let measured = 0;
    for (let tick = 1; tick <= 1000; tick++) {
      kernel.step(blind, 1);
      kernel.step(radar, 1);
      const [without, with1] = [look(kernel, blind), look(kernel, radar)];
      for (const car of cars) {
        expect(without.real(C_GAP, car)).toBe(-1);
        if (with1.real(C_GAP, car) >= 0) measured++;
      }
    }
    expect(measured).toBeGreaterThan(1000);
  });

  it('describes a contact by what both cars were doing, and clears the wrecks', () => {
    const kernel = makeKernel(1);
    const slab = crippled(kernel, F_BRAKES);
    const contacts = contactsUntil(kernel, slab, 10 * MINUTE_TICKS);
    const first = contacts.find(({ kind }) => kind === 0);
    expect(first).toBeDefined();
    const [a, b] = first?.parties ?? [];
    expect(first?.closingMps).toBeGreaterThan(0);
    expect(first?.energyJ).toBeGreaterThan(0);
    const [momentumA, momentumB] = [a, b].map(
      (each) => (each?.massKg ?? 0) * (each?.deltaVMps ?? 0),
    );
    expect(momentumA).toBeGreaterThan(0);
    expect(momentumA).toBeCloseTo(momentumB ?? 0, 8);
    expect(a?.declared).toBe(F_ALL & ~F_BRAKES);
    const wrecked = new Set(contacts.flatMap(({ parties }) => parties.map(({ car }) => car)));
    for (const car of cars) kernel.apply(slab, kernel.tick(slab) + 1, car, F_BRAKES, F_BRAKES);
    stepTo(kernel, slab, 16 * MINUTE_TICKS);
    const view = look(kernel, slab);
    expect(wrecked.size).toBeGreaterThan(1);
    for (const car of cars) expect(view.i32(C_STATUS, car)).not.toBe(STATUS_CRASHED);
  });

  it('numbers the records of a world without gaps', () => {
    const kernel = makeKernel(1);
    const slab = crippled(kernel, F_BRAKES | F_STEERING);
    const records = recordsUntil(kernel, slab, 20 * MINUTE_TICKS);
    expect(records.length).toBe(kernel.contactCount(slab));
    expect(records.some((record) => 'crashPulse' in record)).toBe(true);
    const places = records.map(({ tick, order }) => tick * 100 + order);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(new Set(places).size).toBe(places.length);
  });
});
