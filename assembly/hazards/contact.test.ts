import { describe, expect, test } from 'vitest';
import { at } from '../../src/city/geometry.ts';
import { ACTUATORS, contactOf, stageOf, stepUntil } from '../../src/testing/rigs/hazard-stage.ts';
import {
  A_HX,
  A_HY,
  A_STATE,
  A_STATION,
  A_STRUCK,
  A_X,
  A_Y,
  ACTOR_CARRIED,
  ACTOR_STANDS,
  ACTOR_WAITS,
  C_HX,
  C_HY,
  CONTACT_OBSTACLE,
  CONTACT_PERSON,
  F_ALL,
  F_STEERING,
  FRAME_TICKS,
  O_HAZARD,
  OH_ACTIVE,
  OH_HEADING,
  OH_LENGTH,
  OH_STRIDE,
  OH_WIDTH,
  OH_X,
  OH_Y,
} from '../layout.ts';

describe('What was struck', () => {
  test('lies there, is met once by each car, and is carried off the road after 12 s.', () => {
    const stage = stageOf('parked_row_child');
    const [car = -1] = stage.set({ wayM: 54, speedMps: 13.5, features: ACTUATORS });
    const contact = contactOf(stage, 500);
    expect(contact?.kind).toBe(CONTACT_PERSON);
    // 30 kg before a car of more than a ton: thrown at hardly less than the closing speed.
    const [struck, child] = contact?.parties ?? [];
    expect(child?.deltaVMps).toBeGreaterThan(0.9 * (contact?.closingMps ?? 0));
    expect((struck?.deltaVMps ?? 0) * (struck?.massKg ?? 0)).toBeCloseTo(
      (child?.deltaVMps ?? 0) * 30,
      6,
    );
    expect(stage.i32(A_STATE)).toBe(ACTOR_STANDS);
    expect(stage.i32(A_STRUCK)).toBe(1 << car);
    const since = stage.tick;
    const lies = [stage.real(A_X), stage.real(A_Y)];
    expect(stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_CARRIED, 700)).toBe(true);
    expect(stage.tick - since).toBeGreaterThanOrEqual(600 - FRAME_TICKS);
    expect(lies).not.toEqual([stage.real(A_X), stage.real(A_Y)]);
    // Nobody is near who could see it vanish there.
    stage.set();
    const [endX, endY] = at(stage.hazard.site.actorPath, -1);
    const isAtEnd = () => Math.hypot(stage.real(A_X) - endX, stage.real(A_Y) - endY) < 1e-9;
    expect(stepUntil(stage, isAtEnd, 1500)).toBe(true);
    expect(stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_WAITS, 100)).toBe(true);
    expect(stage.contactCount).toBe(1);
    expect(stage.i32(A_STRUCK)).toBe(0);
  });

  test('is shown as its box while it is there, else as the spot.', () => {
    const stage = stageOf('deer_crossing');
    const { kernel, slab, hazard } = stage;
    const shown = () => {
      const out = kernel.pack(slab);
      return (field: number) => at([...out], O_HAZARD + stage.spot * OH_STRIDE + field);
    };
    const waiting = shown();
    expect([OH_ACTIVE, OH_HEADING, OH_LENGTH, OH_WIDTH].map(waiting)).toEqual([0, 0, 0, 0]);
    expect(Math.abs(waiting(OH_X) - hazard.x * 100)).toBeLessThanOrEqual(0.5);
    expect(Math.abs(waiting(OH_Y) - hazard.y * 100)).toBeLessThanOrEqual(0.5);
    stage.set({ wayM: 56, speedMps: 13.5 });
    stepUntil(stage, () => stage.real(A_STATION) > 2, 300);
    const then = shown();
    expect([OH_ACTIVE, OH_LENGTH, OH_WIDTH].map(then)).toEqual([1, 110, 35]);
    expect(then(OH_X)).toBe(Math.round(stage.real(A_X) * 100));
    expect(then(OH_HEADING) / 1e4).toBeCloseTo(Math.atan2(stage.real(A_HY), stage.real(A_HX)), 3);
  });
});

describe('What stands beside the road', () => {
  test('is an obstacle of its spot to a car that leaves its lane.', () => {
    const stage = stageOf('parked_row_child');
    const steering = F_ALL & ~F_STEERING;
    const [car = 0] = stage.set({ wayM: 32, speedMps: 12, features: steering });
    // 6° to the right, 19 m before the foremost car: 1 m aside after 10 m.
    stage.edit((world) => {
      const [hx, hy] = [world.real(C_HX, car), world.real(C_HY, car)];
      world.setReal(C_HX, car, hx * Math.cos(0.105) + hy * Math.sin(0.105));
      world.setReal(C_HY, car, hy * Math.cos(0.105) - hx * Math.sin(0.105));
    });
    const contact = contactOf(stage, 200);
    expect(contact).toMatchObject({ kind: CONTACT_OBSTACLE, hazard: stage.spot });
    expect(contact?.block).toBeGreaterThanOrEqual(0);
    expect(contact?.parties.map((party) => party.car)).toEqual([car, -1]);
  });
});
