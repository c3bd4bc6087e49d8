import {
  add,
  at,
  boundsOf,
  cross,
  direction,
  distance,
  dot,
  nearestOnSegment,
  subtract,
} from '../../city/geometry.ts';
import type { Lane, Point } from '../../city/types.ts';
import { pacedAlong } from '../curves.ts';
import {
  areaOf,
  clipped,
  distanceToPolygon,
  edgesOf,
  intersectConvex,
  meanOf,
  rectangle,
} from '../geometry.ts';
import type { BlockPlan } from './blocks.ts';

/** Strip beside a lane, beyond its edge, that stays free. */
interface Clearance {
  besideRoadM: number;
  besideTurnM: number;
}

/** A point of a lane's centre line, and the distance within which nothing is built. */
interface LanePoint {
  point: Point;
  keepOffM: number;
}

const CELL_M = 20;
/** A number of cells that exceeds the width of any city. */
const CELLS_ACROSS = 4096;
const LANE_SAMPLE_M = 1.5;
const OVERLAP_MAX_M2 = 0.01;
const CORNERS_MAX = 8;
/** Distance between a block that fills a gap and the houses around it, m. */
const GAP_M = 0.6;

/** The ground of a city: the land that the lanes leave free, and its blocks. Polygons are convex. */
export class Land {
  readonly built: BlockPlan[] = [];
  readonly #lanePoints = new Map<number, LanePoint[]>();
  readonly #blocks = new Map<number, BlockPlan[]>();
  /** Greatest `keepOffM`. */
  readonly #reachM: number;

  constructor(lanes: readonly Lane[], clearance: Clearance) {
    for (const lane of lanes) {
      const besideM = lane.junction < 0 ? clearance.besideRoadM : clearance.besideTurnM;
      for (const point of pacedAlong(lane.polyline, LANE_SAMPLE_M)) {
        const lanePoint = { point, keepOffM: lane.widthM / 2 + besideM };
        for (const cell of cellsOf([point], 0)) listOf(this.#lanePoints, cell).push(lanePoint);
      }
    }
    this.#reachM = Math.max(...lanes.map(({ widthM }) => widthM)) + clearance.besideRoadM;
  }

  /** Whether the polygon keeps clear of lanes and of all that is built. */
  isFree(polygon: readonly Point[]): boolean {
    return (
      this.#lanePointsNear(polygon, this.#reachM).every(
        ({ point, keepOffM }) => distanceToPolygon(point, polygon) >= keepOffM,
      ) &&
      this.#blocksNear(polygon, 0).every(
        (block) => areaOf(intersectConvex(polygon, block.polygon)) < OVERLAP_MAX_M2,
      )
    );
  }

  /** The free part of the polygon around `seed`; empty if `seed` is not free. */
  freePart(polygon: readonly Point[], seed: Point): Point[] {
    const lanes = this.#lanePointsNear(polygon, this.#reachM).map(({ point, keepOffM }) => ({
      nearest: point,
      keepOffM,
    }));
    const blocks = this.#blocksNear(polygon, 0).map((block) => ({
      nearest: nearestOn(block.polygon, seed),
      keepOffM: GAP_M,
    }));
    const obstacles = [...lanes, ...blocks].map((obstacle) => ({
      ...obstacle,
      roomM: distance(seed, obstacle.nearest) - obstacle.keepOffM,
    }));
    let rest = [...polygon];
    for (const { nearest, keepOffM, roomM } of obstacles.sort((a, b) => a.roomM - b.roomM)) {
      if (roomM <= 0) return [];
      const away = direction(seed, nearest);
      const edge = add(nearest, away, -keepOffM);
      if (rest.every((corner) => dot(subtract(corner, edge), away) <= 0)) continue;
      if (isClearOf(rest, nearest, keepOffM)) continue;
      rest = clipped(rest, (corner) => dot(subtract(edge, corner), away));
    }
    return withFewCorners(rest);
  }

  /** Metres from the point to the nearest block or lane clearance, at most `farM`; 0 inside. */
  roomAround(point: Point, farM: number): number {
    let roomM = farM;
    for (const near of this.#lanePointsNear([point], farM + this.#reachM)) {
      roomM = Math.min(roomM, distance(point, near.point) - near.keepOffM);
    }
    for (const block of this.#blocksNear([point], farM)) {
      roomM = Math.min(roomM, distanceToPolygon(point, block.polygon));
    }
    return Math.max(0, roomM);
  }

  build(block: BlockPlan): void {
    this.built.push(block);
    for (const cell of cellsOf(block.polygon, 0)) listOf(this.#blocks, cell).push(block);
  }

  /** Builds the free part of the block, unless that is smaller than `areaMinM2`. */
  buildFreePart(block: BlockPlan, areaMinM2 = 0): void {
    const polygon = this.isFree(block.polygon)
      ? block.polygon
      : this.freePart(block.polygon, meanOf(block.polygon));
    if (polygon.length >= 3 && areaOf(polygon) >= areaMinM2) this.build({ ...block, polygon });
  }

  #lanePointsNear(polygon: readonly Point[], marginM: number): LanePoint[] {
    return cellsOf(polygon, marginM).flatMap((cell) => this.#lanePoints.get(cell) ?? []);
  }

  #blocksNear(polygon: readonly Point[], marginM: number): BlockPlan[] {
    const near = cellsOf(polygon, marginM).flatMap((cell) => this.#blocks.get(cell) ?? []);
    return [...new Set(near)];
  }
}

const isClearOf = (polygon: readonly Point[], obstacle: Point, keepOffM: number): boolean =>
  distanceToPolygon(obstacle, polygon) >= keepOffM && keepOffM > GAP_M;

const nearestOn = (polygon: readonly Point[], seed: Point): Point =>
  edgesOf(polygon)
    .map(([from, to]) => nearestOnSegment(seed, from, to))
    .reduce((best, each) => (distance(seed, each) < distance(seed, best) ? each : best));

/** Drops the corners with the smallest area until a block may have so many. */
function withFewCorners(polygon: readonly Point[]): Point[] {
  let rest = tidied(polygon);
  while (rest.length > CORNERS_MAX) {
    const areas = rest.map((corner, i) =>
      areaOf([at(rest, i - 1), corner, at(rest, (i + 1) % rest.length)]),
    );
    const least = areas.indexOf(Math.min(...areas));
    rest = rest.filter((_, i) => i !== least);
  }
  return rest;
}

const SAME_POINT_M = 0.05;

/** Drops corners that nearly coincide, or lie nearly on the line between their neighbours. */
function tidied(polygon: readonly Point[]): Point[] {
  const apart = edgesOf(polygon).flatMap(([from, to]) =>
    distance(from, to) > SAME_POINT_M ? [from] : [],
  );
  return apart.filter((corner, i) => {
    const before = at(apart, i - 1);
    const after = at(apart, (i + 1) % apart.length);
    return cross(subtract(corner, before), subtract(after, corner)) > 1e-3;
  });
}

function listOf<Item>(lists: Map<number, Item[]>, key: number): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Keys of the grid cells that the polygon's bounds touch, with a margin. */
function cellsOf(polygon: readonly Point[], marginM: number): number[] {
  const { minX, minY, maxX, maxY } = boundsOf(polygon);
  const keys: number[] = [];
  for (let i = cellAt(minX - marginM); i <= cellAt(maxX + marginM); i++) {
    for (let k = cellAt(minY - marginM); k <= cellAt(maxY + marginM); k++) {
      keys.push(i * CELLS_ACROSS + k);
    }
  }
  return keys;
}

const cellAt = (coordinateM: number): number => Math.floor(coordinateM / CELL_M);

/** A square around a point. */
export const squareAround = ([x, y]: Point, halfM: number): Point[] =>
  rectangle(x - halfM, y - halfM, x + halfM, y + halfM);
