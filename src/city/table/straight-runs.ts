import type { LaneProfile, ProfilePoint } from './lane-profile.ts';

/** Greatest distance of a lane from its straight approximation. */
export const RUN_TOLERANCE_M = 0.08;

/**
 * For each point of a lane, the length of the longest straight line to a later point with all points
 * between within `RUN_TOLERANCE_M` of the line. 0 at the last point.
 */
export function straightRunsOf({ points, spacingM }: LaneProfile): number[] {
  return points.map((point, from) => {
    let lowest = Number.NEGATIVE_INFINITY;
    let highest = Number.POSITIVE_INFINITY;
    const [x, y] = point.position;
    const [tx, ty] = point.tangent;
    let to = from;
    while (to + 1 < points.length) {
      const { position } = points[to + 1] as ProfilePoint;
      const dx = position[0] - x;
      const dy = position[1] - y;
      const ahead = dx * tx + dy * ty;
      const slope = (dy * tx - dx * ty) / ahead;
      if (to > from && (ahead <= 0 || slope < lowest || slope > highest)) break;
      lowest = Math.max(lowest, slope - RUN_TOLERANCE_M / ahead);
      highest = Math.min(highest, slope + RUN_TOLERANCE_M / ahead);
      to += 1;
    }
    return (to - from) * spacingM;
  });
}
