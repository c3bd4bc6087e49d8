import { describe, expect, test } from 'vitest';
import { boundsOf, direction, distanceToPath, lengthOf } from '../city/geometry.ts';
import type { Point } from '../city/types.ts';
import {
  areaOf,
  convexHull,
  covers,
  distanceToPolygon,
  headingOf,
  intersectConvex,
  isConvex,
  offsetRight,
  pointAlong,
  rectangle,
  trim,
} from './geometry.ts';

const corner: readonly Point[] = [
  [0, 0],
  [10, 0],
  [10, 20],
];

const triangle: readonly Point[] = [
  [0, 0],
  [6, 0],
  [0, 6],
];

describe('Paths', () => {
  test('A point along a path is measured around its corners.', () => {
    expect(lengthOf(corner)).toBe(30);
    expect(pointAlong(corner, 4)).toEqual([4, 0]);
    expect(pointAlong(corner, 15)).toEqual([10, 5]);
  });

  test('Trimming takes its metres off both ends and keeps the corners between.', () => {
    expect(trim(corner, 2, 5)).toEqual([
      [2, 0],
      [10, 0],
      [10, 15],
    ]);
    expect(trim(corner, 12, 5)).toEqual([
      [10, 2],
      [10, 15],
    ]);
  });

  test('A path cannot be trimmed to nothing.', () => {
    expect(() => trim(corner, 20, 10)).toThrow(RangeError);
  });

  test('The distance to a path is that to its nearest segment.', () => {
    expect(distanceToPath([4, 3], corner)).toBe(3);
    expect(distanceToPath([13, 24], corner)).toBe(5);
  });

  test('A path moved to the right keeps its distance and is mitred at its corners.', () => {
    expect(offsetRight(corner, 2)).toEqual([
      [0, -2],
      [12, -2],
      [12, 20],
    ]);
    expect(offsetRight(corner, -2)).toEqual([
      [0, 2],
      [8, 2],
      [8, 20],
    ]);
  });

  test('A point has no direction to itself.', () => {
    expect(() => direction([1, 1], [1, 1])).toThrow(RangeError);
  });
});

describe('Polygons', () => {
  test('A hull omits points inside or on an edge and is counter-clockwise.', () => {
    const square = rectangle(0, 0, 4, 4);
    const hull = convexHull([...square, [2, 2], [2, 0], [4, 3]]);
    expect(hull).toEqual(square);
    expect(areaOf(hull)).toBe(16);
  });

  test('Overlapping polygons have an intersection.', () => {
    const shared = intersectConvex(rectangle(0, 0, 4, 4), rectangle(2, 1, 9, 3));
    expect(areaOf(shared)).toBe(4);
    expect(Math.min(...shared.map(([x]) => x))).toBe(2);
  });

  test('Disjoint polygons have none.', () => {
    expect(intersectConvex(rectangle(0, 0, 1, 1), rectangle(2, 0, 3, 1))).toEqual([]);
  });

  test('A corner that is cut off by a slanting edge is replaced by two.', () => {
    const cut = intersectConvex(rectangle(0, 0, 4, 4), triangle);
    expect(cut).toHaveLength(5);
    expect(areaOf(cut)).toBe(14);
  });
});

describe('A polygon', () => {
  test('covers points inside and on its edge.', () => {
    expect(covers(triangle, [2, 2])).toBe(true);
    expect(covers(triangle, [3, 3])).toBe(true);
    expect(covers(triangle, [3.01, 3])).toBe(false);
  });

  test('is as far from a point as its nearest edge or corner, 0 m from one inside.', () => {
    expect(distanceToPolygon([2, -3], triangle)).toBe(3);
    expect(distanceToPolygon([9, -4], triangle)).toBe(5);
    expect(distanceToPolygon([1, 1], triangle)).toBe(0);
  });

  test('is convex where it turns left at every corner.', () => {
    expect(isConvex(triangle)).toBe(true);
    expect(isConvex(triangle.toReversed())).toBe(false);
    expect(isConvex([...triangle, [1, 1]])).toBe(false);
  });

  test('lies in its bounds.', () => {
    expect(boundsOf([...triangle, [-1, 2]])).toEqual({ minX: -1, minY: 0, maxX: 6, maxY: 6 });
  });
});

describe('Headings', () => {
  test('are exact in the four directions of the compass.', () => {
    expect(headingOf([1, 0])).toBe(0);
    expect(headingOf([0, 1])).toBe(Math.PI / 2);
    expect(headingOf([-1, 0])).toBe(Math.PI);
    expect(headingOf([0, -1])).toBe(-Math.PI / 2);
  });

  test('differ from the arctangent by less than 2e-6 all around.', () => {
    for (let i = 0; i < 720; i++) {
      const angle = ((i - 359.5) / 360) * Math.PI;
      const heading = headingOf([Math.cos(angle), Math.sin(angle)]);
      expect(Math.abs(heading - angle)).toBeLessThan(2e-6);
    }
  });
});
