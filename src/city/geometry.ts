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
export const nearestOnSegment = (point: Point, a: Point, b: Point): Point =>
  add(a, subtract(b, a), nearestPart(point, a, b));

export const distanceToSegment = (point: Point, a: Point, b: Point): number =>
  Math.sqrt(squareToSegment(point, a, b));

export function distanceToPath(point: Point, path: readonly Point[]): number {
  let from = at(path, 0);
  let nearest = Number.POSITIVE_INFINITY;
  for (const to of path) {
    nearest = Math.min(nearest, squareToSegment(point, from, to));
    from = to;
  }
  return Math.sqrt(nearest);
}

// In numbers instead of points: the list of incidents needs the distance to many segments, and
// would allocate several points for each.

/** Square of the distance to the segment from `a` to `b`, m². */
function squareToSegment(point: Point, a: Point, b: Point): number {
  const part = nearestPart(point, a, b);
  const dx = a[0] + (b[0] - a[0]) * part - point[0];
  const dy = a[1] + (b[1] - a[1]) * part - point[1];
  return dx * dx + dy * dy;
}

/** Where on the segment from `a` to `b` the nearest point is: 0 at `a`, 1 at `b`. */
function nearestPart(point: Point, a: Point, b: Point): number {
  const alongX = b[0] - a[0];
  const alongY = b[1] - a[1];
  const square = alongX * alongX + alongY * alongY;
  if (!(square > 0)) return 0;
  const part = ((point[0] - a[0]) * alongX + (point[1] - a[1]) * alongY) / square;
  return Math.max(0, Math.min(1, part));
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

/** The nearest multiple of 1 / `steps`, halves upwards, and never −0. */
export const roundTo = (value: number, steps: number): number =>
  Math.floor(value * steps + 0.5) / steps + 0;

/** As maps have it. */
export const toCentimetre = (valueM: number): number => roundTo(valueM, 100);
