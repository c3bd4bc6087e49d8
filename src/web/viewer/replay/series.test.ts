import { expect, test } from 'vitest';
import type { Incident, MapRoad, Snapshot } from '../api/types.ts';
import { actionsOf, limitOf, samplesOf } from './series.ts';

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

test('the speed limit of the street on which the first vehicle was last, also before a junction', () => {
  const driven = (roads: readonly string[]) =>
    roads.map((road, i) => ({
      tick: 4 * i,
      vehicles: [{ vin: 'A', road }],
    })) as unknown as Snapshot[];
  const incident = { tick: 8, vehicles: [{ vin: 'A' }] } as unknown as Incident;
  const roads = [
    { id: 'r1', speed_limit: 50 / 3.6 },
    { id: 'r2', speed_limit: 10 },
    { id: 'r3', speed_limit: 20 },
  ] as MapRoad[];
  expect(limitOf(incident, driven(['r1', 'r2', 'r2', 'r3']), roads)).toBe(36);
  expect(limitOf(incident, driven(['r1', '', '']), roads)).toBeCloseTo(50, 9);
  expect(limitOf(incident, driven(['', '']), roads)).toBeNull();
});
