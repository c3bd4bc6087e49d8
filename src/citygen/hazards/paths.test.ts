import { describe, expect, test } from 'vitest';
import { at } from '../../city/geometry.ts';
import type { Point } from '../../city/types.ts';
import { roadLane } from '../../testing/rigs/paths.ts';
import { bendsOf, crossingOf, isClearOf, straightsOf } from './paths.ts';

/** 50 m east, a quarter circle to the left or right, then 40 m on. */
function quarterTurn(radiusM: number, side: 1 | -1): Point[] {
  const arc = Array.from({ length: 91 }, (_, degree): Point => {
    const angle = (degree * Math.PI) / 180;
    return [50 + radiusM * Math.sin(angle), side * radiusM * (1 - Math.cos(angle))];
  });
  return [[0, 0], ...arc, [50 + radiusM, side * (radiusM + 40)]];
}

describe('Paths', () => {
  test.each([
    [30, 1],
    [20, -1],
  ] as const)(
    'bend with a radius of %d m, the apex in the middle of the bend.',
    (radiusM, side) => {
      const [bend, ...others] = bendsOf(quarterTurn(radiusM, side));
      if (!bend) throw new Error('no bend');
      expect(others).toEqual([]);
      expect(bend.isLeft).toBe(side > 0);
      expect(Math.abs(bend.radiusM - radiusM)).toBeLessThan(1);
      expect(Math.abs(bend.apexM - 50 - (radiusM * Math.PI) / 4)).toBeLessThan(2);
      expect(Math.abs(bend.toM - bend.fromM - (radiusM * Math.PI) / 2)).toBeLessThan(4);
      expect(Math.abs(bend.cosine)).toBeLessThan(0.1);
    },
  );

  test('are straight before and after their bend.', () => {
    const straights = straightsOf(quarterTurn(30, 1)).filter(({ fromM, toM }) => toM - fromM > 10);
    expect(straights).toHaveLength(2);
    expect(at(straights, 0).fromM).toBe(0);
    expect(Math.abs(at(straights, 0).toM - 50)).toBeLessThan(2);
    expect(Math.abs(at(straights, 1).toM - at(straights, 1).fromM - 40)).toBeLessThan(2);
  });

  test('cross at a station of each.', () => {
    const crossing = crossingOf(
      [
        [0, 0],
        [4, 0],
        [4, 20],
      ],
      [
        [10, 5],
        [-10, 5],
      ],
    );
    expect(crossing?.aM).toBeCloseTo(9, 12);
    expect(crossing?.bM).toBeCloseTo(6, 12);
    expect(
      crossingOf(
        [
          [0, 0],
          [1, 0],
        ],
        [
          [0, 1],
          [1, 1],
        ],
      ),
    ).toBeUndefined();
  });
});

test('A body is clear of a lane if it overlaps its edge by less than 0.1 m.', () => {
  const lane = roadLane([
    [0, 0],
    [100, 0],
  ]);
  const car = (y: number, heading: Point) => ({ x: 50, y, heading, lengthM: 4.5, widthM: 1.8 });
  expect(isClearOf(car(1.65 + 0.9 + 0.01, [1, 0]), lane)).toBe(true);
  expect(isClearOf(car(1.65 + 0.9 - 0.01, [1, 0]), lane)).toBe(false);
  expect(isClearOf(car(-1.65 - 2.25 + 0.01, [0, 1]), lane)).toBe(false);
  expect(isClearOf(car(-1.65 - 2.25 - 0.01, [0, 1]), lane)).toBe(true);
  expect(isClearOf(car(0, [0.6, 0.8]), lane)).toBe(false);
});
