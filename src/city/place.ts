import { boundsOf } from './geometry.ts';
import type { Box, City, Point, Road } from './types.ts';

/** Length of a piece of a lane, in segments of its polyline. */
const PIECE_SEGMENTS = 8;

/** A piece of a lane and its bounding box. */
interface Piece extends Box {
  road: Road;
  points: readonly Point[];
}

/** Cities never change, so each is cut into pieces once. */
const piecesOfCities = new WeakMap<City, readonly Piece[]>();

/** The road with the lane nearest to a point; inside a junction, a road that leads to it. */
export function nearestRoad(city: City, x: number, y: number): Road {
  let best: Road | undefined;
  let bestSquared = Number.POSITIVE_INFINITY;
  for (const piece of piecesOf(city)) {
    if (squaredToBox(x, y, piece) >= bestSquared) continue;
    const squared = squaredToPath(x, y, piece.points);
    if (squared < bestSquared) {
      bestSquared = squared;
      best = piece.road;
    }
  }
  if (best === undefined) throw new Error('a city has roads');
  return best;
}

function piecesOf(city: City): readonly Piece[] {
  const known = piecesOfCities.get(city);
  if (known !== undefined) return known;
  const pieces = city.lanes.flatMap(({ road: index, polyline }) => {
    const road = city.roads[index];
    return road === undefined
      ? []
      : cut(polyline).map((points) => ({ road, points, ...boundsOf(points) }));
  });
  piecesOfCities.set(city, pieces);
  return pieces;
}

/** The path in pieces; each begins with the last point of the one before. */
function cut(path: readonly Point[]): Point[][] {
  const count = Math.ceil((path.length - 1) / PIECE_SEGMENTS);
  return Array.from({ length: count }, (_, i) =>
    path.slice(i * PIECE_SEGMENTS, (i + 1) * PIECE_SEGMENTS + 1),
  );
}

/** Squared distance from a point to a box; 0 inside. */
function squaredToBox(x: number, y: number, { minX, minY, maxX, maxY }: Box): number {
  const dx = x < minX ? minX - x : x > maxX ? x - maxX : 0;
  const dy = y < minY ? minY - y : y > maxY ? y - maxY : 0;
  return dx * dx + dy * dy;
}

function squaredToPath(x: number, y: number, points: readonly Point[]): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 1; i < points.length; i++) {
    const [ax, ay] = points[i - 1] ?? [0, 0];
    const [bx, by] = points[i] ?? [0, 0];
    best = Math.min(best, squaredDistance(x, y, ax, ay, bx, by));
  }
  return best;
}

/** Squared distance from a point to a segment. */
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
