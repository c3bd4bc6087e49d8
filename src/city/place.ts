import type { City, Road } from './types.ts';

/** The road whose lanes pass nearest to a point; inside a junction, one that leads to it. */
export function nearestRoad(city: City, x: number, y: number): Road {
  let best: Road | undefined;
  let bestSquared = Number.POSITIVE_INFINITY;
  for (const lane of city.lanes) {
    const road = city.roads[lane.road];
    if (road === undefined) continue;
    for (let i = 1; i < lane.polyline.length; i++) {
      const [ax, ay] = lane.polyline[i - 1] ?? [0, 0];
      const [bx, by] = lane.polyline[i] ?? [0, 0];
      const squared = squaredDistance(x, y, ax, ay, bx, by);
      if (squared < bestSquared) {
        bestSquared = squared;
        best = road;
      }
    }
  }
  if (best === undefined) throw new Error('a city has roads');
  return best;
}

/** Square of the distance from a point to a segment. */
function squaredDistance(
  x: number,
  y: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): number {
  const ex = bx - ax;
  const ey = by - ay;
  const length = ex * ex + ey * ey;
  const along = length === 0 ? 0 : ((x - ax) * ex + (y - ay) * ey) / length;
  const share = Math.min(1, Math.max(0, along));
  const dx = x - (ax + share * ex);
  const dy = y - (ay + share * ey);
  return dx * dx + dy * dy;
}
