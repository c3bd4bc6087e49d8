import { expect, test } from 'vitest';
import type { HazardSpot } from '../api/types.ts';
import { metresPerPixel, NORTH, project } from './camera.ts';
import { signPlace } from './hazard-view.ts';
import { USUAL_LAYERS } from './layers.ts';
import { spotUnder } from './picking.ts';

const VIEW = { widthPx: 800, heightPx: 600 };
const POSE = { x: 0, y: 0, z: 0, distance: 200, tilt: 0.9, bearing: NORTH };
const SPOTS = [
  { id: 'h1', x: 0, y: 0 },
  { id: 'h2', x: 30, y: 10 },
] as HazardSpot[];
const OVERLAY = { layers: USUAL_LAYERS, isClose: false, uncovered: [] };

test('a spot is found under its sign, which stands above its place, and nowhere else', () => {
  const { heightM, risePx } = signPlace(metresPerPixel(POSE, VIEW));
  for (const spot of SPOTS) {
    const { xPx, yPx } = project(POSE, VIEW, spot.x, spot.y, heightM);
    expect(spotUnder(SPOTS, OVERLAY, POSE, VIEW, xPx, yPx - risePx)?.id).toBe(spot.id);
    expect(spotUnder(SPOTS, OVERLAY, POSE, VIEW, xPx, yPx + 19 - risePx)).toBeNull();
  }
  expect(spotUnder([], OVERLAY, POSE, VIEW, 400, 300)).toBeNull();
});

test('a spot is not found where its sign is not drawn', () => {
  const { heightM, risePx } = signPlace(metresPerPixel(POSE, VIEW));
  const { xPx, yPx } = project(POSE, VIEW, 0, 0, heightM);
  for (const overlay of [
    { ...OVERLAY, layers: { ...USUAL_LAYERS, spots: false } },
    { ...OVERLAY, isClose: true },
    { ...OVERLAY, uncovered: [[1, 1]] as const },
  ])
    expect(spotUnder(SPOTS, overlay, POSE, VIEW, xPx, yPx - risePx)).toBeNull();
  const elsewhere = { ...OVERLAY, uncovered: [[90, 90]] as const };
  expect(spotUnder(SPOTS, elsewhere, POSE, VIEW, xPx, yPx - risePx)?.id).toBe('h1');
});
