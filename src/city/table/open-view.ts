import { VIEW_LEFT_M, VIEW_M, VIEW_RIGHT_M } from '../../../assembly/layout.ts';
import { boundsOf } from '../geometry.ts';
import type { Block, Point } from '../types.ts';
import type { LaneProfile, ProfilePoint } from './lane-profile.ts';

const STRIP_SIDES = [-VIEW_RIGHT_M, VIEW_LEFT_M];

/** A solid block and a circle around it. */
export interface Obstruction {
  /** Index of the block. */
  block: number;
  polygon: readonly Point[];
  x: number;
  y: number;
  radiusM: number;
}

export function obstructionsOf(blocks: readonly Pick<Block, 'polygon' | 'solid'>[]): Obstruction[] {
  return blocks.flatMap(({ polygon, solid }, block) => {
    if (!solid) return [];
    const { minX, minY, maxX, maxY } = boundsOf(polygon);
    const [dx, dy] = [(maxX - minX) / 2, (maxY - minY) / 2];
    const radiusM = Math.sqrt(dx * dx + dy * dy);
    return [{ block, polygon, x: minX + dx, y: minY + dy, radiusM }];
  });
}

/** The free length of the strip straight ahead of a point, and what ends it. */
export interface OpenView {
  /** At most `VIEW_M`. */
  lengthM: number;
  /** Index of the block that is there; −1 if there is none. */
  block: number;
}

/**
 * For each point of a lane, the open view: of the strip from `VIEW_RIGHT_M` to the right to
 * `VIEW_LEFT_M` to the left.
 */
export function openViewsOf({ points }: LaneProfile, all: readonly Obstruction[]): OpenView[] {
  return points.map((point) => {
    const [x, y] = point.position;
    const [tx, ty] = point.tangent;
    let lengthM = VIEW_M;
    let end = -1;
    for (const { block, polygon, x: middleX, y: middleY, radiusM } of all) {
      const [dx, dy] = [middleX - x, middleY - y];
      const ahead = dx * tx + dy * ty;
      if (ahead < -radiusM || ahead > lengthM + radiusM) continue;
      const left = dy * tx - dx * ty;
      if (left < -VIEW_RIGHT_M - radiusM || left > VIEW_LEFT_M + radiusM) continue;
      const distanceM = distanceInStrip(polygon, point);
      if (distanceM >= lengthM) continue;
      lengthM = distanceM;
      end = block;
    }
    return { lengthM, block: end };
  });
}

/** Distance at which a convex polygon enters the strip ahead of a point; Infinity if never. */
export function distanceInStrip(
  polygon: readonly Point[],
  { position: [x, y], tangent: [tx, ty] }: Pick<ProfilePoint, 'position' | 'tangent'>,
): number {
  let nearest = Number.POSITIVE_INFINITY;
  let farthest = Number.NEGATIVE_INFINITY;
  const meet = (aheadM: number) => {
    nearest = Math.min(nearest, aheadM);
    farthest = Math.max(farthest, aheadM);
  };
  // The end and the begin of a side, in the axes of the strip. Of the last side the begin comes first.
  let ahead = 0;
  let left = 0;
  for (let i = -1; i < polygon.length; i++) {
    const corner = polygon[i < 0 ? polygon.length - 1 : i] as Point;
    const dx = corner[0] - x;
    const dy = corner[1] - y;
    const fromAhead = ahead;
    const fromLeft = left;
    ahead = dx * tx + dy * ty;
    left = dy * tx - dx * ty;
    if (i < 0) continue;
    if (left >= -VIEW_RIGHT_M && left <= VIEW_LEFT_M) meet(ahead);
    for (const side of STRIP_SIDES) {
      if (fromLeft < side === left < side) continue;
      meet(fromAhead + ((side - fromLeft) / (left - fromLeft)) * (ahead - fromAhead));
    }
  }
  return farthest >= 0 ? Math.max(0, nearest) : Number.POSITIVE_INFINITY;
}
