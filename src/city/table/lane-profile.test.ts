import { describe, expect, test } from 'vitest';
import { grid as city } from '../../testing/rigs/cities.ts';
import { roadLane } from '../../testing/rigs/paths.ts';
import { at } from '../geometry.ts';
import type { City, Point } from '../types.ts';
import { type LaneProfile, profilesOf } from './lane-profile.ts';

const profiles = profilesOf(city);

const profileOf = (index: number): LaneProfile => at(profiles, index);

/** The profile of a city's only lane: an arc of the unit circle, times the radius. */
function profileOfArc(radiusM: number, turnRad: number): LaneProfile {
  const pieces = Math.ceil((radiusM * turnRad) / 0.6);
  const polyline = Array.from({ length: pieces + 1 }, (_, i): Point => {
    const angle = (turnRad * i) / pieces;
    return [radiusM * Math.sin(angle), radiusM * (1 - Math.cos(angle))];
  });
  return at(profilesOf({ ...city, lanes: [roadLane(polyline)] } satisfies City), 0);
}

describe('The profile of a lane', () => {
  test('begins and ends in the very ends of its polyline.', () => {
    for (const [index, lane] of city.lanes.entries()) {
      const { points } = profileOf(index);
      expect(points[0]?.position).toEqual(lane.polyline[0]);
      expect(points.at(-1)?.position).toEqual(lane.polyline.at(-1));
    }
  });

  test('has points at equal steps, about 1 m apart on roads and 0.5 m on connectors.', () => {
    for (const [index, lane] of city.lanes.entries()) {
      const { points, spacingM, lengthM } = profileOf(index);
      expect(Math.abs(spacingM - (lane.junction < 0 ? 1 : 0.5))).toBeLessThan(0.02);
      expect(spacingM * (points.length - 1)).toBeCloseTo(lengthM, 9);
      for (const [i, { position }] of points.entries()) {
        const before = points[i - 1]?.position;
        if (!before) continue;
        const stepM = Math.hypot(position[0] - before[0], position[1] - before[1]);
        expect(Math.abs(stepM - spacingM)).toBeLessThan(0.001);
      }
    }
  });

  test('has unit tangents that point from each point to the next.', () => {
    for (const { points, spacingM } of profiles) {
      for (const [i, { position, tangent }] of points.entries()) {
        expect(Math.hypot(...tangent)).toBeCloseTo(1, 12);
        const next = points[i + 1]?.position;
        if (!next) continue;
        const ahead = (next[0] - position[0]) * tangent[0] + (next[1] - position[1]) * tangent[1];
        expect(ahead / spacingM).toBeGreaterThan(0.998);
      }
    }
  });

  test('continues the direction of the lane before it.', () => {
    for (const [index, lane] of city.lanes.entries()) {
      const end = profileOf(index).points.at(-1)?.tangent ?? [0, 0];
      for (const next of lane.next) {
        const start = profileOf(next).points[0]?.tangent ?? [0, 0];
        expect(end[0] * start[0] + end[1] * start[1]).toBeGreaterThan(1 - 1e-9);
      }
    }
  });

  test('of a straight lane has no curvature at all.', () => {
    for (const [index, lane] of city.lanes.entries()) {
      if (lane.polyline.length > 2) continue;
      for (const { curvature } of profileOf(index).points) expect(Math.abs(curvature)).toBe(0);
    }
  });

  test('is curved to the left on left turns, to the right on right turns, without jumps.', () => {
    for (const [index, { connector }] of city.lanes.entries()) {
      if (!connector || connector.turn === 'straight') continue;
      const sign = connector.turn === 'left' ? 1 : -1;
      const curvatures = profileOf(index).points.map(({ curvature }) => curvature * sign);
      expect(Math.min(...curvatures)).toBeGreaterThan(-1e-3);
      expect(Math.max(...curvatures)).toBeGreaterThan(0.05);
      for (const [i, curvature] of [...curvatures, 0].entries()) {
        expect(Math.abs(curvature - (curvatures[i - 1] ?? 0))).toBeLessThan(0.02);
      }
    }
  });

  test('of a quarter circle has its length and its curvature.', () => {
    const { lengthM, points } = profileOfArc(12, Math.PI / 2);
    expect(lengthM).toBeCloseTo(12 * (Math.PI / 2), 3);
    for (const { position, curvature } of points.slice(4, -4)) {
      expect(Math.hypot(position[0], position[1] - 12)).toBeCloseTo(12, 3);
      expect(curvature).toBeCloseTo(1 / 12, 3);
    }
  });

  test('turns by a right angle in all on every turn.', () => {
    for (const [index, { connector }] of city.lanes.entries()) {
      if (!connector || connector.turn === 'straight') continue;
      const { points, spacingM } = profileOf(index);
      const turn = points.reduce((sum, { curvature }) => sum + curvature * spacingM, 0);
      expect(Math.abs(turn)).toBeCloseTo(Math.PI / 2, 2);
    }
  });
});
