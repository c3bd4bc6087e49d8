import { describe, expect, test } from 'vitest';
import { at } from '../../city/geometry.ts';
import type { Point } from '../../city/types.ts';
import { roadLane } from '../../testing/rigs/paths.ts';
import { areaOf, distanceToPolygon, isConvex, rectangle } from '../geometry.ts';
import { Land, squareAround } from './land.ts';

/** One lane, 4 m wide, from west to east through the origin. */
const lane = roadLane(
  [
    [-60, 0],
    [60, 0],
  ],
  { widthM: 4 },
);
const emptyLand = () => new Land([lane], { besideRoadM: 3, besideTurnM: 1 });
const house = (polygon: Point[]) =>
  ({ kind: 'building', polygon, heightM: 9, solid: true }) as const;

describe('Land', () => {
  test('is free from 3 m beside the edge of a lane, 1 m beside that of a turn.', () => {
    const land = emptyLand();
    expect(land.isFree(rectangle(-10, 5.01, 10, 15))).toBe(true);
    expect(land.isFree(rectangle(-10, 4.8, 10, 15))).toBe(false);
    expect(land.isFree(rectangle(-10, -15, 10, 15))).toBe(false);
    const turn = new Land([{ ...lane, road: -1, junction: 0 }], {
      besideRoadM: 3,
      besideTurnM: 1,
    });
    expect(turn.isFree(rectangle(-10, 3.01, 10, 15))).toBe(true);
    expect(turn.isFree(rectangle(-10, 2.8, 10, 15))).toBe(false);
  });

  test('is free beside a block, wall to wall.', () => {
    const land = emptyLand();
    land.build(house(rectangle(0, 6, 10, 16)));
    expect(land.isFree(rectangle(10, 6, 20, 16))).toBe(true);
    expect(land.isFree(rectangle(9, 6, 19, 16))).toBe(false);
    expect(land.built).toHaveLength(1);
  });

  test('has room around a point up to the next lane or house, none inside of one.', () => {
    const land = emptyLand();
    land.build(house(rectangle(0, 20, 10, 30)));
    expect(land.roomAround([5, 14], 30)).toBeCloseTo(6, 9);
    expect(land.roomAround([-40, 14], 30)).toBeCloseTo(9, 1);
    expect(land.roomAround([-40, 50], 10)).toBe(10);
    expect(land.roomAround([5, 25], 30)).toBe(0);
  });

  test('gives the free part of a polygon: convex, clear and with eight corners at most.', () => {
    const land = emptyLand();
    land.build(house(rectangle(-30, 8, -12, 20)));
    land.build(house(rectangle(14, 12, 30, 40)));
    const seed: Point = [0, 20];
    const part = land.freePart(squareAround(seed, 30), seed);
    expect(part.length).toBeLessThanOrEqual(8);
    expect(land.isFree(part)).toBe(true);
    expect(areaOf(part)).toBeGreaterThan(500);
    expect(isConvex(part)).toBe(true);
    expect(distanceToPolygon(seed, part)).toBe(0);
  });

  test('has no free part around a point on a lane.', () => {
    expect(emptyLand().freePart(squareAround([0, 2], 30), [0, 2])).toEqual([]);
  });

  test('takes as much of a block as is free, or nothing of one too small.', () => {
    const land = emptyLand();
    land.buildFreePart(house(rectangle(-10, 0, 10, 30)));
    expect(land.built).toHaveLength(1);
    expect(land.isFree(rectangle(10.1, 6, 12, 30))).toBe(true);
    const { polygon } = at(land.built, 0);
    expect(Math.min(...polygon.map(([, y]) => y))).toBeCloseTo(5, 1);
    expect(areaOf(polygon)).toBeCloseTo(20 * 25, -1);
    land.buildFreePart(house(rectangle(20, 0, 40, 30)), 600);
    expect(land.built).toHaveLength(1);
  });
});
