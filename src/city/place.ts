import type { City, Point, Road } from './types.ts';

/** So many segments of a lane are looked at together, or not at all. */
const PIECE_SEGMENTS = 8;

/** A piece of a lane and the box around it. */
interface Piece {
  road: Road;
  points: readonly Point[];
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
}

/** Cities never change, and are asked for places again and again. */
const piecesOfCities = new WeakMap<City, readonly Piece[]>();

/** The road whose lanes pass nearest to a point; inside a junction, one that leads to it. */
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
    return road === undefined ? [] : cut(polyline).map((points) => pieceOf(road, points));
  });
  piecesOfCities.set(city, pieces);
  return pieces;
}

/** Pieces of a path that share their ends. */
function cut(path: readonly Point[]): Point[][] {
  const count = Math.ceil((path.length - 1) / PIECE_SEGMENTS);
  return Array.from({ length: count }, (_, i) =>
    path.slice(i * PIECE_SEGMENTS, (i + 1) * PIECE_SEGMENTS + 1),
  );
}

function pieceOf(road: Road, points: readonly Point[]): Piece {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return {
    road,
    points,
    minX: Math.min(...xs),
    minY: Math.min(...ys),
    maxX: Math.max(...xs),
    maxY: Math.max(...ys),
  };
}

/** Square of the distance from a point to a box; 0 inside. */
function squaredToBox(x: number, y: number, { minX, minY, maxX, maxY }: Piece): number {
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
