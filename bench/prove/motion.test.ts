import { expect, it } from 'vitest';
import type { Motion } from './motion.ts';
import { motionSection } from './motion-report.ts';

function motionOf(headwayS: number, greatest: number, kernel: number): Motion {
  const grip = { ticks: 1, slipperyTicks: 1, greatest, where: 'here' };
  return {
    cities: [{ name: 'grid', headwaysS: [1, headwayS, 5], grip }],
    yawRates: [{ timeS: 0.5, linear: 1, nonlinear: 0.96, drift: 0.955, kernel }],
  };
}

const missed = (motion: Motion): string[] =>
  motionSection(motion).figures.flatMap(({ name, target }) => (target?.met ? [] : [name]));

it('marks headways, grip and yaw rates', () => {
  expect(missed(motionOf(1.5, 0.95, 0.961))).toEqual([]);
  expect(missed(motionOf(2.2, 0.95, 0.961))).toEqual(['grid: median headway']);
  expect(missed(motionOf(1.1, 0.95, 0.961))).toEqual(['grid: median headway, no less']);
  expect(missed(motionOf(1.5, 1.18, 0.961))).toEqual(['grid: greatest share of the grip']);
  expect(missed(motionOf(1.5, 0.95, 0.99))).toHaveLength(2);
});

it('shows the published models beside the kernel', () => {
  const yaw = motionSection(motionOf(1.5, 0.95, 0.961)).tables[1];
  expect(yaw?.rows).toEqual([['0.5', '1.0000', '-3.9 %', '-4.0 %', '-4.5 %']]);
});
