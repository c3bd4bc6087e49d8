import type { Box, Point } from './types.ts';

/**
 * Plane geometry with + − × ÷ and square root only. IEEE 754 defines these to the last bit, so a
 * city is the same on every machine.
 */

export const add = (a: Point, b: Point, scale = 1): Point => [
  a[0] + b[0] * scale,
  a[1] + b[1] * scale,
];
export const subtract = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1]];
export const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1];
/** Positive where `b` points to the left of `a`. */
export const cross = (a: Point, b: Point): number => a[0] * b[1] - a[1] * b[0];
export const distance = (a: Point, b: Point): number => {
  const delta = subtract(b, a);
  return Math.sqrt(dot(delta, delta));
};

/** Unit vector from `a` to `b`. Throws RangeError if they are the same point. */
export function direction(a: Point, b: Point): Point {
  const length = distance(a, b);
  if (!(length > 0)) throw new RangeError(`no direction from [${a}] to itself`);
  return [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
}

/** Item `index`, counted from the end where negative. Throws RangeError if there is none. */
export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index < 0 ? items.length + index : index];
  if (item === undefined) throw new RangeError(`no item ${index} among ${items.length}`);
  return item;
}

/** Metres. */
export function lengthOf(path: readonly Point[]): number {
  let lengthM = 0;
  for (let i = 1; i < path.length; i++) lengthM += distance(at(path, i - 1), at(path, i));
  return lengthM;
}

/** The point of the segment from `a` to `b` that is nearest to `point`. */
export function nearestOnSegment(point: Point, a: Point, b: Point): Point {
  const along = subtract(b, a);
  const square = dot(along, along);
  const part = square > 0 ? dot(subtract(point, a), along) / square : 0;
  return add(a, along, Math.max(0, Math.min(1, part)));
}

export const distanceToSegment = (point: Point, a: Point, b: Point): number =>
  distance(point, nearestOnSegment(point, a, b));

export function distanceToPath(point: Point, path: readonly Point[]): number {
  let nearestM = distance(point, at(path, 0));
  for (let i = 1; i < path.length; i++) {
    nearestM = Math.min(nearestM, distanceToSegment(point, at(path, i - 1), at(path, i)));
  }
  return nearestM;
}

/** The smallest upright rectangle with all of the points in it. */
export function boundsOf(points: readonly Point[]): Box {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return {
    minX: Math.min(...xs),
    minY: Math.min(...ys),
    maxX: Math.max(...xs),
    maxY: Math.max(...ys),
  };
}
