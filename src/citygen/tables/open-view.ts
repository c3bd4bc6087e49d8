import { VIEW_LEFT_M, VIEW_M, VIEW_RIGHT_M } from '../../../assembly/layout.ts';
import { boundsOf } from '../../city/geometry.ts';
import type { Block, Point } from '../../city/types.ts';
import type { LaneProfile } from './lane-profile.ts';

/** A solid block and a circle around it. */
export interface Obstruction {
  polygon: readonly Point[];
  x: number;
  y: number;
  radiusM: number;
}

export function obstructionsOf(blocks: readonly Block[]): Obstruction[] {
  return blocks
    .filter(({ solid }) => solid)
    .map(({ polygon }) => {
      const { minX, minY, maxX, maxY } = boundsOf(polygon);
      const [dx, dy] = [(maxX - minX) / 2, (maxY - minY) / 2];
      return { polygon, x: minX + dx, y: minY + dy, radiusM: Math.sqrt(dx * dx + dy * dy) };
    });
}

/**
 * For each point of a lane, the free length of the strip straight ahead, from `VIEW_RIGHT_M` to the
 * right to `VIEW_LEFT_M` to the left; at most `VIEW_M`.
 */
export function openViewsOf({ points }: LaneProfile, all: readonly Obstruction[]): number[] {
  return points.map(({ position: [x, y], tangent: [tx, ty] }) => {
    let openM = VIEW_M;
    for (const { polygon, x: middleX, y: middleY, radiusM } of all) {
      const [dx, dy] = [middleX - x, middleY - y];
      const ahead = dx * tx + dy * ty;
      if (ahead < -radiusM || ahead > openM + radiusM) continue;
      const left = dy * tx - dx * ty;
      if (left < -VIEW_RIGHT_M - radiusM || left > VIEW_LEFT_M + radiusM) continue;
      const local = polygon.map(([cornerX, cornerY]): Point => {
        const [cx, cy] = [cornerX - x, cornerY - y];
        return [cx * tx + cy * ty, cy * tx - cx * ty];
      });
      openM = Math.min(openM, firstInStrip(local));
    }
    return openM;
  });
}

/** Distance at which a convex polygon, in the axes of the strip, enters it; Infinity if never. */
function firstInStrip(polygon: readonly Point[]): number {
  const ends = polygon.flatMap(([fromX, fromY], i) => {
    const [toX, toY] = polygon[(i + 1) % polygon.length] ?? [fromX, fromY];
    const inside = fromY >= -VIEW_RIGHT_M && fromY <= VIEW_LEFT_M ? [fromX] : [];
    const crossings = [-VIEW_RIGHT_M, VIEW_LEFT_M]
      .filter((side) => fromY < side !== toY < side)
      .map((side) => fromX + ((side - fromY) / (toY - fromY)) * (toX - fromX));
    return [...inside, ...crossings];
  });
  return ends.some((end) => end >= 0) ? Math.max(0, Math.min(...ends)) : Number.POSITIVE_INFINITY;
}
