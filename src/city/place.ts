import { boundsOf, distanceToPath } from './geometry.ts';
import type { Box, City, Point, Road } from './types.ts';

/** Length of a piece of a lane, in segments of its polyline. */
const PIECE_SEGMENTS = 8;

/** A piece of a lane and its bounding box. */
interface Piece extends Box {
  road: Road;
  points: readonly Point[];
}

/** By city: cities never change, so each is cut into pieces once. */
const piecesOfCities = new WeakMap<City, readonly Piece[]>();

/** The road with the lane nearest to a point; inside a junction, a road that leads to it. */
export function nearestRoad(city: City, x: number, y: number): Road {
  const point: Point = [x, y];
  let nearest: Road | undefined;
  let nearestM = Number.POSITIVE_INFINITY;
  for (const piece of piecesOf(city)) {
    if (distanceToBox(x, y, piece) >= nearestM) continue;
    const awayM = distanceToPath(point, piece.points);
    if (awayM >= nearestM) continue;
    nearestM = awayM;
    nearest = piece.road;
  }
  if (nearest === undefined) throw new Error('a city has roads');
  return nearest;
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

/** Distance from a point to a box; 0 inside. */
function distanceToBox(x: number, y: number, { minX, minY, maxX, maxY }: Box): number {
  const dx = Math.max(minX - x, 0, x - maxX);
  const dy = Math.max(minY - y, 0, y - maxY);
  return Math.sqrt(dx * dx + dy * dy);
}
