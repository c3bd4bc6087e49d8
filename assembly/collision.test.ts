import { describe, expect, test } from 'vitest';
import { at } from '../src/city/geometry.ts';
import {
  collisions,
  energyOf,
  FIELD,
  facades,
  nextContact,
  type Scene,
  staged,
  typeOf,
} from '../src/testing/rigs/collision-field.ts';
import { look, type SlabView } from '../src/testing/rigs/kernel.ts';
import { edit } from '../src/testing/rigs/slab-editor.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import {
  C_HX,
  C_HY,
  C_NEAR,
  C_STATUS,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  CONTACT_BUILDING,
  CONTACT_VEHICLE,
  EVENT_COLLISION,
  F_BRAKES,
  NEAR_BLOCKS,
  TICK_S,
} from './layout.ts';

function velocityOf(view: SlabView, car: number): [number, number] {
  const [vx, vy] = [view.real(C_VX, car), view.real(C_VY, car)];
  const [hx, hy] = [view.real(C_HX, car), view.real(C_HY, car)];
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

  test('[C23] keeps momentum, and what is lost of energy is the energy of deformation', () => {
    const { kernel, slab } = staged(SCENE);
    const { energyJ, parties } = nextContact(kernel, slab);
    const [before, after] = [apart(SCENE), look(kernel, slab)];
    const [beforeX, beforeY] = momentumOf(before, [0, 1]);
    const [afterX, afterY] = momentumOf(after, [0, 1]);
    expect(afterX).toBeCloseTo(beforeX, 7);
    expect(afterY).toBeCloseTo(beforeY, 7);
    const energy = (view: SlabView) => energyOf(view, 0) + energyOf(view, 1);
    expect(energy(before) - energy(after)).toBeCloseTo(energyJ, 3);
    for (const [car, { deltaVMps }] of parties.entries()) {
      const [vx, vy] = velocityOf(before, car);
      const [wx, wy] = velocityOf(after, car);
      expect(Math.hypot(wx - vx, wy - vy)).toBeCloseTo(deltaVMps, 7);
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

  test('[I5] names the car as striking whose own motion closed most of the gap', () => {
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
          now.real(C_X, car) - before.real(C_X, car),
          now.real(C_Y, car) - before.real(C_Y, car),
        );
        const speed = Math.hypot(...velocityOf(before, car));
        expect(moved).toBeLessThanOrEqual(speed * TICK_S + 1e-9);
      }
      before = now;
    }
    expect(energyOf(before, 0) + energyOf(before, 1)).toBe(0);
    expect(before.real(C_X, 1)).toBeGreaterThan(before.real(C_X, 0) + 3);
    expect(kernel.contactCount(slab)).toBe(1);
  });
});

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
    expect(look(kernel, slab).real(C_VX, 0)).toBeCloseTo(-restitution * closingMps, 6);
    expect(Math.hypot(contact.x - facade.x, contact.y - facade.y)).toBeLessThan(0.1);
  });

  test('is tested for contact with a wreck from its first tick as a wreck', () => {
    const scenes = [facing(1.5, 1), facing(1.5 + lengthM + 0.01, 3)];
    const { kernel, slab } = staged(scenes, [0, 0]);
    edit(kernel, slab, (world) => world.setI32(C_NEAR, 0, 2));
    expect(nextContact(kernel, slab)).toMatchObject({ tick: 102, kind: CONTACT_VEHICLE });
    expect(look(kernel, slab).i32(C_NEAR, 0)).toBe(NEAR_BLOCKS | 2);
  });

  test('stops a wreck and lets none in; only hard contacts have a record', () => {
    const { kernel, slab } = staged(
      [{ ...facing(1, 12), isWreck: true, yawRate: 2, features: F_BRAKES }],
      [0, 0],
    );
    const closing: number[] = [];
    for (let tick = 0; tick < 300; tick++) {
      const seen = kernel.contactCount(slab);
      kernel.step(slab, 1);
      closing.push(...kernel.contacts(slab, seen).map(({ closingMps }) => closingMps));
      const view = look(kernel, slab);
      const depth = (view.real(C_X, 0) - facade.x) * nx + (view.real(C_Y, 0) - facade.y) * ny;
      expect(depth).toBeGreaterThan(0.5);
    }
    expect(closing[0]).toBeGreaterThan(10);
    expect(Math.min(...closing)).toBeGreaterThanOrEqual(1);
    expect(energyOf(look(kernel, slab), 0)).toBe(0);
  });
});
