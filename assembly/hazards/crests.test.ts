import { describe, expect, test } from 'vitest';
import { at } from '../../src/city/geometry.ts';
import { endsOf } from '../../src/citygen/hazards/paths.ts';
import { NOSE_M } from '../../src/testing/rigs/course.ts';
import { contactOf, stageOf, stepUntil } from '../../src/testing/rigs/hazard-stage.ts';
import type { SpotCar } from '../../src/testing/rigs/spot-stage.ts';
import {
  A_ARMED,
  A_SIGHT,
  A_SPEED,
  A_STATE,
  A_X,
  A_Y,
  ACTOR_ACTS,
  ACTOR_STANDS,
  C_VX,
  C_X,
  C_Y,
  F_ALL,
  F_EVASIVE_STEERING,
} from '../layout.ts';

describe('What rolls into the lane behind a crest', () => {
  const comesFor = (...others: readonly SpotCar[]) => {
    const stage = stageOf('wet_crest');
    stage.set(...others);
    return stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_ACTS, 60);
  };

  test('comes for a driver who sees it too late to brake and early enough to steer.', () => {
    expect(comesFor({ wayM: 42, speedMps: 12.8 })).toBe(true);
    expect(comesFor({ wayM: 53, speedMps: 16 })).toBe(true);
    // From 9 m/s one stops in 11.4 m, and needs 13.1 m to steer.
    expect(comesFor({ wayM: 29, speedMps: 9 })).toBe(false);
  });

  test('never comes so late that the driver cannot steer, even if the car accelerates.', () => {
    const endsOf = (features: number) => {
      const ends: { seenS: number; hits: boolean }[] = [];
      for (let speedMps = 11; speedMps < 16.5; speedMps += 0.1) {
        const stage = stageOf('wet_crest');
        const { x, y } = stage.hazard;
        const [car = 0] = stage.set({ wayM: 3.35 * speedMps, speedMps, features });
        const wayM = () =>
          Math.hypot(stage.car(C_X, car) - x, stage.car(C_Y, car) - y) - at([...NOSE_M], 2);
        // The camera is 1.6 m behind the front.
        const isSeen = () => wayM() <= stage.f32(A_SIGHT) - 1.6;
        stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_ACTS && isSeen(), 150);
        if (stage.i32(A_STATE) !== ACTOR_ACTS) continue;
        expect(stage.real(A_SPEED)).toBe(0);
        const seenS = (stage.f32(A_SIGHT) - 1.6) / stage.car(C_VX, car);
        ends.push({ seenS, hits: contactOf(stage, 320) !== undefined });
      }
      return ends;
    };
    const on = endsOf(F_ALL);
    expect(on.length).toBeGreaterThan(30);
    // 0.23 s until the camera knows it, 1.05 s to gain a metre, 0.15 s to spare.
    expect(Math.min(...on.map(({ seenS }) => seenS))).toBeGreaterThan(1.43);
    expect(on.filter(({ hits }) => hits)).toEqual([]);
    // Without evasive steering the car is too fast to brake.
    const off = endsOf(F_ALL & ~F_EVASIVE_STEERING);
    expect(off.length).toBe(on.length);
    expect(off.filter(({ hits }) => hits).length).toBeGreaterThan(0.9 * off.length);
  });

  test('does not come with a car beyond it, nor with one close behind the car.', () => {
    expect(comesFor({ wayM: 42, speedMps: 12.8 }, { wayM: -10, speedMps: 0 })).toBe(false);
    expect(comesFor({ wayM: 42, speedMps: 12.8 }, { wayM: 62, speedMps: 12.8 })).toBe(false);
  });

  test('rolls back beside the road once it is passed, and waits there in sight.', () => {
    const stage = stageOf('wet_crest');
    stage.set({ wayM: 42, speedMps: 12.8 });
    expect(stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_ACTS, 60)).toBe(true);
    stage.set();
    const { start } = endsOf(stage.hazard.site.actorPath, { lengthM: 1, widthM: 1 });
    expect(stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_STANDS, 300)).toBe(true);
    expect(stage.real(A_X)).toBeCloseTo(start.x, 6);
    expect(stage.real(A_Y)).toBeCloseTo(start.y, 6);
    expect(stage.i32(A_ARMED)).toBeGreaterThan(stage.tick);
  });
});
