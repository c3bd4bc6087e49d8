import { describe, expect, it } from 'vitest';
import {
  blend,
  distanceFor,
  FIELD_RAD,
  groundUnder,
  metresPerPixel,
  NORTH,
  type Pose,
  project,
  turnBetween,
  wholeOf,
} from './camera.ts';

const VIEW = { widthPx: 1000, heightPx: 500 };
/** Half the height of what is seen from a metre away. */
const HALF = Math.tan(FIELD_RAD / 2);
const PLAN: Pose = { x: 10, y: 20, z: 0, distance: 100, tilt: 0, bearing: NORTH };

describe('the camera', () => {
  it('has its target in the middle of the canvas, at its distance', () => {
    for (const tilt of [0, 0.7, 1.4]) {
      const seen = project({ ...PLAN, tilt, bearing: 2.1 }, VIEW, 10, 20, 0);
      expect(seen.xPx).toBeCloseTo(500, 9);
      expect(seen.yPx).toBeCloseTo(250, 9);
      expect(seen.depth).toBeCloseTo(100, 9);
    }
  });

  it('shows north up and east to the right in the plan', () => {
    const perPixel = (2 * 100 * HALF) / 500;
    expect(metresPerPixel(PLAN, VIEW)).toBeCloseTo(perPixel, 12);
    const north = project(PLAN, VIEW, 10, 20 + 50 * perPixel, 0);
    expect([north.xPx, north.yPx].map(Math.round)).toEqual([500, 200]);
    const east = project(PLAN, VIEW, 10 + 50 * perPixel, 20, 0);
    expect([east.xPx, east.yPx].map(Math.round)).toEqual([550, 250]);
  });

  it('shows east upwards when the bearing is east', () => {
    const east = project({ ...PLAN, bearing: 0 }, VIEW, 30, 20, 0);
    expect(east.xPx).toBeCloseTo(500, 9);
    expect(east.yPx).toBeLessThan(250);
  });

  it('shows a roof above its base, and nearer', () => {
    const pose = { ...PLAN, tilt: Math.PI / 4 };
    const foot = project(pose, VIEW, 10, 20, 0);
    const roof = project(pose, VIEW, 10, 20, 10);
    expect(roof.yPx).toBeLessThan(foot.yPx);
    expect(roof.depth).toBeCloseTo(100 - 10 / Math.SQRT2, 9);
  });

  it('inverts the projection on the ground', () => {
    const pose = { ...PLAN, tilt: 1.1, bearing: 0.4, z: 1.5 };
    const { xPx, yPx } = project(pose, VIEW, -7, 42, 0);
    const ground = groundUnder(pose, VIEW, xPx, yPx);
    expect(ground?.x).toBeCloseTo(-7, 6);
    expect(ground?.y).toBeCloseTo(42, 6);
  });

  it('finds no ground above the horizon', () => {
    // The upper edge looks FIELD_RAD / 2 = 0.28 above the middle; 1.5 + 0.28 is more than π/2.
    expect(groundUnder({ ...PLAN, tilt: 1.5 }, VIEW, 500, 0)).toBeNull();
    expect(groundUnder({ ...PLAN, tilt: 1.5 }, VIEW, 500, 500)).not.toBeNull();
  });

  it('chooses the distance by the larger side of the area', () => {
    expect(distanceFor(100, 100, VIEW)).toBeCloseTo(50 / HALF, 9);
    // On a canvas half as high as wide, 400 m across ask for as much as 200 m up.
    expect(distanceFor(400, 100, VIEW)).toBeCloseTo(100 / HALF, 9);
  });

  it('shows the whole city', () => {
    const bounds = { min_x: -300, min_y: -100, max_x: 500, max_y: 200 };
    for (const view of [VIEW, { widthPx: 390, heightPx: 844 }]) {
      const pose = wholeOf(bounds, view);
      for (const [x, y] of [
        [-300, -100],
        [500, 200],
      ] as const) {
        const { xPx, yPx } = project(pose, view, x, y, 0);
        expect(xPx).toBeGreaterThan(0);
        expect(xPx).toBeLessThan(view.widthPx);
        expect(yPx).toBeGreaterThan(0);
        expect(yPx).toBeLessThan(view.heightPx);
      }
    }
  });
});

describe('turns and ways between poses', () => {
  it('turns the short way round', () => {
    expect(turnBetween(3, -3)).toBeCloseTo(2 * Math.PI - 6, 12);
    expect(turnBetween(-3, 3)).toBeCloseTo(6 - 2 * Math.PI, 12);
    expect(turnBetween(0.5, 0.2)).toBeCloseTo(-0.3, 12);
    expect(turnBetween(0.1, 0.1 + 6 * Math.PI)).toBeCloseTo(0, 9);
  });

  it('interpolates distances by ratio', () => {
    const out = { ...PLAN };
    blend({ ...PLAN, distance: 10 }, { ...PLAN, distance: 1000, x: 30, bearing: 0 }, 0.5, out);
    expect(out.distance).toBeCloseTo(100, 9);
    expect(out.x).toBeCloseTo(20, 9);
    expect(out.bearing).toBeCloseTo(NORTH / 2, 9);
  });
});
