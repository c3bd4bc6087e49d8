import { describe, expect, it } from 'vitest';
import { at } from '../src/city/geometry.ts';
import { energyOf, FIELD, staged } from '../src/testing/rigs/collision-field.ts';
import { look, type SlabView, stepTo } from '../src/testing/rigs/kernel.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import type { ContactFacts } from '../src/twin/incidents.ts';
import { C_HX, C_HY, C_VX, C_VY, C_X, C_Y, C_YAW_RATE, F_BRAKES, TICK_S } from './layout.ts';

describe('wrecks', () => {
  const { lengthM } = at(CAR_TYPES, 2);

  it('push each other and do not pass through; only a hard contact has a record', () => {
    const { kernel, slab } = staged([
      { x: 0, y: 0, vx: 10, isWreck: true, features: F_BRAKES },
      { x: lengthM + 2, y: 0, isWreck: true, features: F_BRAKES },
    ]);
    let before = look(kernel, slab);
    const contacts: ContactFacts[] = [];
    for (let tick = 0; tick < 200; tick++) {
      const seen = kernel.contactCount(slab);
      kernel.step(slab, 1);
      const now = look(kernel, slab);
      const energy = (view: SlabView) => energyOf(view, 0) + energyOf(view, 1);
      expect(energy(now)).toBeLessThanOrEqual(energy(before));
      expect(now.real(C_X, 1) - now.real(C_X, 0)).toBeGreaterThan(lengthM - 0.3);
      contacts.push(...kernel.contacts(slab, seen));
      before = now;
    }
    expect(before.real(C_X, 1)).toBeGreaterThan(FIELD + lengthM + 2.5);
    expect(contacts).toHaveLength(1);
    expect(contacts[0]?.closingMps).toBeGreaterThan(5);
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
        expect(now.real(array, car)).toBe(before.real(array, car));
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
    expect(view.real(C_VX, 0)).toBeLessThan(6);
    expect(view.real(C_VX, 0)).toBeGreaterThan(6 - 0.03);
    expect(view.real(C_VX, 1)).toBeLessThan(9.8);
    expect(view.real(C_VX, 1)).toBeGreaterThan(9.8 - 0.03);
  });

  it('scrub to a stop sideways by friction, keeping their direction', () => {
    const { kernel, slab } = staged([{ x: 0, y: 0, vy: 10, isWreck: true }]);
    kernel.step(slab, 25);
    const view = look(kernel, slab);
    // Half a second of 0.95 g.
    expect(view.real(C_VY, 0)).toBeCloseTo(10 - 0.5 * 0.95 * 9.81, 1);
    stepTo(kernel, slab, 300);
    const rest = look(kernel, slab);
    expect(rest.real(C_Y, 0) - FIELD).toBeCloseTo(100 / (2 * 0.95 * 9.81), 0);
    expect(rest.real(C_VY, 0)).toBe(0);
  });

  it('fly straight on while they spin, and the spin dies', () => {
    const { kernel, slab } = staged([{ x: 0, y: 0, vx: 12, yawRate: 5, isWreck: true }]);
    let turned = 0;
    let before = look(kernel, slab);
    for (let tick = 0; tick < 400; tick++) {
      kernel.step(slab, 1);
      const now = look(kernel, slab);
      expect(Math.abs(now.real(C_YAW_RATE, 0))).toBeLessThanOrEqual(
        Math.abs(before.real(C_YAW_RATE, 0)),
      );
      turned += now.real(C_YAW_RATE, 0) * TICK_S;
      before = now;
    }
    expect(turned).toBeGreaterThan(1);
    expect(before.real(C_YAW_RATE, 0)).toBe(0);
    expect(before.real(C_X, 0) - FIELD).toBeGreaterThan(8);
  });
});
