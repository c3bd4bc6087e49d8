import { describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import { at, cross, distance, dot } from '../../city/geometry.ts';
import type { Block, Lane, Point } from '../../city/types.ts';
import { cityOf } from '../../testing/rigs/cities.ts';
import { areNear, boxOf, curvatureAt, isConnected } from '../../testing/rigs/paths.ts';
import {
  areaOf,
  distanceToPolygon,
  endDirection,
  intersectConvex,
  isConvex,
  isNearBounds,
  startDirection,
} from '../geometry.ts';

const LIMITS_MPS = { arterial: 60 / 3.6, collector: 50 / 3.6, local: 30 / 3.6 };

/** Blocks are compared with what is so near. */
const REACH_M = 6;
/** Tests of routes use it too, so that a process makes each city once. */
const OTHER_SEED = 1;

const CASES = CITIES.flatMap(({ name, seed }) => [
  { name, seed },
  { name, seed: OTHER_SEED },
]);

describe.each(CASES)('In $name of seed $seed', ({ name, seed }) => {
  const city = cityOf(name, seed);
  const { lanes, roads, junctions, blocks, bounds } = city;

  test('it differs from the city of another seed.', () => {
    const other = CASES.find((one) => one.name === name && one.seed !== seed);
    expect(junctions).not.toEqual(cityOf(name, other?.seed ?? seed).junctions);
  });

  test('[W24] it is 600 to 900 m across.', () => {
    for (const acrossM of [bounds.maxX - bounds.minX, bounds.maxY - bounds.minY]) {
      expect(acrossM).toBeGreaterThan(600);
      expect(acrossM).toBeLessThan(900);
    }
  });

  test('[W26] there are junctions with signals, priority, stop signs and no control.', () => {
    const controls = new Set(junctions.map(({ control }) => control));
    expect(controls).toEqual(new Set(['signals', 'priority', 'stop', 'none']));
  });

  test('roads have different names, and the limit of their class.', () => {
    expect(new Set(roads.map((road) => road.name)).size).toBe(roads.length);
    for (const road of roads) {
      expect(road.speedLimitMps).toBe(LIMITS_MPS[road.class]);
      for (const lane of road.lanes) expect(at(lanes, lane).speedLimitMps).toBe(road.speedLimitMps);
    }
  });

  test('[W25] every lane reaches every other.', () => {
    expect(isConnected(lanes)).toBe(true);
  });

  test('a lane continues into the next at the same point in the same direction.', () => {
    for (const lane of lanes) {
      for (const next of lane.next) {
        const { polyline } = at(lanes, next);
        expect(at(lane.polyline, -1)).toEqual(at(polyline, 0));
        const [before, after] = [endDirection(lane.polyline), startDirection(polyline)];
        expect(dot(before, after)).toBeGreaterThan(0);
        expect(Math.abs(cross(before, after))).toBeLessThan(Math.sin(Math.PI / 180));
      }
    }
  });

  test('roads leave 3.4 m of straight before a junction and bend nowhere below 8 m.', () => {
    for (const { polyline, road } of lanes) {
      for (let i = 1; i < polyline.length - 1; i++) {
        const curvature = Math.abs(curvatureAt(polyline, i));
        expect(curvature).toBeLessThan(1 / 8);
        const ends = [at(polyline, 0), at(polyline, -1)];
        const toEndM = Math.min(...ends.map((end) => distance(at(polyline, i), end)));
        if (road >= 0 && toEndM < 3.4) expect(curvature).toBeLessThan(1e-4);
      }
    }
  });

  test('curvature along a road rises and falls by at most 0.02 in a metre.', () => {
    for (const { polyline, road } of lanes) {
      if (road < 0) continue;
      for (let i = 2; i < polyline.length - 1; i++) {
        const change = Math.abs(curvatureAt(polyline, i) - curvatureAt(polyline, i - 1));
        const apartM = distance(at(polyline, i - 1), at(polyline, i));
        expect(change / apartM).toBeLessThan(0.02);
        expect(apartM).toBeLessThan(2);
      }
    }
  });

  test('neighbouring arms of a junction are at least 60° apart.', () => {
    for (const junction of junctions.keys()) {
      const outward = armsOf(lanes, junction);
      for (const [i, a] of outward.entries()) {
        for (const b of outward.slice(i + 1)) expect(dot(a, b)).toBeLessThan(0.5);
      }
    }
  });

  test('blocks are convex, counter-clockwise, with three to eight corners.', () => {
    for (const { polygon } of blocks) {
      expect(polygon.length).toBeGreaterThanOrEqual(3);
      expect(polygon.length).toBeLessThanOrEqual(8);
      expect(isConvex(polygon)).toBe(true);
    }
  });

  test('no block comes within 1 m of a lane, and none overlaps another.', () => {
    for (const [i, a] of blocks.entries()) {
      for (const lane of lanes) {
        if (!areNear(a.polygon, lane.polyline, REACH_M)) continue;
        expect(roomBeside(lane, a)).toBeGreaterThan(1);
      }
      for (const b of blocks.slice(i + 1)) {
        if (!areNear(a.polygon, b.polygon, REACH_M)) continue;
        expect(areaOf(intersectConvex(a.polygon, b.polygon))).toBeLessThan(0.02);
      }
    }
  });

  test('blocks are buildings, walls, parks and squares, at most 500.', () => {
    expect(new Set(blocks.map(({ kind }) => kind))).toEqual(
      new Set(['building', 'wall', 'park', 'square']),
    );
    expect(blocks.length).toBeLessThanOrEqual(500);
  });
});

/** Directions in which roads leave a junction, of lanes side by side only one. */
function armsOf(lanes: readonly Lane[], junction: number): Point[] {
  const leaving = lanes.flatMap(({ connector, junction: own }) =>
    connector && own === junction ? [connector.to] : [],
  );
  const outward = [...new Set(leaving)].map((lane) => startDirection(at(lanes, lane).polyline));
  return outward.filter((one, i) => outward.slice(0, i).every((other) => dot(one, other) < 0.9999));
}

/**
 * Metres from the lane's edge to the block, up to REACH_M from its middle; negative where a point of
 * the lane is in it.
 */
function roomBeside({ polyline, widthM }: Lane, { polygon }: Block): number {
  const box = boxOf(polygon);
  let nearestM = REACH_M;
  for (const [i, to] of polyline.entries()) {
    const from = polyline[i - 1] ?? to;
    const pieces = Math.max(1, Math.ceil(distance(from, to)));
    for (let k = 1; k <= pieces; k++) {
      const share = k / pieces;
      const point: Point = [
        from[0] + (to[0] - from[0]) * share,
        from[1] + (to[1] - from[1]) * share,
      ];
      if (isNearBounds(point, box, REACH_M))
        nearestM = Math.min(nearestM, distanceToPolygon(point, polygon));
    }
  }
  return nearestM - widthM / 2;
}
