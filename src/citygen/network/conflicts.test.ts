import { describe, expect, test } from 'vitest';
import type { Point } from '../../city/types.ts';
import { conflictsAmong } from './conflicts.ts';

const north: Point[] = [
  [0, -20],
  [0, 20],
];
const east: Point[] = [
  [-20, 5],
  [20, 5],
];

/** Paths that do not begin or end in a common lane. */
const apart = (count: number) => Array.from({ length: count }, (_, i) => ({ from: i, to: 10 + i }));

describe('Paths through a junction', () => {
  test('that cross at a right angle are too close 2.46 m around where they meet.', () => {
    const [[ofNorth, ...others] = [], [ofEast] = []] = conflictsAmong(apart(2), [north, east]);
    expect(others).toEqual([]);
    expect([ofNorth?.other, ofEast?.other]).toEqual([1, 0]);
    // Known to half a metre, and never told too short.
    expect(ofNorth?.fromM).toBeLessThanOrEqual(25 - 2.46);
    expect(ofNorth?.fromM).toBeGreaterThan(25 - 2.46 - 1);
    expect(ofNorth?.toM).toBeGreaterThanOrEqual(25 + 2.46);
    expect(ofNorth?.toM).toBeLessThan(25 + 2.46 + 1);
    expect(ofEast?.fromM).toBeGreaterThan(20 - 2.46 - 1);
    expect(ofEast?.toM).toBeLessThan(20 + 2.46 + 1);
  });

  test('that end in the same lane are too close until there.', () => {
    const turn: Point[] = [
      [-20, 0],
      [-5, 0],
      [0, 5],
      [0, 20],
    ];
    const ends = [
      { from: 0, to: 2 },
      { from: 1, to: 2 },
    ];
    const [[ofNorth] = []] = conflictsAmong(ends, [north, turn]);
    expect(ofNorth?.fromM).toBeLessThan(25 - 2);
    expect(ofNorth?.toM).toBe(40);
  });

  test('that pass each other with room do not conflict, nor do those from the same lane.', () => {
    const south: Point[] = [
      [-3, 20],
      [-3, -20],
    ];
    expect(conflictsAmong(apart(2), [north, south])).toEqual([[], []]);
    const ends = [
      { from: 0, to: 1 },
      { from: 0, to: 2 },
    ];
    expect(conflictsAmong(ends, [north, east])).toEqual([[], []]);
  });
});
