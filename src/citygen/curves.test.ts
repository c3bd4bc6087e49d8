import { describe, expect, test } from 'vitest';
import { at, cross, direction, distance, lengthOf } from '../city/geometry.ts';
import type { Point } from '../city/types.ts';
import { curvatureAt } from '../testing/rigs/paths.ts';
import { bend, evenlySpaced, pacedAlong, roundCorner, roundedPath, shift } from './curves.ts';
import { endDirection, headingOf, startDirection } from './geometry.ts';

const curvaturesOf = (path: readonly Point[]): number[] =>
  path.slice(1, -1).map((_, i) => curvatureAt(path, i + 1));

describe('The bend around a corner', () => {
  const radiusM = 30;
  const rampM = 12;
  const left = roundCorner([100, 0], [1, 0], [0, 1], radiusM);

  test('begins and ends on the legs, as far from the corner, in their directions.', () => {
    const [start, end] = [at(left, 0), at(left, -1)];
    expect(start[1]).toBeCloseTo(0, 12);
    expect(end[0]).toBeCloseTo(100, 12);
    expect(100 - start[0]).toBeCloseTo(end[1], 9);
    expect(Math.abs(cross(startDirection(left), [1, 0]))).toBeLessThan(0.003);
    expect(Math.abs(cross(endDirection(left), [0, 1]))).toBeLessThan(0.003);
  });

  test('turns by the angle on the arc and half of it on each ramp: θR + L metres.', () => {
    expect(lengthOf(left)).toBeCloseTo((Math.PI / 2) * radiusM + rampM, 1);
  });

  test('has a curvature that rises evenly, stays at 1 / R and falls evenly.', () => {
    const curvatures = curvaturesOf(left);
    const spacingM = distance(at(left, 0), at(left, 1));
    expect(Math.max(...curvatures)).toBeCloseTo(1 / radiusM, 4);
    expect(Math.min(...curvatures)).toBeGreaterThan(0);
    const onArc = curvatures.filter((curvature) => Math.abs(curvature - 1 / radiusM) < 1e-4);
    expect(onArc.length * spacingM).toBeGreaterThan((Math.PI / 2) * radiusM - rampM - 2);
    for (const [i, curvature] of curvatures.slice(1).entries()) {
      const changePerM = Math.abs(curvature - at(curvatures, i)) / spacingM;
      expect(changePerM).toBeLessThan(1.06 / radiusM / rampM);
    }
  });

  test('to the right mirrors the one to the left.', () => {
    const right = roundCorner([100, 0], [1, 0], [0, -1], radiusM);
    expect(right).toHaveLength(left.length);
    for (const [i, [x, y]] of right.entries()) {
      expect(x).toBeCloseTo(at(left, i)[0], 9);
      expect(y).toBeCloseTo(-at(left, i)[1], 9);
    }
  });

  test('around a blunt corner is two ramps and nowhere as tight as its arc would be.', () => {
    const curvatures = curvaturesOf(roundCorner([0, 0], [1, 0], [0.995, 0.0999], radiusM));
    const turnRad = Math.atan2(0.0999, 0.995);
    expect(Math.max(...curvatures)).toBeLessThan(turnRad / rampM + 1e-4);
    expect(Math.max(...curvatures)).toBeGreaterThan((turnRad / rampM) * 0.85);
  });
});

describe('A way with rounded corners', () => {
  const path = roundedPath([0, 0], [{ x: 100, y: 0, radiusM: 20 }], [100, 90]);

  test('leads from end to end and is straight there.', () => {
    expect(at(path, 0)).toEqual([0, 0]);
    expect(at(path, -1)).toEqual([100, 90]);
    expect(startDirection(path)).toEqual([1, 0]);
    expect(cross(endDirection(path), [0, 1])).toBeCloseTo(0, 12);
  });

  test('without corners is a line of two points.', () => {
    expect(roundedPath([0, 0], [], [5, 5])).toEqual([
      [0, 0],
      [5, 5],
    ]);
  });

  test('cannot have bends that overlap or reach beyond its ends.', () => {
    const corner = { x: 20, y: 0, radiusM: 20 };
    expect(() => roundedPath([0, 0], [corner], [20, 90])).toThrow('bends overlap');
    expect(() => roundedPath([-90, 0], [corner, { x: 20, y: 30, radiusM: 20 }], [90, 30])).toThrow(
      'bends overlap',
    );
  });

  test('has points about 1.2 m apart where it bends and, evenly spaced, everywhere.', () => {
    const even = evenlySpaced(path);
    for (let i = 1; i < even.length; i++) {
      const apartM = distance(at(even, i - 1), at(even, i));
      expect(apartM).toBeGreaterThan(1.1);
      expect(apartM).toBeLessThan(1.3);
    }
    expect(lengthOf(even)).toBeCloseTo(lengthOf(path), 9);
    const line: Point[] = [
      [0, 0],
      [50, 0],
    ];
    expect(evenlySpaced(line)).toEqual(line);
  });
});

test('Paces along a path go around its corners.', () => {
  const corner: Point[] = [
    [0, 0],
    [5, 0],
    [5, 5],
  ];
  expect(pacedAlong(corner, 2)).toEqual([
    [0, 0],
    [2, 0],
    [4, 0],
    [5, 1],
    [5, 3],
    [5, 5],
  ]);
  expect(direction([0, 0], at(pacedAlong(corner, 10), -1))).toEqual(direction([0, 0], [5, 5]));
});

describe('The turn from one line to another', () => {
  const curve = bend([0, 0], [1, 0], [10, 10], [0, 1]);

  test('begins and ends where and in the direction that it is asked to.', () => {
    expect(curve[0]).toEqual([0, 0]);
    expect(curve.at(-1)).toEqual([10, 10]);
    expect(headingOf(startDirection(curve))).toBeCloseTo(0, 2);
    expect(headingOf(endDirection(curve))).toBeCloseTo(Math.PI / 2, 2);
  });

  test('around a right angle is nowhere tighter than 0.79 of its leg.', () => {
    for (let i = 1; i < curve.length - 1; i++) {
      expect(Math.abs(curvatureAt(curve, i))).toBeLessThan(1 / 7.85);
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
    for (let i = 1; i < path.length - 1; i++)
      expect(Math.abs(curvatureAt(path, i))).toBeLessThan(1 / 30);
  });
});
