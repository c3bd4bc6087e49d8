import { describe, expect, it } from 'vitest';
import { at } from '../src/city/geometry.ts';
import {
  collisions,
  facades,
  nextContact,
  staged,
  touchable,
} from '../src/testing/rigs/collision-field.ts';
import { cars, contactsUntil, stepTo } from '../src/testing/rigs/kernel.ts';
import { edit } from '../src/testing/rigs/slab-editor.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import {
  C_CHAIN_ORDER,
  C_CHAIN_TICK,
  C_CONTACT_TICK,
  C_VX,
  C_X,
  C_Y,
  CAR_COUNT,
  CHAIN_TICKS,
  F_BRAKES,
} from './layout.ts';

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
      const [x, y] = [world.real(C_X, 1), world.real(C_Y, 1) + lengthM];
      world.placeCar(2, { x, y, hx: 0, hy: -1 });
      world.setReal(C_VX, 2, 12);
      touchable(world);
    });
    const [second] = contactsUntil(kernel, slab, first.tick + laterTicks + 20);
    return { first, second, events: collisions(kernel, slab) };
  }

  it('[I7] takes in a contact less than two seconds after one of its cars', () => {
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
    expect(walls.kernel.contactCount(walls.slab)).toBe(CAR_COUNT);
    expect(walls.kernel.contacts(walls.slab, 0).map(({ order }) => order)).toEqual(cars);
  });
});
