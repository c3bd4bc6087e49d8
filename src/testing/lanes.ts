import { areaOf, at, distance } from '../city/geometry.ts';
import type { Lane, Point } from '../city/types.ts';

/** 1/m of the circle through point `i` of the path and its neighbours, left positive. */
export function curvatureAt(path: readonly Point[], i: number): number {
  const [a, b, c] = [at(path, i - 1), at(path, i), at(path, i + 1)];
  return (4 * areaOf([a, b, c])) / (distance(a, b) * distance(b, c) * distance(c, a));
}

/** Whether every lane leads to every other: the first one to all, and all to the first one. */
export function isConnected(lanes: readonly Lane[]): boolean {
  const previous: number[][] = lanes.map(() => []);
  for (const [index, { next }] of lanes.entries()) {
    for (const follower of next) at(previous, follower).push(index);
  }
  const nexts = [lanes.map(({ next }) => next), previous];
  return nexts.every((next) => reachable(next).size === lanes.length);
}

function reachable(next: readonly (readonly number[])[]): Set<number> {
  const seen = new Set([0]);
  for (const lane of seen) for (const follower of at(next, lane)) seen.add(follower);
  return seen;
}
