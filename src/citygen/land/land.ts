import { add, at, cross, direction, distance, dot, subtract } from '../../city/geometry.ts';
import type { Lane, Point } from '../../city/types.ts';
import { pacedAlong } from '../curves.ts';
import {
  areaOf,
  distanceToPolygon,
  distanceToSegment,
  intersectConvex,
  rectangle,
} from '../geometry.ts';
import type { BlockPlan } from './blocks.ts';

/** Room beside a lane that nothing is built on, beyond the lane's edge. */
export interface Clearance {
  besideRoadM: number;
  besideTurnM: number;
}

/** The ground of a city: what the lanes leave free, and what has been built on it. */
export interface Land {
  built: readonly BlockPlan[];
  /** Whether the convex polygon keeps clear of lanes and of all that is built. */
  isFree(polygon: readonly Point[]): boolean;
  /** The part of the convex polygon around `seed` that is free, convex too; empty where none. */
  freePart(polygon: readonly Point[], seed: Point): Point[];
  /** Metres from the point to the nearest lane's clearance or block, at most `reachM`; 0 inside. */
  roomAround(point: Point, reachM: number): number;
  build(block: BlockPlan): void;
}

interface Spot {
  point: Point;
  keepOffM: number;
}

const CELL_M = 20;
/** More squares than any city is across. */
const CELLS_ACROSS = 4096;
const LANE_SAMPLE_M = 1.5;
const OVERLAP_MAX_M2 = 0.01;
const CORNERS_MAX = 8;
/** Between what is grown into a gap and the houses around it. */
const GAP_M = 0.6;

export function createLand(lanes: readonly Lane[], clearance: Clearance): Land {
  const spots = new Map<number, Spot[]>();
  const blocks = new Map<number, BlockPlan[]>();
  const built: BlockPlan[] = [];
  for (const lane of lanes) {
    const besideM = lane.junction < 0 ? clearance.besideRoadM : clearance.besideTurnM;
    for (const point of pacedAlong(lane.polyline, LANE_SAMPLE_M)) {
      const spot = { point, keepOffM: lane.widthM / 2 + besideM };
      for (const cell of cellsOf([point], 0)) listOf(spots, cell).push(spot);
    }
  }
  const reachM = Math.max(...lanes.map(({ widthM }) => widthM)) + clearance.besideRoadM;
  const spotsNear = (polygon: readonly Point[], marginM: number): Spot[] =>
    cellsOf(polygon, marginM).flatMap((cell) => spots.get(cell) ?? []);
  const blocksNear = (polygon: readonly Point[], marginM: number): BlockPlan[] => [
    ...new Set(cellsOf(polygon, marginM).flatMap((cell) => blocks.get(cell) ?? [])),
  ];

  const isFree = (polygon: readonly Point[]): boolean =>
    cellsOf(polygon, reachM).every((cell) =>
      (spots.get(cell) ?? []).every(({ point, keepOffM }) => isApart(point, polygon, keepOffM)),
    ) &&
    blocksNear(polygon, 0).every(
      (block) => areaOf(intersectConvex(polygon, block.polygon)) < OVERLAP_MAX_M2,
    );

  const freePart = (polygon: readonly Point[], seed: Point): Point[] => {
    const obstacles = [
      ...spotsNear(polygon, reachM).map(({ point, keepOffM }) => ({
        nearest: point,
        keepOffM,
      })),
      ...blocksNear(polygon, 0).map((block) => ({
        nearest: nearestOn(block.polygon, seed),
        keepOffM: GAP_M,
      })),
    ].map((obstacle) => ({
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
      rest = withoutBeyond(rest, edge, away);
    }
    return withFewCorners(rest);
  };

  const roomAround = (point: Point, farM: number): number => {
    let roomM = farM;
    for (const spot of spotsNear([point], farM + reachM)) {
      roomM = Math.min(roomM, distance(point, spot.point) - spot.keepOffM);
    }
    for (const block of blocksNear([point], farM)) {
      roomM = Math.min(roomM, distanceToPolygon(point, block.polygon));
    }
    return Math.max(0, roomM);
  };

  const build = (block: BlockPlan): void => {
    built.push(block);
    for (const cell of cellsOf(block.polygon, 0)) listOf(blocks, cell).push(block);
  };
  return { built, isFree, freePart, roomAround, build };
}

/** Whether the point is at least so far from the convex polygon. */
function isApart(point: Point, polygon: readonly Point[], farM: number): boolean {
  let isInside = true;
  for (let i = 0; i < polygon.length; i++) {
    const corner = at(polygon, i);
    const next = at(polygon, i + 1 < polygon.length ? i + 1 : 0);
    const edge = subtract(next, corner);
    const depth = cross(edge, subtract(point, corner));
    if (depth >= 0) continue;
    isInside = false;
    if (depth * depth >= farM * farM * dot(edge, edge)) return true;
    if (distanceToSegment(point, corner, next) < farM) return false;
  }
  return !isInside;
}

const isClearOf = (polygon: readonly Point[], obstacle: Point, keepOffM: number): boolean =>
  distanceToPolygon(obstacle, polygon) >= keepOffM && keepOffM > GAP_M;

function nearestOn(polygon: readonly Point[], seed: Point): Point {
  let nearest = at(polygon, 0);
  for (const [i, corner] of polygon.entries()) {
    const next = at(polygon, (i + 1) % polygon.length);
    const edge = subtract(next, corner);
    const part = dot(subtract(seed, corner), edge) / dot(edge, edge);
    const onEdge = add(corner, edge, Math.max(0, Math.min(1, part)));
    if (distance(seed, onEdge) < distance(seed, nearest)) nearest = onEdge;
  }
  return nearest;
}

/** The polygon without what lies beyond the line through `edge` across `away`. */
function withoutBeyond(polygon: readonly Point[], edge: Point, away: Point): Point[] {
  return polygon.flatMap((corner, i) => {
    const next = at(polygon, (i + 1) % polygon.length);
    const here = dot(subtract(corner, edge), away);
    const there = dot(subtract(next, edge), away);
    const kept = here <= 0 ? [corner] : [];
    if (here * there >= 0) return kept;
    return [...kept, add(corner, subtract(next, corner), here / (here - there))];
  });
}

/** The polygon with its least corners cut off, until a block may have it. */
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

/** Without corners that are nearly one, or nearly on the line of their neighbours. */
function tidied(polygon: readonly Point[]): Point[] {
  const apart = polygon.filter(
    (corner, i) => distance(corner, at(polygon, (i + 1) % polygon.length)) > SAME_POINT_M,
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

/** Keys of the squares of the ground that the polygon's bounds touch. */
function cellsOf(polygon: readonly Point[], marginM: number): number[] {
  const xs = polygon.map(([x]) => x);
  const ys = polygon.map(([, y]) => y);
  const keys: number[] = [];
  for (let i = cellAt(Math.min(...xs) - marginM); i <= cellAt(Math.max(...xs) + marginM); i++) {
    for (let k = cellAt(Math.min(...ys) - marginM); k <= cellAt(Math.max(...ys) + marginM); k++) {
      keys.push(i * CELLS_ACROSS + k);
    }
  }
  return keys;
}

const cellAt = (coordinateM: number): number => Math.floor(coordinateM / CELL_M);

/** A square around a point. */
export const squareAround = ([x, y]: Point, halfM: number): Point[] =>
  rectangle(x - halfM, y - halfM, x + halfM, y + halfM);

/** What the streets around leave of the block. */
export function buildAsFarAsFree(land: Land, block: BlockPlan, areaMinM2 = 0): void {
  const polygon = land.isFree(block.polygon)
    ? block.polygon
    : land.freePart(block.polygon, middleOf(block.polygon));
  if (polygon.length >= 3 && areaOf(polygon) >= areaMinM2) land.build({ ...block, polygon });
}

function middleOf(polygon: readonly Point[]): Point {
  const sum = polygon.reduce((total, corner) => add(total, corner));
  return [sum[0] / polygon.length, sum[1] / polygon.length];
}
