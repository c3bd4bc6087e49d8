import { expect, test } from 'vitest';
import type { HazardSpot } from '../api/types.ts';
import { NORTH, project } from './camera.ts';
import { spotUnder } from './picking.ts';

const VIEW = { widthPx: 800, heightPx: 600 };
const POSE = { x: 0, y: 0, z: 0, distance: 200, tilt: 0.9, bearing: NORTH };
const SPOTS = [
  { id: 'h1', x: 0, y: 0 },
  { id: 'h2', x: 30, y: 10 },
] as HazardSpot[];

test('a spot is found under its sign, which stands above its place, and nowhere else', () => {
  for (const spot of SPOTS) {
    const { xPx, yPx } = project(POSE, VIEW, spot.x, spot.y, 0.4);
    expect(spotUnder(SPOTS, POSE, VIEW, xPx, yPx - 14)?.id).toBe(spot.id);
    expect(spotUnder(SPOTS, POSE, VIEW, xPx, yPx + 14)).toBeNull();
  }
  expect(spotUnder([], POSE, VIEW, 400, 300)).toBeNull();
});
