import { expect, test } from 'vitest';
import type { LaneProfile, ProfilePoint } from './lane-profile.ts';
import { RUN_TOLERANCE_M, straightRunsOf } from './straight-runs.ts';

/** A lane of 10 m with a point every metre. */
function laneOf(place: (stationM: number) => Omit<ProfilePoint, 'curvature'>): LaneProfile {
  const points = Array.from({ length: 11 }, (_, i) => ({ ...place(i), curvature: 0 }));
  return { lengthM: 10, spacingM: 1, points };
}

const arcOf = (radiusM: number): LaneProfile =>
  laneOf((stationM) => {
    const angle = stationM / radiusM;
    const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
    return { position: [radiusM * sin, radiusM * (1 - cos)], tangent: [cos, sin] };
  });

test('a straight lane is one run, whatever its direction', () => {
  const lane = laneOf((stationM) => ({
    position: [5 - 0.6 * stationM, 0.8 * stationM],
    tangent: [-0.6, 0.8],
  }));
  expect(straightRunsOf(lane)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('a run ends at a corner', () => {
  const lane = laneOf((stationM) =>
    stationM < 4
      ? { position: [stationM, 0], tangent: [1, 0] }
      : { position: [4, stationM - 4], tangent: [0, 1] },
  );
  expect(straightRunsOf(lane)).toEqual([4, 3, 2, 1, 6, 5, 4, 3, 2, 1, 0]);
});

test('on an arc a run is as long as a chord that the arc does not leave', () => {
  // A chord c of an arc of radius R leaves it by c² / 8R: on 30 m by 0.067 m at 4 m, 0.104 m at 5 m.
  expect(straightRunsOf(arcOf(30))).toEqual([4, 4, 4, 4, 4, 4, 4, 3, 2, 1, 0]);
  // On 10 m by 0.05 m at 2 m, 0.11 m at 3 m.
  expect(straightRunsOf(arcOf(10))).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 0]);
});

test('to the next point there is always a run, and a wiggle within the tolerance is straight', () => {
  const wiggle = (asideM: number): LaneProfile =>
    laneOf((stationM) => ({ position: [stationM, asideM * (stationM % 2)], tangent: [1, 0] }));
  expect(straightRunsOf(wiggle(0.9 * RUN_TOLERANCE_M))[0]).toBe(10);
  // From below, the points beside it are too far from any line to one beyond them.
  expect(straightRunsOf(wiggle(3 * RUN_TOLERANCE_M))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
});
