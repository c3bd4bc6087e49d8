import { distanceToPath, toCentimetre } from './geometry.ts';
import type { Box, Point } from './types.ts';

/** Length of a piece of a lane, in segments of its polyline. */
const PIECE_SEGMENTS = 8;
const CELL_M = 20;
/** As far as two points of a cell can be apart, and more than rounding adds to a distance. */
const CELL_SPAN_M = CELL_M * Math.SQRT2 + 0.001;

interface NamedRoad {
  id: string;
  name: string;
}

/** The part of a city that tells its roads. */
export interface Streets {
  readonly bounds: Box;
  readonly roads: readonly NamedRoad[];
  /** `road`: index of its road, −1 in a junction. */
  readonly lanes: readonly { road: number; polyline: readonly Point[] }[];
}

interface Piece {
  road: NamedRoad;
  points: readonly Point[];
}

/** By city: cities never change. */
const grids = new WeakMap<Streets, Grid>();

/**
 * The road with the lane nearest to a point; inside a junction, a road that leads to it. Lanes count as
 * the map has them, to the centimetre: so those who have the map alone find the same road.
 */
export function nearestRoad(city: Streets, x: number, y: number): NamedRoad {
  const grid = grids.get(city) ?? new Grid(city);
  grids.set(city, grid);
  const point: Point = [x, y];
  let nearest: NamedRoad | undefined;
  let nearestM = Number.POSITIVE_INFINITY;
  for (const { road, points } of grid.near(point)) {
    const awayM = distanceToPath(point, points);
    if (awayM >= nearestM) continue;
    nearestM = awayM;
    nearest = road;
  }
  if (nearest === undefined) throw new Error('a city has roads');
  return nearest;
}

/**
 * The pieces of all lanes of roads, and for each square cell those that can be the nearest to a point
 * in it. A cell is filled when somebody first asks for a point in it: that looks at all pieces, and
 * there are thousands of cells.
 */
class Grid {
  readonly #bounds: Box;
  readonly #columns: number;
  readonly #pieces: readonly Piece[];
  readonly #cells = new Map<number, readonly Piece[]>();

  constructor({ bounds, lanes, roads }: Streets) {
    this.#bounds = bounds;
    this.#columns = Math.ceil((bounds.maxX - bounds.minX) / CELL_M);
    this.#pieces = lanes.flatMap(({ road: index, polyline }) => {
      const road = roads[index];
      if (road === undefined) return [];
      const asOnMap = polyline.map(([x, y]): Point => [toCentimetre(x), toCentimetre(y)]);
      return cut(asOnMap).map((points) => ({ road, points }));
    });
  }

  /** Pieces in the order of the lanes, the nearest to the point among them. */
  near([x, y]: Point): readonly Piece[] {
    const { minX, minY, maxX, maxY } = this.#bounds;
    const isInside = x >= minX && x < maxX && y >= minY && y < maxY;
    if (!isInside) return this.#pieces;
    const column = Math.floor((x - minX) / CELL_M);
    const row = Math.floor((y - minY) / CELL_M);
    const cell = row * this.#columns + column;
    const known = this.#cells.get(cell);
    if (known !== undefined) return known;
    const found = this.#around([minX + (column + 0.5) * CELL_M, minY + (row + 0.5) * CELL_M]);
    this.#cells.set(cell, found);
    return found;
  }

  /**
   * What can be the nearest to a point of the cell around a centre. Such a point is at most half a
   * span nearer to a piece than the centre is, and at most half a span farther from another.
   */
  #around(center: Point): readonly Piece[] {
    const distances = this.#pieces.map(({ points }) => distanceToPath(center, points));
    const reachM = Math.min(...distances) + CELL_SPAN_M;
    return this.#pieces.filter((_, i) => (distances[i] ?? 0) <= reachM);
  }
}

/** The path in pieces; each begins with the last point of the one before. */
function cut(path: readonly Point[]): Point[][] {
  const count = Math.ceil((path.length - 1) / PIECE_SEGMENTS);
  return Array.from({ length: count }, (_, i) =>
    path.slice(i * PIECE_SEGMENTS, (i + 1) * PIECE_SEGMENTS + 1),
  );
}
