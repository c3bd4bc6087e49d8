import { expect, test } from 'vitest';
import type { Snapshot } from '../api/types.ts';
import { actionsOf, samplesOf } from './series.ts';

const frames = Array.from({ length: 30 }, (_, i) => ({
  tick: 4 * i,
  vehicles: [
    {
      vin: 'A',
      speed: i < 20 ? 10 - 0.4 * i : 0,
      aeb: i >= 5 && i < 9,
      esc: false,
      evasive: i === 12,
      braking: i >= 3 && i < 9,
    },
  ],
})) as unknown as Snapshot[];

test('speed in km/h, and the acceleration over three frames, but not across an impact', () => {
  const samples = samplesOf(frames, 'A');
  expect(samples[0]).toEqual({ tick: 0, kmh: 36, acceleration: null });
  // 0.4 m/s in 0.08 s.
  expect(samples[10]?.acceleration).toBeCloseTo(-5, 9);
  expect(samples[20]?.acceleration).toBeNull();
  expect(samples[25]?.acceleration).toBe(0);
  expect(samplesOf(frames, 'nobody')).toEqual([]);
});

test('what acted and when, braking by the driver apart from AEB', () => {
  expect(actionsOf(frames, 'A')).toEqual([
    { name: 'Braking', fromTick: 12, toTick: 16 },
    { name: 'AEB', fromTick: 20, toTick: 32 },
    { name: 'Evading', fromTick: 48, toTick: 48 },
  ]);
});
