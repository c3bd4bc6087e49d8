import { describe, expect, test } from 'vitest';
import { VIEW_LEFT_M, VIEW_M, VIEW_RIGHT_M } from '../../../assembly/layout.ts';
import { rectangle } from '../../citygen/geometry.ts';
import type { Block, Point } from '../types.ts';
import type { LaneProfile } from './lane-profile.ts';
import { obstructionsOf, openViewsOf } from './open-view.ts';

/** Corners in m ahead of the origin and to the left of it, on a lane that leads north. */
function block(corners: readonly (readonly [ahead: number, left: number])[], solid = true): Block {
  const polygon = corners.map(([ahead, left]): Point => [-left, ahead]);
  return { id: 'b', kind: 'building', polygon, heightM: 10, solid };
}

const box = (near: number, far: number, right: number, left: number, solid = true): Block =>
  block(rectangle(near, right, far, left), solid);

/** The open view from 0, 10 and 20 m along the lane. */
function viewsAmong(...blocks: Block[]): number[] {
  const lane: LaneProfile = {
    lengthM: 20,
    spacingM: 10,
    points: [0, 10, 20].map((y) => ({ position: [0, y], tangent: [0, 1], curvature: 0 })),
  };
  return openViewsOf(lane, obstructionsOf(blocks)).map(({ lengthM }) => lengthM);
}

describe('The open view from a lane', () => {
  test('has the greatest stored length without blocks', () => {
    expect(viewsAmong()).toEqual([VIEW_M, VIEW_M, VIEW_M]);
  });

  test('ends at the nearest house that reaches into the strip ahead', () => {
    expect(viewsAmong(box(60, 70, -1, 1), box(50, 55, 5, 20))).toEqual([50, 40, 30]);
  });

  test('has the width of the strip to either side', () => {
    const beside = [
      box(30, 40, VIEW_LEFT_M + 0.1, VIEW_LEFT_M + 20),
      box(30, 40, -VIEW_RIGHT_M - 20, -VIEW_RIGHT_M - 0.1),
    ];
    expect(viewsAmong(...beside)).toEqual([VIEW_M, VIEW_M, VIEW_M]);
    expect(viewsAmong(box(30, 40, VIEW_LEFT_M - 0.1, VIEW_LEFT_M + 20))[0]).toBe(30);
    expect(viewsAmong(box(30, 40, -VIEW_RIGHT_M - 20, -VIEW_RIGHT_M + 0.1))[0]).toBe(30);
  });

  test('ends where a slanting wall comes into the strip, not where the house begins', () => {
    // Its side from 20 m ahead and 10 m left to 30 m and 5 m is 7.5 m to the left 25 m ahead.
    const wedge = block([
      [20, 10],
      [30, 5],
      [40, 10],
    ]);
    expect(viewsAmong(wedge)[0]).toBe(25);
  });

  test('ends at a house across the strip that has no corner in it', () => {
    expect(viewsAmong(box(80, 85, -50, 50))).toEqual([80, 70, 60]);
  });

  test('is 0 inside a house, and ignores blocks behind or beyond its greatest length', () => {
    expect(viewsAmong(box(-5, 5, -10, 10))).toEqual([0, VIEW_M, VIEW_M]);
    expect(viewsAmong(box(VIEW_M + 5, VIEW_M + 9, -1, 1))).toEqual([
      VIEW_M,
      VIEW_M - 5,
      VIEW_M - 15,
    ]);
  });

  test('passes through blocks that are not solid', () => {
    expect(viewsAmong(box(30, 40, -1, 1, false))).toEqual([VIEW_M, VIEW_M, VIEW_M]);
  });
});
