import { describe, expect, it } from 'vitest';
import { at, distance, lengthOf } from '../../src/city/geometry.ts';
import type { Lane, Point } from '../../src/city/types.ts';
import type { Kernel, Slab } from '../../src/kernel/kernel.ts';
import { Crossing } from '../../src/testing/rigs/crossing.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import {
  cars,
  cities,
  contactsUntil,
  look,
  makeKernel,
  makeOneWorld,
  makeWorldBackOn,
  SlabView,
  stepTo,
} from '../../src/testing/rigs/kernel.ts';
import { poseAlong } from '../../src/testing/rigs/paths.ts';
import { edit, type Pose, type SlabEditor } from '../../src/testing/rigs/slab-editor.ts';
import { randomMasks } from '../../src/testing/rigs/told-and-found.ts';
import { Vanishing } from '../../src/testing/rigs/vanishing.ts';
import { carTypesOf } from '../../src/twin/fleet.ts';
import {
  C_CLAIM,
  C_CONTACT_TICK,
  C_DECLARED,
  C_EVADE_FROM,
  C_EVADE_OFFSET,
  C_EVADE_S,
  C_EVADE_TICK,
  C_HALT_TICK,
  C_LANE,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_STATION,
  C_STATUS,
  C_TOW,
  C_TOW_TICK,
  C_VX,
  C_X,
  C_Y,
  EVENT_TOWED,
  EVENT_WAITS,
  F_ALL,
  F_BRAKES,
  F_FRONT_RADAR,
  F_STEERING,
  F_THROTTLE,
  FRAME_TICKS,
  O_CARS,
  OC_STATUS,
  OC_STRIDE,
  STATUS_CRASHED,
  STATUS_STOPPED,
  T_ROADSIDE_COUNT,
  TICKS_PER_S,
  TOW_ASIDE,
  TOW_BACK,
  TOW_NONE,
  TOW_PARKED,
  TOW_PULLS_OUT,
} from '../layout.ts';

const city = at(cities.cities, 0);
const MINUTE = 60 * TICKS_PER_S;

/** On the first lane of car 0's route, continued straight backwards, so far to the left of it. */
function besideStart(stationM: number, leftM: number): Pose {
  const { x, y, hx, hy } = poseAlong(at(city.lanes, at(at(city.routes, 0), 0)).polyline, 0);
  return { x: x + stationM * hx - leftM * hy, y: y + stationM * hy + leftM * hx, hx, hy };
}

/** A world with features of some cars off; calls `watch` after each frame. */
function live(
  { cityIndex = 0, seed = 1, minutes = 5, off = (_car: number) => 0 },
  watch: (view: SlabView, kernel: Kernel, slab: Slab) => void,
): void {
  const kernel = makeKernel(1);
  const slab = kernel.acquire() ?? 0;
  const masks = cars.map((car) => F_ALL & ~off(car));
  kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed), masks });
  const view = new SlabView(kernel.view(slab));
  for (let tick = 0; tick < minutes * MINUTE; tick = kernel.tick(slab)) {
    kernel.step(slab, FRAME_TICKS - (tick % FRAME_TICKS));
    if (kernel.tick(slab) % FRAME_TICKS === 0) watch(view, kernel, slab);
  }
}

const towOf = (view: SlabView, car: number) => view.i32(C_TOW, car) & 0xff;

describe('a car that is out of the traffic', () => {
  it('[C24] disappears and appears only where no car of the traffic sees it, and an event tells it', () => {
    const totals = { moves: 0, seen: 0, told: 0 };
    for (const [cityIndex, { routes }] of cities.cities.entries()) {
      const vanishing = new Vanishing(at(cities.cities, cityIndex));
      const counts = new Map<number, number>();
      const off = (car: number) => (car % 2 === 0 ? F_BRAKES : F_STEERING);
      live({ cityIndex, seed: 30 + cityIndex, off }, (view, kernel, slab) => {
        for (const move of vanishing.read(view)) {
          totals.moves++;
          if (move.isSeen) totals.seen++;
          expect(routes[move.car]).toContain(view.i32(C_LANE, move.car));
        }
        for (const { kind, seq, arg } of kernel.events(slab)) {
          if (kind === EVENT_TOWED) counts.set(seq, 1 + (arg >>> 16));
        }
      });
      totals.told += [...counts.values()].reduce((sum, count) => sum + count, 0);
    }
    expect(totals.moves).toBeGreaterThan(50);
    expect(totals.told).toBe(totals.moves);
    expect(totals.seen).toBe(0);
  });

  it('[C24] lies for 12 s, is pulled out of the way, and pulls out elsewhere into a free lane', () => {
    const waits: number[] = [];
    const seen = new Set<number>();
    let returned = 0;
    const halts = new Map<number, number>();
    live({ seed: 3, minutes: 8, off: (car) => (car < 4 ? F_BRAKES : 0) }, (view) => {
      for (const car of cars) {
        const tow = towOf(view, car);
        seen.add(tow);
        const isOut = view.i32(C_STATUS, car) === STATUS_CRASHED;
        if (isOut && tow === TOW_NONE) halts.set(car, view.i32(C_HALT_TICK, car));
        if (tow === TOW_BACK) {
          const halt = halts.get(car);
          if (halt !== undefined) waits.push(view.i32(C_TOW_TICK, car) - halt);
          halts.delete(car);
        }
        if (tow === TOW_PARKED) expect(Math.abs(view.real(C_OFFSET, car))).toBeGreaterThan(1.5);
        if (tow === TOW_PULLS_OUT) returned++;
      }
    });
    expect([...seen].toSorted()).toEqual([0, 1, 2, 3, 4]);
    expect(returned).toBeGreaterThan(0);
    expect(waits.length).toBeGreaterThan(3);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(12 * TICKS_PER_S);
  });

  it('[C26] waits with status stopped after two crashes alike, until its feature is on or a minute has passed', () => {
    const kernel = makeKernel(1);
    const slab = kernel.acquire() ?? 0;
    const masks = cars.map(() => F_ALL & ~F_BRAKES);
    kernel.create(slab, { cityIndex: 0, seed: 8, carTypes: carTypesOf(8), masks });
    const waiting = () => {
      const last = kernel.events(slab).findLast(({ kind }) => kind === EVENT_WAITS);
      return last?.car ?? -1;
    };
    while (waiting() < 0 && kernel.tick(slab) < 20 * MINUTE) kernel.step(slab, FRAME_TICKS);
    const car = waiting();
    const view = look(kernel, slab);
    expect(towOf(view, car)).toBe(TOW_BACK);
    const status = () => kernel.pack(slab)[O_CARS + car * OC_STRIDE + OC_STATUS];
    expect(status()).toBe(STATUS_STOPPED);
    const image = kernel.image(slab);
    const sinceTick = view.i32(C_TOW_TICK, car);
    stepTo(kernel, slab, sinceTick + 59 * TICKS_PER_S);
    expect(towOf(look(kernel, slab), car)).toBe(TOW_BACK);
    const goesBy = sinceTick + 180 * TICKS_PER_S;
    while (towOf(look(kernel, slab), car) === TOW_BACK && kernel.tick(slab) < goesBy)
      kernel.step(slab, FRAME_TICKS);
    expect(kernel.tick(slab)).toBeLessThan(goesBy);
    // The same car with its brakes on again.
    kernel.restore(slab, image);
    kernel.apply(slab, kernel.tick(slab), car, F_BRAKES, F_BRAKES);
    expect(look(kernel, slab).i32(C_DECLARED, car)).toBe(F_ALL);
    stepTo(kernel, slab, sinceTick + 40 * TICKS_PER_S);
    expect(towOf(look(kernel, slab), car)).not.toBe(TOW_BACK);
  });

  it('[C24] is pulled to a refuge only where nothing else was free for 24 s', () => {
    const refuges: number[] = [];
    for (const [cityIndex, table] of cities.tables.entries()) {
      const placeCount = new DataView(table).getInt32(T_ROADSIDE_COUNT, true);
      const off = (car: number) => (car % 2 === 0 ? F_BRAKES : F_STEERING);
      live({ cityIndex, seed: 60 + cityIndex, minutes: 10, off }, (view) => {
        for (const car of cars) {
          if (towOf(view, car) !== TOW_ASIDE || view.i32(C_TOW, car) >> 8 <= placeCount) continue;
          refuges.push(view.i32(C_TOW_TICK, car) - view.i32(C_HALT_TICK, car));
        }
      });
    }
    expect(refuges.length).toBeGreaterThan(0);
    expect(Math.min(...refuges)).toBeGreaterThan(24 * TICKS_PER_S);
  });

  it('[C24] does not stand halfway out where somebody does not make way', () => {
    let longest = 0;
    let pulled = 0;
    for (const seed of [9114, 9117, 9120]) {
      const masks = randomMasks(new Dice(seed));
      const since = new Map<number, number>();
      const off = (car: number) => F_ALL & ~at(masks, car);
      live({ cityIndex: 2, seed, minutes: 12, off }, (view, kernel, slab) => {
        for (const car of cars) {
          if (towOf(view, car) !== TOW_PULLS_OUT) {
            since.delete(car);
            continue;
          }
          const from = since.get(car) ?? kernel.tick(slab);
          if (!since.has(car)) pulled++;
          since.set(car, from);
          longest = Math.max(longest, kernel.tick(slab) - from);
        }
      });
    }
    expect(pulled).toBeGreaterThan(20);
    expect(longest).toBeLessThan(60 * TICKS_PER_S);
  });

  it('[C24] does not pull out before one that comes out of a bend and speeds up', () => {
    const { kernel, slab } = makeWorldBackOn(3957466273, 2, F_FRONT_RADAR);
    stepTo(kernel, slab, 36_000);
    expect(contactsUntil(kernel, slab, 39_500)).toEqual([]);
  });

  it('[C24] returns to places that depend on the seed', () => {
    const places = new Set<string>();
    for (let seed = 50; seed < 56; seed++) {
      let first: string | undefined;
      live({ seed, minutes: 3, off: (car) => (car === 2 ? F_STEERING : 0) }, (view) => {
        if (towOf(view, 2) !== TOW_BACK) return;
        first ??= `${view.i32(C_LANE, 2)} ${view.real(C_STATION, 2).toFixed(0)}`;
      });
      if (first !== undefined) places.add(first);
    }
    expect(places.size).toBeGreaterThan(3);
  });

  it('[C24] is a wreck like any other once it is hit', () => {
    const { kernel, slab } = makeOneWorld(5);
    stepTo(kernel, slab, 600);
    edit(kernel, slab, (world) => {
      for (const [car, x] of [
        [0, 6000],
        [1, 5992],
      ] as const) {
        world.placeCar(car, { x, y: 0, hx: 1, hy: 0 });
        world.stopCar(car);
        world.setI32(C_CONTACT_TICK, car, 1);
      }
      world.setI32(C_STATUS, 0, STATUS_CRASHED);
      world.setI32(C_HALT_TICK, 0, 500);
      world.setI32(C_TOW, 0, (1 << 8) | TOW_PARKED);
      world.setI32(C_TOW_TICK, 0, 601);
      world.setReal(C_VX, 1, 8);
    });
    expect(contactsUntil(kernel, slab, 640)).toHaveLength(1);
    expect(towOf(look(kernel, slab), 0)).toBe(TOW_NONE);
    expect(look(kernel, slab).i32(C_HALT_TICK, 0)).toBeGreaterThan(600);
  });
});

describe('a car that does not get going', () => {
  it('[C25] leaves the traffic after 40 s without throttle, and drives on once that is on again', () => {
    const kernel = makeKernel(1);
    const slab = kernel.acquire() ?? 0;
    kernel.create(slab, { cityIndex: 0, seed: 1, carTypes: carTypesOf(1) });
    kernel.apply(slab, 0, 4, F_THROTTLE, 0);
    const view = new SlabView(kernel.view(slab));
    while (towOf(view, 4) !== TOW_BACK && kernel.tick(slab) < 5 * MINUTE)
      kernel.step(slab, FRAME_TICKS);
    const tick = kernel.tick(slab);
    expect(tick).toBeGreaterThan(40 * TICKS_PER_S);
    expect(tick).toBeLessThan(180 * TICKS_PER_S);
    stepTo(kernel, slab, tick + 2 * MINUTE);
    expect(towOf(view, 4)).toBe(TOW_BACK);
    kernel.apply(slab, kernel.tick(slab), 4, F_THROTTLE, F_THROTTLE);
    stepTo(kernel, slab, kernel.tick(slab) + MINUTE);
    expect(towOf(view, 4)).toBe(TOW_NONE);
    expect(kernel.contactCount(slab)).toBe(0);
  });

  it('[C25] leaves it after 100 s where two cars block each other, held by their own brakes', () => {
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
    const places = () =>
      [0, 1].map((car): Point => [f64[C_X / 8 + car] ?? 0, f64[C_Y / 8 + car] ?? 0]);
    const from = places();
    const movedM = () => Math.max(...places().map((place, car) => distance(place, at(from, car))));
    world.step(95 * TICKS_PER_S);
    expect(movedM()).toBeLessThan(3);
    world.step(60 * TICKS_PER_S);
    expect(movedM()).toBeGreaterThan(5);
    expect(world.contactCount).toBe(0);
  });

  it('[C25] leaves it after 120 s behind a wreck', () => {
    const world = new Crossing({
      control: 'none',
      row: 'collector',
      column: 'collector',
      cars: {
        0: { from: 'east', turn: 'straight', distanceM: 50, speedMps: 0 },
        1: { from: 'east', turn: 'straight', distanceM: 60, speedMps: 0 },
      },
    });
    const { kernel, slab } = world;
    const wasTowed = () =>
      kernel.events(slab).some(({ kind, car }) => kind === EVENT_TOWED && car === 1);
    const stepBehindWreck = (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        edit(kernel, slab, (editor) => {
          editor.setI32(C_STATUS, 0, STATUS_CRASHED);
          // It is not cleared.
          editor.setI32(C_HALT_TICK, 0, kernel.tick(slab));
        });
        world.step(TICKS_PER_S);
      }
    };
    stepBehindWreck(110);
    expect(wasTowed()).toBe(false);
    stepBehindWreck(30);
    expect(wasTowed()).toBe(true);
    expect(world.contactCount).toBe(0);
  });

  it('does not occur with all features on', () => {
    for (const cityIndex of cities.tables.keys()) {
      const tows = new Set<number>();
      live({ cityIndex, seed: 4 + cityIndex }, (view) => {
        for (const car of cars) tows.add(towOf(view, car));
      });
      expect([...tows]).toEqual([TOW_NONE]);
    }
  });
});

/** Stands a car at a station of a lane through the junction. */
function stand(crossing: Crossing, car: number, lane: Lane, stationM: number): void {
  const index = crossing.city.lanes.indexOf(lane);
  crossing.edit((world) => {
    for (const array of [C_LANE, C_CLAIM]) world.setI32(array, car, index);
    world.setI32(C_ROUTE_INDEX, car, 1);
    world.setReal(C_STATION, car, stationM);
    world.placeCar(car, poseAlong(lane.polyline, stationM));
  });
}

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
        world.setReal(C_X, car, 6000 + 100 * car);
        world.setI32(C_STATUS, car, STATUS_CRASHED);
        // No wreck is cleared before tick 1200.
        world.setI32(C_HALT_TICK, car, 600);
        world.setI32(C_CONTACT_TICK, car, 1);
      }
      put(world, 0, 12, 1.4);
      world.setI32(C_ROUTE_INDEX, 0, 0);
      world.setI32(C_LANE, 0, at(at(city.routes, 0), 0));
      world.setReal(C_STATION, 0, 12);
      world.setReal(C_OFFSET, 0, 1.4);
      world.setReal(C_EVADE_FROM, 0, 0);
      world.setReal(C_EVADE_OFFSET, 0, 1.4);
      world.setReal(C_EVADE_S, 0, 1);
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
        Math.hypot(now.real(C_X, 0) - before.real(C_X, 0), now.real(C_Y, 0) - before.real(C_Y, 0)),
      );
      if (tick === 1190) {
        expect(now.real(C_VX, 0)).toBeLessThan(0.1);
        expect(now.real(C_STATION, 0)).toBeLessThan(15);
        expect(now.i32(C_HALT_TICK, 0)).toBe(0);
      }
    }
    // Driven all the way: 15 m/s is 0.3 m a tick.
    expect(furthest).toBeLessThan(0.4);
    const now = look(kernel, slab);
    expect(now.i32(C_EVADE_TICK, 0)).toBe(0);
    expect(now.real(C_VX, 0)).toBeGreaterThan(3);
    expect(Math.abs(now.real(C_OFFSET, 0))).toBeLessThan(0.3);
  });
});
