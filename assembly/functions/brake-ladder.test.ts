import { describe, expect, test } from 'vitest';
import { HardStops } from '../../src/testing/rigs/hard-stops.ts';
import { acts, contactOf, stageOf, stepUntil } from '../../src/testing/rigs/hazard-stage.ts';
import { cars, makeKernel, makeWorld, SlabView } from '../../src/testing/rigs/kernel.ts';
import { C_ACCEL, C_VX, FRAME_TICKS, TICK_S, TICKS_PER_S } from '../layout.ts';

describe('For what can be seen in time', () => {
  test.each(['dark_zebra', 'deer_crossing'] as const)(
    '[C30] at a %s a car slows gently, and nobody is touched.',
    (kind) => {
      const stage = stageOf(kind);
      const [car = 0] = stage.set({ wayM: 56, speedMps: 13.5 });
      expect(stepUntil(stage, acts(stage), 200)).toBe(true);
      let hardest = 0;
      let slowest = 13.5;
      stepUntil(
        stage,
        () => {
          hardest = Math.min(hardest, stage.car(C_ACCEL, car));
          slowest = Math.min(slowest, stage.car(C_VX, car));
          return false;
        },
        300,
      );
      expect(slowest).toBeLessThan(7);
      expect(hardest).toBeLessThan(-2);
      expect(hardest).toBeGreaterThan(-5);
      expect(contactOf(stage, 200)).toBeUndefined();
    },
  );
});

test('[C30] With everything on, cars brake harder than 6 m/s² at most 315 times in 1,000 km.', () => {
  const kernel = makeKernel(1);
  let [stops, metres] = [0, 0];
  for (const cityIndex of [0, 1, 2]) {
    const slab = makeWorld(kernel, 640 + cityIndex, cityIndex);
    const world = new SlabView(kernel.view(slab));
    const hard = new HardStops();
    for (let tick = 0; tick < 600 * TICKS_PER_S; tick += FRAME_TICKS) {
      kernel.step(slab, FRAME_TICKS);
      hard.read(world);
      for (const car of cars) metres += world.real(C_VX, car) * FRAME_TICKS * TICK_S;
    }
    stops += hard.count;
    kernel.release(slab);
  }
  expect(metres).toBeGreaterThan(180_000);
  expect((stops / metres) * 1_000_000).toBeLessThan(315);
});
