import { describe, expect, it } from 'vitest';
import {
  aside,
  dashesOf,
  distanceToSegment,
  isInside,
  lengthOf,
  sliceOf,
  stationAt,
  thinned,
} from './lines.ts';

const HOOK = [
  [0, 0],
  [10, 0],
  [10, 10],
] as const;

describe('lines', () => {
  it('are simplified within a tolerance', () => {
    const straight = Array.from({ length: 50 }, (_, i) => [i, i % 2 ? 0.01 : 0] as const);
    expect(thinned(straight, 0.03)).toEqual([straight[0], straight[49]]);
    expect(thinned(HOOK, 0.03)).toEqual(HOOK);
    const bump = [...straight.slice(0, 20), [20, 1] as const, ...straight.slice(21)];
    expect(thinned(bump, 0.03)).toContainEqual([20, 1]);
  });

  it('have lengths and stations, extrapolated beyond their ends', () => {
    expect(lengthOf(HOOK)).toBe(20);
    expect(stationAt(HOOK, 15)).toEqual({ x: 10, y: 5, hx: 0, hy: 1 });
    expect(stationAt(HOOK, -2)).toEqual({ x: -2, y: 0, hx: 1, hy: 0 });
    expect(stationAt(HOOK, 23)).toEqual({ x: 10, y: 13, hx: 0, hy: 1 });
    expect(sliceOf(HOOK, 8, 13)).toEqual([
      [8, 0],
      [10, 0],
      [10, 3],
    ]);
  });

  it('are moved aside so that their pieces stay parallel', () => {
    const moved = aside(HOOK, 2);
    expect(moved.flat().map((value) => Math.round(value * 1e9) / 1e9)).toEqual([0, 2, 8, 2, 8, 10]);
  });

  it('have dashes that end with half a gap at both ends', () => {
    const dashes = dashesOf(
      [
        [0, 0],
        [18, 0],
      ],
      3,
      6,
    );
    expect(dashes).toEqual([
      [
        [3, 0],
        [6, 0],
      ],
      [
        [12, 0],
        [15, 0],
      ],
    ]);
  });

  it('have a distance from a point', () => {
    expect(distanceToSegment([5, 3], [0, 0], [10, 0])).toBe(3);
    expect(distanceToSegment([13, 4], [0, 0], [10, 0])).toBe(5);
  });

  it('contain the points inside', () => {
    const square = [
      [0, 0],
      [4, 0],
      [4, 4],
      [0, 4],
    ] as const;
    expect(isInside(square, 1, 3)).toBe(true);
    expect(isInside(square, 5, 3)).toBe(false);
    expect(isInside(square, 2, -0.1)).toBe(false);
  });
});
