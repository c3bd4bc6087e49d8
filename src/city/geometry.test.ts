import { describe, expect, test } from 'vitest';
import {
  areaOf,
  at,
  bend,
  convexHull,
  direction,
  distance,
  distanceBetweenPaths,
  distanceToPath,
  endDirection,
  headingOf,
  intersectConvex,
  lengthOf,
  offsetRight,
  pointAlong,
  rectangle,
  shift,
  startDirection,
  trim,
} from './geometry.ts';
import type { Point } from './types.ts';

const corner: readonly Point[] = [
  [0, 0],
  [10, 0],
  [10, 20],
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

  test('The distance between two paths is the smallest there is.', () => {
    const beside: readonly Point[] = [
      [13, 18],
      [40, 60],
    ];
    expect(distanceToPath([4, 3], corner)).toBe(3);
    expect(distanceBetweenPaths(corner, beside)).toBe(3);
    expect(distanceBetweenPaths(beside, corner)).toBe(3);
  });
});

describe('A bend', () => {
  const curve = bend([0, 0], [1, 0], [10, 10], [0, 1]);

  test('begins and ends where and in the direction that it is asked to.', () => {
    expect(curve[0]).toEqual([0, 0]);
    expect(curve.at(-1)).toEqual([10, 10]);
    expect(headingOf(startDirection(curve))).toBeCloseTo(0, 2);
    expect(headingOf(endDirection(curve))).toBeCloseTo(Math.PI / 2, 2);
  });

  test('around a right angle is nowhere tighter than 0.79 of its leg.', () => {
    for (let i = 1; i < curve.length - 1; i++) {
      expect(radiusAt(curve, i)).toBeGreaterThan(7.85);
    }
  });

  test('with legs of different lengths is straight on the longer one.', () => {
    const late = bend([-5, 0], [1, 0], [10, 10], [0, 1]);
    const straight = late.filter(([x]) => x <= 0);
    expect(straight.length).toBeGreaterThan(5);
    for (const [, y] of straight) expect(y).toBe(0);
    expect(late.slice(straight.length)).toEqual(curve.slice(1));
  });

  test('has points about 0.6 m apart.', () => {
    for (let i = 1; i < curve.length; i++) {
      const apartM = distance(at(curve, i - 1), at(curve, i));
      expect(apartM).toBeGreaterThan(0.45);
      expect(apartM).toBeLessThan(0.75);
    }
  });

  test('cannot lead to a place behind its start.', () => {
    expect(() => bend([0, 0], [1, 0], [-10, 10], [0, 1])).toThrow(RangeError);
  });
});

describe('A shift to another line', () => {
  test('is a straight line where the ends lie on one.', () => {
    expect(shift([0, 0], [0.6, 0.8], [6, 8], [0.6, 0.8])).toEqual([
      [0, 0],
      [6, 8],
    ]);
  });

  test('begins and ends in its directions, and bends gently between.', () => {
    const path = shift([0, 0], [1, 0], [25, 2], [0.96, 0.28]);
    expect(path[0]).toEqual([0, 0]);
    expect(path.at(-1)).toEqual([25, 2]);
    expect(headingOf(startDirection(path))).toBeCloseTo(0, 2);
    expect(headingOf(endDirection(path))).toBeCloseTo(Math.atan2(0.28, 0.96), 2);
    for (let i = 1; i < path.length - 1; i++) expect(radiusAt(path, i)).toBeGreaterThan(30);
  });
});

/** Radius of the circle through a point and its neighbours. */
function radiusAt(path: readonly Point[], i: number): number {
  const [a, b, c] = [at(path, i - 1), at(path, i), at(path, i + 1)];
  const area = Math.abs(areaOf([a, b, c]));
  return (distance(a, b) * distance(b, c) * distance(c, a)) / (4 * area);
}

describe('Polygons', () => {
  test('A hull leaves out what lies inside or on an edge and runs counter-clockwise.', () => {
    const square = rectangle(0, 0, 4, 4);
    const hull = convexHull([...square, [2, 2], [2, 0], [4, 3]]);
    expect(hull).toEqual(square);
    expect(areaOf(hull)).toBe(16);
  });

  test('Two overlapping polygons share what lies in both.', () => {
    const shared = intersectConvex(rectangle(0, 0, 4, 4), rectangle(2, 1, 9, 3));
    expect(areaOf(shared)).toBe(4);
    expect(Math.min(...shared.map(([x]) => x))).toBe(2);
  });

  test('Polygons apart share nothing.', () => {
    expect(intersectConvex(rectangle(0, 0, 1, 1), rectangle(2, 0, 3, 1))).toEqual([]);
  });

  test('A corner that is cut off by a slanting edge is replaced by two.', () => {
    const triangle: readonly Point[] = [
      [0, 0],
      [6, 0],
      [0, 6],
    ];
    const cut = intersectConvex(rectangle(0, 0, 4, 4), triangle);
    expect(cut).toHaveLength(5);
    expect(areaOf(cut)).toBe(14);
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
