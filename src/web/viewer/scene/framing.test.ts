import { expect, test } from 'vitest';
import type { MapPoint } from '../api/types.ts';
import { areInView, frame } from './framing.ts';

const INSETS = { top: 60, bottom: 140, side: 30 };
const RADIUS_M = 3;
const LEAST_M = 40;

const placesOf = (turn: number, spread: number): MapPoint[] =>
  [0, 1, 2].map((i) => [
    100 + spread * Math.cos(turn + 2 * i),
    -50 + spread * Math.sin(turn + 3 * i),
  ]);

test.each([
  ['a screen', 760, 830],
  ['a phone', 390, 420],
])(
  'all places are in view on %s, whatever their distance and direction',
  (_, widthPx, heightPx) => {
    const view = { widthPx, heightPx };
    for (const tilt of [0, 0.6, 1.05]) {
      for (let turn = 0; turn < 6; turn += 0.7) {
        for (const spread of [0, 5, 60, 200]) {
          const pose = { x: 0, y: 0, z: 0, distance: 1, tilt, bearing: 1.7 * turn };
          const places = placesOf(turn, spread);
          frame(pose, view, places, { insets: INSETS, radiusM: RADIUS_M, least: LEAST_M });
          expect(areInView(pose, view, places, INSETS, RADIUS_M)).toBe(true);
          expect(pose.distance).toBeGreaterThanOrEqual(LEAST_M);
          if (spread === 0) expect(pose.distance).toBeLessThan(3 * LEAST_M);
        }
      }
    }
  },
);

test('the camera is no farther than it must be', () => {
  const view = { widthPx: 760, heightPx: 830 };
  const places = placesOf(1, 80);
  const pose = { x: 0, y: 0, z: 0, distance: 1, tilt: 1, bearing: 0.3 };
  frame(pose, view, places, { insets: INSETS, radiusM: RADIUS_M, least: LEAST_M });
  const nearer = { ...pose, distance: 0.9 * pose.distance };
  expect(areInView(nearer, view, places, INSETS, RADIUS_M)).toBe(false);
});
