import { expect, test } from 'vitest';
import type { Incident, Snapshot } from '../api/types.ts';
import { bearingOf, partiesOf, placesIn, trailOf } from './parties.ts';

const INCIDENT = {
  tick: 1000,
  vehicles: [
    { vin: 'A', role: 'struck' },
    { vin: 'B', role: 'striking' },
  ],
  other: [
    { kind: 'deer', hazard: 'h1' },
    { kind: 'building', hazard: null },
  ],
} as unknown as Incident;

const frameAt = (tick: number, active = true) =>
  ({
    tick,
    vehicles: [
      { vin: 'A', x: tick / 100, y: 1, heading: 0 },
      { vin: 'B', x: 2, y: tick / 100, heading: tick / 1000 },
      { vin: 'C', x: 90, y: 90, heading: 0 },
    ],
    hazards: [
      { id: 'h1', active, x: 5, y: 6 },
      { id: 'h2', active: true, x: 50, y: 60 },
    ],
  }) as unknown as Snapshot;

test('the parties are the cars and the actors of an incident, and nobody else', () => {
  const parties = partiesOf(INCIDENT);
  expect(parties).toEqual({ vins: ['A', 'B'], hazards: ['h1'] });
  expect(placesIn(frameAt(1000), parties, [7, 7])).toEqual([
    [10, 1],
    [2, 10],
    [5, 6],
  ]);
  expect(placesIn(frameAt(900, false), parties, [7, 7])).toHaveLength(2);
});

test('a ghost is a place more, and where one car alone is seen, so is the contact', () => {
  const frame = { ...frameAt(1000, false), ghosts: [{ x: 3, y: 4 }] };
  expect(placesIn(frame, { vins: ['A'], hazards: ['h1'] }, [7, 7])).toEqual([
    [10, 1],
    [3, 4],
    [7, 7],
  ]);
});

test('the camera looks as the striking car did a second before', () => {
  const frames = [900, 948, 952, 1000].map((tick) => frameAt(tick));
  expect(bearingOf(INCIDENT, frames)).toBeCloseTo(0.948, 9);
  expect(bearingOf({ ...INCIDENT, tick: 800 }, frames)).toBeCloseTo(0.9, 9);
});

test('a trail is of the last three seconds, and ends at the shown moment', () => {
  const frames = Array.from({ length: 100 }, (_, i) => frameAt(800 + 4 * i));
  const trail = trailOf(frames, 'A', 1002);
  expect(trail.at(-1)).toEqual([10, 1]);
  expect(trail[0]?.[0]).toBeGreaterThan(8.5);
  expect(trail).toHaveLength(19);
  expect(trailOf(frames, 'nobody', 1002)).toEqual([]);
});
