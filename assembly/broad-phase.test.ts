import { describe, expect, it } from 'vitest';
import { at } from '../src/city/geometry.ts';
import { FIELD, stage, staged } from '../src/testing/rigs/collision-field.ts';
import { cars, contactsUntil, look, makeOneWorld, stepTo } from '../src/testing/rigs/kernel.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import { C_NEAR, C_X, C_Y, CAR_COUNT, F_BRAKES, F_STEERING } from './layout.ts';

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

  it('pass each other 10 cm apart', () => {
    const { widthM } = at(CAR_TYPES, 2);
    const { kernel, slab } = staged([
      { x: -20, y: 0, vx: 15 },
      { x: 20, y: widthM + 0.1, vx: 15, headingDegrees: 180 },
    ]);
    stepTo(kernel, slab, 300);
    const view = look(kernel, slab);
    expect(view.real(C_X, 0)).toBeGreaterThan(view.real(C_X, 1));
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
    const { kernel, slab } = makeOneWorld(7);
    for (const car of cars) kernel.apply(slab, 0, car, car % 2 ? F_BRAKES | F_STEERING : 0, 0);
    let pairs = 0;
    for (let tick = 0; tick < 9000; tick++) {
      const view = look(kernel, slab);
      for (const a of cars) {
        for (let b = a + 1; b < CAR_COUNT; b++) {
          const dx = view.real(C_X, b) - view.real(C_X, a);
          const dy = view.real(C_Y, b) - view.real(C_Y, a);
          // A car that comes into reach within the next tick must be in the mask already.
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

  it('are no longer than the broad phase reaches', () => {
    for (const { lengthM, widthM, centreM } of CAR_TYPES) {
      expect(Math.hypot(lengthM / 2 + Math.abs(centreM), widthM / 2)).toBeLessThan(2.6);
    }
  });
});
