import { describe, expect, it, test } from 'vitest';
import { at } from '../src/city/geometry.ts';
import { MANOEUVRES } from '../src/testing/rigs/commonroad.ts';
import { yawRatesAt } from '../src/testing/rigs/ramp-steer.ts';

const percent = (value: number, reference: number): number => 100 * (value / reference - 1);

describe('the yaw rate at 15 m/s while the wheels turn by 0.15 rad/s', () => {
  it('is that of the published linear model where its states are known', () => {
    const published = MANOEUVRES.find(({ name }) => name === 'coast, left')?.singleTrack ?? [];
    expect(published.length).toBe(4);
    for (const state of published) {
      expect(Math.abs(yawRatesAt(at(state, 0)).linear - at(state, 6))).toBeLessThan(1e-6);
    }
  });

  test.each([0.1, 0.2, 0.3, 0.4, 0.5, 0.74, 1])(
    '[C4] is within 0.9 %% of the nonlinear equations after %d s',
    (timeS) => {
      const { kernel, nonlinear } = yawRatesAt(timeS);
      expect(Math.abs(percent(kernel, nonlinear))).toBeLessThan(0.9);
    },
  );

  // Tyres that saturate turn a car less than linear ones, the more the nearer they are to their limit.
  test.each([
    [0.2, -1.4],
    [0.3, -2],
    [0.4, -2.8],
    [0.5, -3.9],
    [1, -12.2],
  ])('[C4] after %d s differs by %d %% from linear tyres', (timeS, expected) => {
    const { kernel, linear } = yawRatesAt(timeS);
    expect(Math.abs(percent(kernel, linear) - expected)).toBeLessThan(0.15);
  });

  it('[C4] is between that of linear tyres and that of the published ones which saturate', () => {
    for (const [timeS, mostPercent] of [
      [0.5, 1],
      [1, 6],
    ] as const) {
      const { kernel, linear, drift = Number.NaN } = yawRatesAt(timeS);
      expect(kernel).toBeLessThan(linear);
      expect(kernel).toBeGreaterThan(drift);
      expect(percent(kernel, drift)).toBeLessThan(mostPercent);
    }
  });

  /**
   * A published comparison of the same two sets of equations: its nonlinear model holds the angle of
   * the end of each step of 10 ms, so its wheels are 5 ms ahead of those of the linear one.
   */
  test.each([
    [0.2, 2.2],
    [0.3, 0.1],
    [0.4, -1.5],
    [0.5, -2.9],
    [0.75, -6.8],
    [1, -12.3],
  ])('after %d s would differ by %d %% with wheels that are 5 ms ahead', (timeS, expected) => {
    const { nonlinear, linear } = yawRatesAt(timeS, 0.005);
    expect(Math.abs(percent(nonlinear, linear) - expected)).toBeLessThan(0.15);
  });
});
