import { describe, expect, test } from 'vitest';
import { at } from '../../city/geometry.ts';
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
    const [ofNorth, ofEast] = conflictsAmong(apart(2), [north, east]);
    expect(ofNorth).toHaveLength(1);
    expect(at(ofNorth ?? [], 0).other).toBe(1);
    // Known to half a metre, and never told too short.
    expect(at(ofNorth ?? [], 0).fromM).toBeLessThanOrEqual(25 - 2.46);
    expect(at(ofNorth ?? [], 0).fromM).toBeGreaterThan(25 - 2.46 - 1);
    expect(at(ofNorth ?? [], 0).toM).toBeGreaterThanOrEqual(25 + 2.46);
    expect(at(ofNorth ?? [], 0).toM).toBeLessThan(25 + 2.46 + 1);
    expect(at(ofEast ?? [], 0).other).toBe(0);
    expect(at(ofEast ?? [], 0).fromM).toBeGreaterThan(20 - 2.46 - 1);
    expect(at(ofEast ?? [], 0).toM).toBeLessThan(20 + 2.46 + 1);
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
    const [ofNorth] = conflictsAmong(ends, [north, turn]);
    expect(at(ofNorth ?? [], 0).fromM).toBeLessThan(25 - 2);
    expect(at(ofNorth ?? [], 0).toM).toBe(40);
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
