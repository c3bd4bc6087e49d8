import { at, boundsOf, distance } from '../../city/geometry.ts';
import type { Box, Lane, Point } from '../../city/types.ts';
import { areaOf } from '../../citygen/geometry.ts';
import { frameAt } from '../../citygen/hazards/paths.ts';
import { lanesBefore } from '../../citygen/network/network.ts';
import type { Pose } from './slab-editor.ts';

/** 1/m of the circle through point `i` of the path and its neighbours, left positive. */
export function curvatureAt(path: readonly Point[], i: number): number {
  const [a, b, c] = [at(path, i - 1), at(path, i), at(path, i + 1)];
  return (4 * areaOf([a, b, c])) / (distance(a, b) * distance(b, c) * distance(c, a));
}

/** A point of a path and the direction there. */
export function poseAlong(path: readonly Point[], stationM: number): Pose {
  const { origin, along } = frameAt(path, stationM);
  return { x: origin[0], y: origin[1], hx: along[0], hy: along[1] };
}

/** A lane of a road, where a test needs no city. */
export const roadLane = (polyline: readonly Point[], other: Partial<Lane> = {}): Lane => ({
  id: 'l1',
  road: 0,
  junction: -1,
  widthM: 3.5,
  speedLimitMps: 10,
  polyline,
  next: [],
  ...other,
});

const boxes = new WeakMap<readonly Point[], Box>();

/** The bounding box of a path, which must not change: tests compare each with all others. */
export function boxOf(path: readonly Point[]): Box {
  const box = boxes.get(path) ?? boundsOf(path);
  boxes.set(path, box);
  return box;
}

/** Whether the bounding boxes of two paths come within a distance of each other, m. */
export function areNear(a: readonly Point[], b: readonly Point[], reachM: number): boolean {
  const [ofA, ofB] = [boxOf(a), boxOf(b)];
  return (
    ofA.minX - reachM < ofB.maxX &&
    ofB.minX - reachM < ofA.maxX &&
    ofA.minY - reachM < ofB.maxY &&
    ofB.minY - reachM < ofA.maxY
  );
}

/** Fewest lanes from the first to the last, which is left out; not through `avoidedJunction`. */
export function wayBetween(
  lanes: readonly Lane[],
  first: number,
  last: number,
  avoidedJunction?: number,
): number[] {
  const ways = new Map([[first, [first]]]);
  for (const [lane, way] of ways) {
    for (const next of at(lanes, lane).next) {
      if (next === last) return way;
      const isAvoided = at(lanes, next).junction === avoidedJunction;
      if (!ways.has(next) && !isAvoided) ways.set(next, [...way, next]);
    }
  }
  throw new RangeError('there is no way back');
}

/** Whether every lane leads to every other: the first one to all, and all to the first one. */
export function isConnected(lanes: readonly Lane[]): boolean {
  const nexts = lanes.map(({ next }) => next);
  return [nexts, lanesBefore(lanes)].every((next) => reachable(next).size === lanes.length);
}

function reachable(next: readonly (readonly number[])[]): Set<number> {
  const seen = new Set([0]);
  for (const lane of seen) for (const follower of at(next, lane)) seen.add(follower);
  return seen;
}
