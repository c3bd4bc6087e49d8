import { describe, expect, it } from 'vitest';
import { HouseCuts, standsBetween } from './house-cuts.ts';
import type { Point } from './lines.ts';

/** 10 m wide, 20 m ahead of the origin. */
const POLYGON: Point[] = [
  [20, -5],
  [30, -5],
  [30, 5],
  [20, 5],
];
const HOUSE = { polygon: POLYGON, heightM: 12 };

describe('a house', () => {
  const hides = (z: number, place: Point) => standsBetween(HOUSE, [0, 0, z], place);

  it('hides what is behind it, unless the line of sight goes over it or past it', () => {
    expect(hides(5, [40, 0])).toBe(true);
    expect(hides(60, [40, 0])).toBe(false);
    expect(hides(5, [40, 30])).toBe(false);
    expect(hides(5, [15, 0])).toBe(false);
  });

  it('hides nothing that is inside it, as a car may be that has hit it', () => {
    expect(hides(5, [25, 0])).toBe(false);
  });

  it('hides everything from a camera in it that is not above it', () => {
    expect(standsBetween(HOUSE, [25, 0, 5], [60, 0])).toBe(true);
    expect(standsBetween(HOUSE, [25, 0, 90], [60, 0])).toBe(false);
  });
});

describe('cutting down', () => {
  const far = { polygon: POLYGON.map(([x, y]): Point => [x, y + 200]), heightM: 9 };
  const heightsOf = (cuts: HouseCuts) => [...(cuts.texture.image.data as Float32Array)];

  it('[P36] takes a moment, is complete, is of no other house, and ends when nothing is hidden', () => {
    const cuts = new HouseCuts([HOUSE, far]);
    const standing = heightsOf(cuts);
    expect(standing).toEqual([14, 11]);
    cuts.update([0, 0, 5], [[40, 0]], 0.1);
    const [begun = 0] = heightsOf(cuts);
    expect(begun).toBeLessThan(14);
    expect(begun).toBeGreaterThan(1);
    cuts.update([0, 0, 5], [[40, 0]], 1);
    expect(heightsOf(cuts)).toEqual([0.5, standing[1]]);
    cuts.update([0, 0, 5], [], 1);
    expect(heightsOf(cuts)).toEqual(standing);
  });

  it('takes no time with reduced motion', () => {
    const cuts = new HouseCuts([HOUSE]);
    cuts.update([0, 0, 5], [[40, 0]], Number.POSITIVE_INFINITY);
    expect(heightsOf(cuts)).toEqual([0.5]);
  });

  it('makes room for the street around a place, not only for its middle', () => {
    const cuts = new HouseCuts([HOUSE]);
    // The line to the place itself goes past the house.
    cuts.update([0, 0, 5], [[40, 11]], 1);
    expect(standsBetween(HOUSE, [0, 0, 5], [40, 11])).toBe(false);
    expect(heightsOf(cuts)).toEqual([0.5]);
  });
});
