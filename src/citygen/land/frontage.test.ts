import { describe, expect, test } from 'vitest';
import { at, distance, distanceToPath } from '../../city/geometry.ts';
import type { Point } from '../../city/types.ts';
import { roadLane } from '../../testing/rigs/paths.ts';
import { roundedPath } from '../curves.ts';
import { areaOf, distanceToPolygon, intersectConvex, offsetRight } from '../geometry.ts';
import { RandomStream } from '../random-stream.ts';
import { buildInsideBend, buildWallOutside, fillWithGreens, lineWithHouses } from './frontage.ts';
import { Land } from './land.ts';

const HALF_WIDTH_M = 3.5;
const CORNER = { x: 100, y: 0, radiusM: 25 };
const axis = roundedPath([0, 0], [CORNER], [100, 100]);

const lanes = [axis, axis.toReversed()].map((path) =>
  roadLane(offsetRight(path, HALF_WIDTH_M / 2), { widthM: HALF_WIDTH_M }),
);
const landBeside = () => new Land(lanes, { besideRoadM: 1.9, besideTurnM: 1 });

const style = {
  frontM: [14, 20],
  depthM: [10, 12],
  heightM: [8, 12],
  setBackM: 4,
  gapM: 2,
} as const;

describe('Houses along a street', () => {
  const land = landBeside();
  lineWithHouses(land, { axis, halfWidthM: HALF_WIDTH_M, style }, new RandomStream(1, 1));
  const footprints = land.built.map(({ polygon }) => polygon);

  test('stand on both sides, most of its length.', () => {
    expect(footprints.length).toBeGreaterThan(12);
    const frontsM = footprints.map((polygon) => distance(at(polygon, 2), at(polygon, 3)));
    expect(frontsM.reduce((sum, frontM) => sum + frontM)).toBeGreaterThan(200);
  });

  test('have their façades at the set-back, or a little nearer inside a bend.', () => {
    for (const polygon of footprints) {
      const fromAxisM = distanceToPath(at(polygon, 2), axis);
      expect(fromAxisM).toBeCloseTo(HALF_WIDTH_M + style.setBackM, 1);
    }
  });

  test('do not overlap.', () => {
    for (const [i, a] of footprints.entries()) {
      for (const b of footprints.slice(i + 1)) {
        expect(areaOf(intersectConvex(a, b))).toBeLessThan(0.01);
      }
    }
  });
});

test('A wall runs 2 m beside the road along the outside of a bend.', () => {
  const land = landBeside();
  buildWallOutside(land, axis, CORNER, HALF_WIDTH_M);
  expect(land.built.length).toBeGreaterThan(8);
  for (const { kind, polygon, solid } of land.built) {
    expect([kind, solid]).toEqual(['wall', true]);
    const middle: Point = [
      (at(polygon, 2)[0] + at(polygon, 3)[0]) / 2,
      (at(polygon, 2)[1] + at(polygon, 3)[1]) / 2,
    ];
    const besideM = distanceToPath(middle, axis) - HALF_WIDTH_M;
    expect(besideM).toBeGreaterThan(1.9);
    expect(besideM).toBeLessThan(2.05);
    expect(middle[0] - middle[1]).toBeGreaterThan(50);
  }
});

test('A house inside a bend is as near to the road as the land allows.', () => {
  const land = landBeside();
  buildInsideBend(land, [CORNER.x, CORNER.y], [1, 0], [0, 1], 10);
  const { polygon } = at(land.built, 0);
  expect(areaOf(polygon)).toBeGreaterThan(50);
  const nearestM = Math.min(...axis.map((point) => distanceToPolygon(point, polygon)));
  expect(nearestM).toBeGreaterThan(HALF_WIDTH_M + 1.8);
  expect(nearestM).toBeLessThan(HALF_WIDTH_M + 2.5);
});

test('Greens lie in the free land, clear of lanes and of each other.', () => {
  const land = landBeside();
  fillWithGreens(land, { minX: -20, minY: -80, maxX: 180, maxY: 120 }, 6);
  expect(land.built.length).toBeGreaterThan(2);
  expect(land.built.length).toBeLessThanOrEqual(6);
  for (const [i, { kind, polygon, solid }] of land.built.entries()) {
    expect([kind, solid]).toEqual(['park', false]);
    expect(areaOf(polygon)).toBeGreaterThan(250);
    for (const point of axis) {
      expect(distanceToPolygon(point, polygon)).toBeGreaterThan(HALF_WIDTH_M + 1.6);
    }
    for (const other of land.built.slice(i + 1)) {
      expect(areaOf(intersectConvex(polygon, other.polygon))).toBeLessThan(0.01);
    }
  }
});
