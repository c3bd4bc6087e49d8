import { expect } from 'vitest';
import {
  C_CONTACT_TICK,
  C_DECLARED,
  C_EFFECTIVE,
  C_HALT_TICK,
  C_NEAR,
  C_STATUS,
  C_STEER,
  C_TYPE,
  C_VX,
  C_VY,
  C_YAW_RATE,
  EVENT_COLLISION,
  NEAR_BLOCKS,
  STATUS_CRASHED,
  STATUS_DRIVING,
} from '../../../assembly/layout.ts';
import { at, direction, distance } from '../../city/geometry.ts';
import { edgesOf } from '../../citygen/geometry.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { CAR_TYPES, type CarType } from '../../twin/fleet.ts';
import type { ContactFacts } from '../../twin/incidents.ts';
import { cars, cities, makeOneWorld, type SlabView } from './kernel.ts';
import { edit, type SlabEditor } from './slab-editor.ts';

export interface Scene {
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
export const FIELD = 5000;

/**
 * Places the first cars in a field; all others stand far apart. Without features nothing that a car
 * senses affects its motion.
 */
export function stage(
  kernel: Kernel,
  slab: number,
  scenes: readonly Scene[],
  origin = [FIELD, FIELD],
) {
  const tick = kernel.tick(slab);
  edit(kernel, slab, (world) => {
    for (const car of cars) {
      const away: Scene = { x: FIELD + 100 * car, y: -FIELD };
      const scene = scenes[car] ?? away;
      const [ox = 0, oy = 0] = scenes[car] === undefined ? [0, 0] : origin;
      const angle = ((scene.headingDegrees ?? 0) * Math.PI) / 180;
      const [hx, hy] = [Math.cos(angle), Math.sin(angle)];
      const type = scene.type ?? 2;
      const centreM = CAR_TYPES[type]?.centreM ?? 0;
      world.setI32(C_TYPE, car, type);
      const [x, y] = [ox + scene.x - centreM * hx, oy + scene.y - centreM * hy];
      world.placeCar(car, { x, y, hx, hy });
      world.setReal(C_VX, car, scene.vx ?? 0);
      world.setReal(C_VY, car, scene.vy ?? 0);
      world.setReal(C_YAW_RATE, car, scene.yawRate ?? 0);
      world.setReal(C_STEER, car, 0);
      world.setI32(C_DECLARED, car, scene.features ?? 0);
      world.setI32(C_EFFECTIVE, car, scene.features ?? 0);
      world.setI32(C_STATUS, car, scene.isWreck ? STATUS_CRASHED : STATUS_DRIVING);
      world.setI32(C_HALT_TICK, car, scene.isWreck ? tick : 0);
      world.setI32(C_CONTACT_TICK, car, 0);
    }
    touchable(world);
  });
}

/** Cars that a test has placed may touch any other. */
export function touchable(world: SlabEditor): void {
  for (const car of cars) world.setI32(C_NEAR, car, 2 * NEAR_BLOCKS - (2 << car));
}

export function staged(scenes: readonly Scene[], origin?: readonly number[]) {
  const { kernel, slab } = makeOneWorld(1);
  kernel.step(slab, 101);
  stage(kernel, slab, scenes, origin === undefined ? undefined : [...origin]);
  return { kernel, slab };
}

export const collisions = (kernel: Kernel, slab: number) =>
  kernel.events(slab).filter(({ kind }) => kind === EVENT_COLLISION);

export const typeOf = (view: SlabView, car: number): CarType =>
  at(CAR_TYPES, view.i32(C_TYPE, car));

export function energyOf(view: SlabView, car: number): number {
  const { massKg, yawInertiaKgM2 } = typeOf(view, car);
  const speed = Math.hypot(view.real(C_VX, car), view.real(C_VY, car));
  return (massKg * speed ** 2 + yawInertiaKgM2 * view.real(C_YAW_RATE, car) ** 2) / 2;
}

/** The one contact of the next tick. */
export function nextContact(kernel: Kernel, slab: number): ContactFacts {
  const seen = kernel.contactCount(slab);
  kernel.step(slab, 1);
  const contacts = kernel.contacts(slab, seen);
  expect(contacts).toHaveLength(1);
  return at(contacts, 0);
}

/** A solid block's long side: its middle, and the direction out of it. */
export function facades() {
  const blocks = (cities.cities[0]?.blocks ?? []).filter(({ solid }) => solid);
  return blocks.map(({ polygon }) => {
    const sides = edgesOf(polygon).toSorted((a, b) => distance(...b) - distance(...a));
    const [from, to] = at(sides, 0);
    const [dx, dy] = direction(from, to);
    return { x: (from[0] + to[0]) / 2, y: (from[1] + to[1]) / 2, nx: dy, ny: -dx };
  });
}
