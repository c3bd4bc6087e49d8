import { describe, expect, it, test } from 'vitest';
import { at } from '../src/city/geometry.ts';
import type { Kernel } from '../src/kernel/kernel.ts';
import { cities, makeKernel, makeWorld, SlabView, stepTo } from '../src/testing/rigs/kernel.ts';
import { edit, type SlabEditor } from '../src/testing/rigs/slab-editor.ts';
import { CAR_TYPES, type CarType, carTypesOf } from '../src/twin/fleet.ts';
import type { ContactFacts } from '../src/twin/incidents.ts';
import {
  C_CHAIN_ORDER,
  C_CHAIN_TICK,
  C_CONTACT_TICK,
  C_DECLARED,
  C_EFFECTIVE,
  C_HALT_TICK,
  C_HX,
  C_HY,
  C_NEAR,
  C_STATUS,
  C_STEER,
  C_TYPE,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  CAR_COUNT,
  CHAIN_TICKS,
  CONTACT_BUILDING,
  CONTACT_RING,
  CONTACT_VEHICLE,
  EVENT_COLLISION,
  F_BRAKES,
  F_STEERING,
  NEAR_BLOCKS,
  STATUS_CRASHED,
  STATUS_DRIVING,
} from './layout.ts';

const TICK_S = 0.02;
const cars = Array.from({ length: CAR_COUNT }, (_, car) => car);

interface Scene {
  /** Index of its type. */
  type?: number;
  /** Middle of the body. */
  x: number;
  y: number;
  headingDegrees?: number;
  vx?: number;
  vy?: number;
  yawRate?: number;
  isWreck?: boolean;
  features?: number;
}

/** Far from every street and building. */
const FIELD = 5000;

/**
 * Puts the first cars where they are told to be, in a field; the others stand far apart there. With
 * no features nothing that a car senses makes a difference to how it moves.
 */
function stage(kernel: Kernel, slab: number, scenes: readonly Scene[], origin = [FIELD, FIELD]) {
  const tick = kernel.tick(slab);
  edit(kernel, slab, (world) => {
    for (const car of cars) {
      const away: Scene = { x: FIELD + 100 * car, y: -FIELD };
      const scene = scenes[car] ?? away;
      const [ox = 0, oy = 0] = scenes[car] === undefined ? [0, 0] : origin;
      const angle = ((scene.headingDegrees ?? 0) * Math.PI) / 180;
      const type = scene.type ?? 2;
      const centreM = CAR_TYPES[type]?.centreM ?? 0;
      world.setI32(C_TYPE, car, type);
      world.setF64(C_HX, car, Math.cos(angle));
      world.setF64(C_HY, car, Math.sin(angle));
      world.setF64(C_X, car, ox + scene.x - centreM * Math.cos(angle));
      world.setF64(C_Y, car, oy + scene.y - centreM * Math.sin(angle));
      world.setF64(C_VX, car, scene.vx ?? 0);
      world.setF64(C_VY, car, scene.vy ?? 0);
      world.setF64(C_YAW_RATE, car, scene.yawRate ?? 0);
      world.setF64(C_STEER, car, 0);
      world.setI32(C_DECLARED, car, scene.features ?? 0);
      world.setI32(C_EFFECTIVE, car, scene.features ?? 0);
      world.setI32(C_STATUS, car, scene.isWreck ? STATUS_CRASHED : STATUS_DRIVING);
      world.setI32(C_HALT_TICK, car, scene.isWreck ? tick : 0);
      world.setI32(C_CONTACT_TICK, car, 0);
    }
    touchable(world);
  });
}

/** Whoever was put somewhere by hand may touch anybody. */
function touchable(world: SlabEditor): void {
  for (const car of cars) world.setI32(C_NEAR, car, 2 * NEAR_BLOCKS - (2 << car));
}

function staged(scenes: readonly Scene[], origin?: readonly number[]) {
  const kernel = makeKernel(1);
  const slab = makeWorld(kernel, 1);
  kernel.step(slab, 101);
  stage(kernel, slab, scenes, origin === undefined ? undefined : [...origin]);
  return { kernel, slab };
}

const collisions = (kernel: Kernel, slab: number) =>
  kernel.events(slab).filter(({ kind }) => kind === EVENT_COLLISION);

const look = (kernel: Kernel, slab: number) => new SlabView(kernel.image(slab));

const typeOf = (view: SlabView, car: number): CarType => at(CAR_TYPES, view.i32(C_TYPE, car));

function energyOf(view: SlabView, car: number): number {
  const { massKg, yawInertiaKgM2 } = typeOf(view, car);
  const speed = Math.hypot(view.f64(C_VX, car), view.f64(C_VY, car));
  return (massKg * speed ** 2 + yawInertiaKgM2 * view.f64(C_YAW_RATE, car) ** 2) / 2;
}

function velocityOf(view: SlabView, car: number): [number, number] {
  const [vx, vy] = [view.f64(C_VX, car), view.f64(C_VY, car)];
  const [hx, hy] = [view.f64(C_HX, car), view.f64(C_HY, car)];
  return [vx * hx - vy * hy, vx * hy + vy * hx];
}

function momentumOf(view: SlabView, of: readonly number[]): [number, number] {
  return of.reduce<[number, number]>(
    ([px, py], car) => {
      const [vx, vy] = velocityOf(view, car);
      const { massKg } = typeOf(view, car);
      return [px + massKg * vx, py + massKg * vy];
    },
    [0, 0],
  );
}

/** Steps to a tick and collects the contacts on the way. */
function contactsUntil(kernel: Kernel, slab: number, tick: number): ContactFacts[] {
  const all: ContactFacts[] = [];
  while (kernel.tick(slab) < tick) {
    const seen = kernel.contactCount(slab);
    kernel.step(slab, tick - kernel.tick(slab));
    all.push(...kernel.contacts(slab, seen));
  }
  return all;
}

/** The one contact of the next tick. */
function nextContact(kernel: Kernel, slab: number): ContactFacts {
  const seen = kernel.contactCount(slab);
  kernel.step(slab, 1);
  const contacts = kernel.contacts(slab, seen);
  expect(contacts).toHaveLength(1);
  return at(contacts, 0);
}

/** One tick of the same scene with the cars out of each other's reach. */
function apart(scenes: readonly Scene[]): SlabView {
  const { kernel, slab } = staged(scenes.map((scene, i) => ({ ...scene, y: scene.y + 50 * i })));
  kernel.step(slab, 1);
  expect(kernel.contactCount(slab)).toBe(0);
  return look(kernel, slab);
}

describe('a rear-end collision', () => {
  const { lengthM } = at(CAR_TYPES, 2);
  /** The second car stands 10 cm before the first one's bumper. */
  const SCENE: Scene[] = [
    { x: 0, y: 0, vx: 15 },
    { x: lengthM + 0.1, y: 0.2, isWreck: true },
  ];

  test('is recorded as it was at the moment of touch, at the bumpers', () => {
    const { kernel, slab } = staged(SCENE);
    const contact = nextContact(kernel, slab);
    expect(contact).toMatchObject({ kind: CONTACT_VEHICLE, block: -1, tick: 102, order: 0 });
    expect(contact.closingMps).toBeCloseTo(15, 1);
    expect(contact.x - FIELD).toBeGreaterThan(lengthM / 2 + 0.1);
    expect(contact.x - FIELD).toBeLessThan(lengthM / 2 + 0.12);
    expect(contact.y - FIELD).toBeCloseTo(0.1, 2);
    const [striking, struck] = contact.parties;
    expect(contact.striking).toBe(0);
    expect([striking.car, struck.car]).toEqual([0, 1]);
    expect(striking.speedMps).toBeCloseTo(15, 1);
    expect(struck.speedMps).toBe(0);
    expect([striking.impactX, struck.impactX]).toEqual([
      expect.closeTo(1, 2),
      expect.closeTo(-1, 2),
    ]);
  });

  test('keeps momentum, and what is lost of energy is the energy of deformation', () => {
    const { kernel, slab } = staged(SCENE);
    const { energyJ, parties } = nextContact(kernel, slab);
    const [before, after] = [apart(SCENE), look(kernel, slab)];
    const [beforeX, beforeY] = momentumOf(before, [0, 1]);
    const [afterX, afterY] = momentumOf(after, [0, 1]);
    expect(afterX).toBeCloseTo(beforeX, 7);
    expect(afterY).toBeCloseTo(beforeY, 7);
    const energy = (view: SlabView) => energyOf(view, 0) + energyOf(view, 1);
    expect(energy(before) - energy(after)).toBeCloseTo(energyJ, 6);
    for (const [car, { deltaVMps }] of parties.entries()) {
      const [vx, vy] = velocityOf(before, car);
      const [wx, wy] = velocityOf(after, car);
      expect(Math.hypot(wx - vx, wy - vy)).toBeCloseTo(deltaVMps, 10);
    }
    // Equal cars, 0.05 restitution above 13 m/s, off centre by a decimetre.
    expect(parties[0].deltaVMps).toBeCloseTo((1.05 * 15) / 2, 0);
  });

  test('makes wrecks of both and one event', () => {
    const { kernel, slab } = staged(SCENE);
    nextContact(kernel, slab);
    const view = look(kernel, slab);
    expect([view.i32(C_STATUS, 0), view.i32(C_STATUS, 1)]).toEqual([2, 2]);
    expect(collisions(kernel, slab)).toEqual([
      {
        seq: expect.any(Number),
        tick: 102,
        kind: EVENT_COLLISION,
        car: 0,
        feature: 102,
        hazard: -1,
        arg: 0,
        other: 1,
      },
    ]);
  });

  test('has the car that was struck drive into it as well where it backs into the other', () => {
    const backing: Scene[] = [
      { x: 0, y: 0, isWreck: true, vx: 1 },
      { x: lengthM + 0.1, y: 0, headingDegrees: 180, vx: 9 },
    ];
    const { kernel, slab } = staged(backing);
    expect(nextContact(kernel, slab).striking).toBe(1);
    expect(at(collisions(kernel, slab), 0)).toMatchObject({ car: 1, other: 0 });
  });

  test('ends with both at rest, with no jump on the way, never gaining energy, nor another contact', () => {
    const { kernel, slab } = staged(SCENE.map((scene) => ({ ...scene, features: F_BRAKES })));
    nextContact(kernel, slab);
    let before = look(kernel, slab);
    for (let tick = 0; tick < 500; tick++) {
      kernel.step(slab, 1);
      const now = look(kernel, slab);
      const energy = (view: SlabView) => energyOf(view, 0) + energyOf(view, 1);
      expect(energy(now)).toBeLessThanOrEqual(energy(before));
      for (const car of [0, 1]) {
        const moved = Math.hypot(
          now.f64(C_X, car) - before.f64(C_X, car),
          now.f64(C_Y, car) - before.f64(C_Y, car),
        );
        const speed = Math.hypot(...velocityOf(before, car));
        expect(moved).toBeLessThanOrEqual(speed * TICK_S + 1e-9);
      }
      before = now;
    }
    expect(energyOf(before, 0) + energyOf(before, 1)).toBe(0);
    expect(before.f64(C_X, 1)).toBeGreaterThan(before.f64(C_X, 0) + 3);
    expect(kernel.contactCount(slab)).toBe(1);
  });
});

describe('bodies', () => {
  it('touch by their boxes, not by their centres of gravity', () => {
    const city = 0;
    const { lengthM, centreM } = at(CAR_TYPES, city);
    expect(centreM).toBe(-0.24);
    for (const [gapM, touches] of [
      [0.05, false],
      [-0.05, true],
    ] as const) {
      // Nose to nose: both centres of gravity lie in front of the middles.
      const { kernel, slab } = staged([
        { type: city, x: 0, y: 0 },
        { type: city, x: lengthM + gapM, y: 0, headingDegrees: 180 },
      ]);
      kernel.step(slab, 1);
      expect(kernel.contactCount(slab)).toBe(touches ? 1 : 0);
    }
  });

  it('pass each other with a hand between them', () => {
    const { widthM } = at(CAR_TYPES, 2);
    const { kernel, slab } = staged([
      { x: -20, y: 0, vx: 15 },
      { x: 20, y: widthM + 0.1, vx: 15, headingDegrees: 180 },
    ]);
    stepTo(kernel, slab, 300);
    const view = look(kernel, slab);
    expect(view.f64(C_X, 0)).toBeGreaterThan(view.f64(C_X, 1));
    expect(kernel.contactCount(slab)).toBe(0);
  });

  it('are found however fast they come, at any tick', () => {
    for (let phase = 0; phase < 4; phase++) {
      const { kernel, slab } = staged([]);
      stepTo(kernel, slab, 101 + phase);
      stage(kernel, slab, [
        { x: -15, y: 0, vx: 22 },
        { x: 15, y: 0.5, vx: 22, headingDegrees: 180 },
      ]);
      const [contact] = contactsUntil(kernel, slab, 300);
      expect(contact?.closingMps).toBeGreaterThan(40);
      expect(contact?.x).toBeCloseTo(FIELD, 1);
    }
  });

  it('are near whenever they may touch, through crashes and returns', () => {
    const kernel = makeKernel(1);
    const slab = makeWorld(kernel, 7);
    for (const car of cars) kernel.apply(slab, 0, car, car % 2 ? F_BRAKES | F_STEERING : 0, 0);
    let pairs = 0;
    for (let tick = 0; tick < 9000; tick++) {
      const view = look(kernel, slab);
      for (const a of cars) {
        for (let b = a + 1; b < CAR_COUNT; b++) {
          const dx = view.f64(C_X, b) - view.f64(C_X, a);
          const dy = view.f64(C_Y, b) - view.f64(C_Y, a);
          // What moves into reach within the coming tick must be in the mask by now.
          if (Math.hypot(dx, dy) > 5.2) continue;
          pairs++;
          expect((view.i32(C_NEAR, a) >> b) & 1).toBe(1);
        }
      }
      kernel.step(slab, 1);
    }
    expect(pairs).toBeGreaterThan(1000);
    expect(kernel.contactCount(slab)).toBeGreaterThan(3);
  });

  it('have masks from the first tick on, whichever that is', () => {
    const kernel = makeKernel(1);
    let near = 0;
    for (let seed = 0; seed < 200; seed++) {
      const slab = kernel.acquire() ?? 0;
      kernel.create(slab, { cityIndex: 0, seed, carTypes: carTypesOf(seed), tick: 5 });
      const view = look(kernel, slab);
      for (const a of cars) {
        for (let b = a + 1; b < CAR_COUNT; b++) {
          const dx = view.f64(C_X, b) - view.f64(C_X, a);
          const dy = view.f64(C_Y, b) - view.f64(C_Y, a);
          const isNear = Math.hypot(dx, dy) < 5.2 + 3.6;
          expect((view.i32(C_NEAR, a) >> b) & 1).toBe(isNear ? 1 : 0);
          if (isNear) near++;
        }
      }
      kernel.release(slab);
    }
    expect(near).toBeGreaterThan(5);
  });

  it('are no longer than the broad phase reaches', () => {
    for (const { lengthM, widthM, centreM } of CAR_TYPES) {
      expect(Math.hypot(lengthM / 2 + Math.abs(centreM), widthM / 2)).toBeLessThan(2.6);
    }
  });
});

/** A solid block's long side: its middle, and the direction out of it. */
function facades() {
  const blocks = (cities.cities[0]?.blocks ?? []).filter(({ solid }) => solid);
  return blocks.map(({ polygon }) => {
    const sides = polygon.map((from, i) => ({ from, to: at(polygon, (i + 1) % polygon.length) }));
    const length = ({ from, to }: (typeof sides)[number]) =>
      Math.hypot(to[0] - from[0], to[1] - from[1]);
    const side = at(
      sides.toSorted((a, b) => length(b) - length(a)),
      0,
    );
    const [dx, dy] = [side.to[0] - side.from[0], side.to[1] - side.from[1]];
    return {
      x: (side.from[0] + side.to[0]) / 2,
      y: (side.from[1] + side.to[1]) / 2,
      nx: dy / length(side),
      ny: -dx / length(side),
    };
  });
}

describe('a building', () => {
  const facade = at(facades(), 0);
  const { nx, ny } = facade;
  const inward = (Math.atan2(-ny, -nx) * 180) / Math.PI;
  const { lengthM, massKg } = at(CAR_TYPES, 2);

  const facing = (apartM: number, speed: number): Scene => ({
    x: facade.x + nx * (lengthM / 2 + apartM),
    y: facade.y + ny * (lengthM / 2 + apartM),
    headingDegrees: inward,
    vx: speed,
  });

  test('throws a car that drives into it back, and takes its energy', () => {
    const { kernel, slab } = staged([facing(0.1, 12)], [0, 0]);
    const contact = nextContact(kernel, slab);
    expect(contact).toMatchObject({ kind: CONTACT_BUILDING, striking: 0 });
    expect(contact.block).toBeGreaterThanOrEqual(0);
    expect(contact.closingMps).toBeCloseTo(12, 1);
    expect(contact.parties[1].car).toBe(-1);
    const { closingMps } = contact;
    // From 0.1 at 8 m/s to 0.05 at 13 m/s.
    const restitution = 0.1 - (0.05 * (closingMps - 8)) / 5;
    expect(contact.parties[0].deltaVMps).toBeCloseTo((1 + restitution) * closingMps, 6);
    expect(contact.energyJ).toBeCloseTo((massKg * closingMps ** 2 * (1 - restitution ** 2)) / 2, 3);
    expect(look(kernel, slab).f64(C_VX, 0)).toBeCloseTo(-restitution * closingMps, 6);
    expect(Math.hypot(contact.x - facade.x, contact.y - facade.y)).toBeLessThan(0.1);
  });

  test('is looked for around a wreck from the moment that it is one', () => {
    const scenes = [facing(1.5, 1), facing(1.5 + lengthM + 0.01, 3)];
    const { kernel, slab } = staged(scenes, [0, 0]);
    edit(kernel, slab, (world) => world.setI32(C_NEAR, 0, 2));
    expect(nextContact(kernel, slab)).toMatchObject({ tick: 102, kind: CONTACT_VEHICLE });
    expect(look(kernel, slab).i32(C_NEAR, 0)).toBe(NEAR_BLOCKS | 2);
  });

  test('stops a wreck without another contact, and lets none in', () => {
    const { kernel, slab } = staged(
      [{ ...facing(1, 12), isWreck: true, yawRate: 2, features: F_BRAKES }],
      [0, 0],
    );
    for (let tick = 0; tick < 300; tick++) {
      kernel.step(slab, 1);
      const view = look(kernel, slab);
      const depth = (view.f64(C_X, 0) - facade.x) * nx + (view.f64(C_Y, 0) - facade.y) * ny;
      expect(depth).toBeGreaterThan(0.5);
    }
    expect(kernel.contactCount(slab)).toBe(0);
    expect(energyOf(look(kernel, slab), 0)).toBe(0);
  });
});

describe('wrecks', () => {
  const { lengthM } = at(CAR_TYPES, 2);

  it('push each other without a contact, and do not pass through', () => {
    const { kernel, slab } = staged([
      { x: 0, y: 0, vx: 10, isWreck: true, features: F_BRAKES },
      { x: lengthM + 2, y: 0, isWreck: true, features: F_BRAKES },
    ]);
    let before = look(kernel, slab);
    for (let tick = 0; tick < 200; tick++) {
      kernel.step(slab, 1);
      const now = look(kernel, slab);
      const energy = (view: SlabView) => energyOf(view, 0) + energyOf(view, 1);
      expect(energy(now)).toBeLessThanOrEqual(energy(before));
      expect(now.f64(C_X, 1) - now.f64(C_X, 0)).toBeGreaterThan(lengthM - 0.3);
      before = now;
    }
    expect(before.f64(C_X, 1)).toBeGreaterThan(FIELD + lengthM + 2.5);
    expect(kernel.contactCount(slab)).toBe(0);
    expect(energyOf(before, 0) + energyOf(before, 1)).toBe(0);
  });

  it('lie still where they overlap at rest', () => {
    const { kernel, slab } = staged([
      { x: 0, y: 0, isWreck: true },
      { x: 3, y: 1, headingDegrees: 40, isWreck: true },
    ]);
    const before = look(kernel, slab);
    stepTo(kernel, slab, 400);
    const now = look(kernel, slab);
    for (const car of [0, 1]) {
      for (const array of [C_X, C_Y, C_HX, C_HY]) {
        expect(now.f64(array, car)).toBe(before.f64(array, car));
      }
    }
  });

  it('brake by 4 m/s² with their brakes, and roll without', () => {
    const { kernel, slab } = staged([
      { x: 0, y: 0, vx: 10, isWreck: true, features: F_BRAKES },
      { x: 0, y: 50, vx: 10, isWreck: true },
    ]);
    kernel.step(slab, 50);
    const view = look(kernel, slab);
    // Drag of 0.4 N s²/m² takes less than 0.03 m/s² at 10 m/s.
    expect(view.f64(C_VX, 0)).toBeLessThan(6);
    expect(view.f64(C_VX, 0)).toBeGreaterThan(6 - 0.03);
    expect(view.f64(C_VX, 1)).toBeLessThan(9.8);
    expect(view.f64(C_VX, 1)).toBeGreaterThan(9.8 - 0.03);
  });

  it('scrub to a stop sideways by friction, keeping their direction', () => {
    const { kernel, slab } = staged([{ x: 0, y: 0, vy: 10, isWreck: true }]);
    kernel.step(slab, 25);
    const view = look(kernel, slab);
    // Half a second of 0.95 g.
    expect(view.f64(C_VY, 0)).toBeCloseTo(10 - 0.5 * 0.95 * 9.81, 1);
    stepTo(kernel, slab, 300);
    const rest = look(kernel, slab);
    expect(rest.f64(C_Y, 0) - FIELD).toBeCloseTo(100 / (2 * 0.95 * 9.81), 0);
    expect(rest.f64(C_VY, 0)).toBe(0);
  });

  it('fly straight on while they spin, and the spin dies', () => {
    const { kernel, slab } = staged([{ x: 0, y: 0, vx: 12, yawRate: 5, isWreck: true }]);
    let turned = 0;
    let before = look(kernel, slab);
    for (let tick = 0; tick < 400; tick++) {
      kernel.step(slab, 1);
      const now = look(kernel, slab);
      expect(Math.abs(now.f64(C_YAW_RATE, 0))).toBeLessThanOrEqual(
        Math.abs(before.f64(C_YAW_RATE, 0)),
      );
      turned += now.f64(C_YAW_RATE, 0) * TICK_S;
      before = now;
    }
    expect(turned).toBeGreaterThan(1);
    expect(before.f64(C_YAW_RATE, 0)).toBe(0);
    expect(before.f64(C_X, 0) - FIELD).toBeGreaterThan(8);
  });
});

describe('a chain', () => {
  const { lengthM } = at(CAR_TYPES, 2);

  /** A wreck is hit, and again by a third car so many ticks later. */
  function pileUp(laterTicks: number) {
    const speed = 10;
    const { kernel, slab } = staged([
      { x: -lengthM - 0.1, y: 0, vx: speed, features: F_BRAKES },
      { x: 0, y: 0, isWreck: true, features: F_BRAKES },
    ]);
    const first = nextContact(kernel, slab);
    stepTo(kernel, slab, first.tick + laterTicks - 1);
    edit(kernel, slab, (world) => {
      world.setF64(C_X, 2, world.f64(C_X, 1));
      world.setF64(C_Y, 2, world.f64(C_Y, 1) + lengthM);
      world.setF64(C_HX, 2, 0);
      world.setF64(C_HY, 2, -1);
      world.setF64(C_VX, 2, 12);
      touchable(world);
    });
    const [second] = contactsUntil(kernel, slab, first.tick + laterTicks + 20);
    return { first, second, events: collisions(kernel, slab) };
  }

  it('takes in a contact less than two seconds after one of its cars', () => {
    const { first, second, events } = pileUp(50);
    expect(second?.parties.map(({ car }) => car)).toEqual([1, 2]);
    expect([first.chainTick, first.chainOrder]).toEqual([first.tick, first.order]);
    expect([second?.chainTick, second?.chainOrder]).toEqual([first.tick, first.order]);
    expect(events.map(({ feature, arg }) => [feature, arg])).toEqual([
      [first.tick, 0],
      [first.tick, 0],
    ]);
  });

  it('is over two seconds after its last contact', () => {
    const { second } = pileUp(CHAIN_TICKS + 20);
    expect(second?.chainTick).toBe(second?.tick);
  });

  it('goes on under the older one where two meet', () => {
    const { kernel, slab } = staged([
      { x: 0, y: 0, vx: 10 },
      { x: lengthM + 0.1, y: 0 },
      { x: 0, y: 50, vx: 10 },
      { x: lengthM + 0.1, y: 50 },
    ]);
    edit(kernel, slab, (world) => {
      // Cars 0 and 2 belong to a chain, car 1 to an older one of the same tick.
      for (const [car, chainTick, chainOrder] of [
        [0, 60, 2],
        [2, 60, 2],
        [1, 60, 1],
      ] as const) {
        world.setI32(C_CONTACT_TICK, car, 70);
        world.setI32(C_CHAIN_TICK, car, chainTick);
        world.setI32(C_CHAIN_ORDER, car, chainOrder);
      }
    });
    kernel.step(slab, 1);
    const contacts = kernel.contacts(slab, 0);
    expect(contacts.map(({ parties }) => parties.map(({ car }) => car))).toEqual([
      [0, 1],
      [2, 3],
    ]);
    for (const { chainTick, chainOrder } of contacts)
      expect([chainTick, chainOrder]).toEqual([60, 1]);
  });
});

describe('one tick', () => {
  it('has at most one contact a car, and the ring keeps them all', () => {
    const { kernel, slab } = staged(cars.map((car) => ({ x: 0.2 * car, y: 0.1 * car })));
    kernel.step(slab, 1);
    const contacts = kernel.contacts(slab, 0);
    // Each makes a wreck of one that was none; the first of two.
    expect(contacts).toHaveLength(CAR_COUNT - 1);
    expect(contacts.map(({ order }) => order)).toEqual(cars.slice(0, -1));
    const first = facades().slice(0, CAR_COUNT);
    const walls = staged(
      first.map(({ x, y, nx, ny }) => ({
        x: x + nx * 2,
        y: y + ny * 2,
        headingDegrees: (Math.atan2(ny, nx) * 180) / Math.PI,
      })),
      [0, 0],
    );
    walls.kernel.step(walls.slab, 1);
    expect(walls.kernel.contactCount(walls.slab)).toBe(CONTACT_RING);
    expect(walls.kernel.contacts(walls.slab, 0).map(({ order }) => order)).toEqual(cars);
  });
});
