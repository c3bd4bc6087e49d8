import {
  add,
  at,
  cross,
  direction,
  distance,
  distanceToPath,
  dot,
  lengthOf,
  subtract,
} from '../city/geometry.ts';
import type { Box, Point } from '../city/types.ts';

/** Plane geometry for generating cities; as in `city/geometry.ts`, with exact operations only. */

export const negate = (a: Point): Point => [0 - a[0], 0 - a[1]];
/** `a` turned clockwise by 90°. */
export const rightOf = (a: Point): Point => [a[1], 0 - a[0]];
export const startDirection = (path: readonly Point[]): Point =>
  direction(at(path, 0), at(path, 1));
export const endDirection = (path: readonly Point[]): Point =>
  direction(at(path, -2), at(path, -1));

/** The point `stationM` along the path; its first and last segments go on beyond its ends. */
export function pointAlong(path: readonly Point[], stationM: number): Point {
  let restM = stationM;
  for (let i = 1; i < path.length; i++) {
    const from = at(path, i - 1);
    const to = at(path, i);
    const pieceM = distance(from, to);
    if (restM <= pieceM || i === path.length - 1) return add(from, direction(from, to), restM);
    restM -= pieceM;
  }
  return at(path, 0);
}

/** The path without its first and last metres. Throws RangeError if nothing is left. */
export function trim(path: readonly Point[], headM: number, tailM: number): Point[] {
  const endM = lengthOf(path) - tailM;
  if (!(endM > headM)) throw new RangeError('nothing is left of a path after trimming');
  const trimmed: Point[] = [pointAlong(path, headM)];
  let stationM = 0;
  for (let i = 1; i < path.length - 1; i++) {
    stationM += distance(at(path, i - 1), at(path, i));
    if (stationM > headM && stationM < endM) trimmed.push(at(path, i));
  }
  trimmed.push(pointAlong(path, endM));
  return trimmed;
}

/** The path moved to the right, mitred at its corners; negative is to the left. */
export function offsetRight(path: readonly Point[], rightM: number): Point[] {
  return path.map((point, i) => {
    const into = direction(at(path, Math.max(i - 1, 0)), at(path, Math.max(i, 1)));
    const last = path.length - 1;
    const out = direction(at(path, Math.min(i, last - 1)), at(path, Math.min(i + 1, last)));
    const mitre = add(rightOf(into), rightOf(out));
    return add(point, mitre, rightM / (1 + dot(into, out)));
  });
}

/** The edges of a polygon, each from a corner to the next. */
export const edgesOf = (polygon: readonly Point[]): [from: Point, to: Point][] =>
  polygon.map((corner, i) => [corner, at(polygon, (i + 1) % polygon.length)]);

/** Counter-clockwise hull of the points. */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const chain = (ordered: readonly Point[]): Point[] => {
    const hull: Point[] = [];
    for (const point of ordered) {
      while (hull.length > 1 && turnsRight(at(hull, -2), at(hull, -1), point)) hull.pop();
      hull.push(point);
    }
    return hull.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

const turnsRight = (a: Point, b: Point, c: Point): boolean =>
  cross(subtract(b, a), subtract(c, b)) <= 1e-9;

/** The intersection of two convex counter-clockwise polygons (Sutherland and Hodgman). */
export function intersectConvex(subject: readonly Point[], clip: readonly Point[]): Point[] {
  let rest = [...subject];
  for (const [from, to] of edgesOf(clip)) {
    const along = subtract(to, from);
    rest = clipped(rest, (point) => cross(along, subtract(point, from)));
  }
  return rest;
}

/** The part of a convex polygon in which `depthOf`, a linear function, is not negative. */
export const clipped = (polygon: readonly Point[], depthOf: (point: Point) => number): Point[] =>
  edgesOf(polygon).flatMap(([from, to]) => {
    const here = depthOf(from);
    const there = depthOf(to);
    const kept = here >= 0 ? [from] : [];
    if (here * there >= 0) return kept;
    return [...kept, add(from, subtract(to, from), here / (here - there))];
  });

/** Square metres; positive for a counter-clockwise polygon. */
export const areaOf = (polygon: readonly Point[]): number =>
  edgesOf(polygon).reduce((sum, [from, to]) => sum + cross(from, to), 0) / 2;

/** Whether the point is inside a convex counter-clockwise polygon or on its edge. */
export const covers = (polygon: readonly Point[], point: Point): boolean =>
  edgesOf(polygon).every(([from, to]) => cross(subtract(to, from), subtract(point, from)) >= 0);

/** Whether the polygon turns left at each of its corners. */
export const isConvex = (polygon: readonly Point[]): boolean =>
  edgesOf(polygon).every(([from, to], i) => {
    const next = at(polygon, (i + 2) % polygon.length);
    return cross(subtract(to, from), subtract(next, to)) > 0;
  });

export function meanOf(points: readonly Point[]): Point {
  const sum = points.reduce((total, point) => add(total, point));
  return [sum[0] / points.length, sum[1] / points.length];
}

/** The closed path around a polygon. */
export const outlineOf = (polygon: readonly Point[]): Point[] => [...polygon, at(polygon, 0)];

/** Metres from a convex polygon to a point; 0 inside. */
export const distanceToPolygon = (point: Point, polygon: readonly Point[]): number =>
  covers(polygon, point) ? 0 : distanceToPath(point, outlineOf(polygon));

/** The box with a margin on all sides. */
export const grown = ({ minX, minY, maxX, maxY }: Box, marginM: number): Box => ({
  minX: minX - marginM,
  minY: minY - marginM,
  maxX: maxX + marginM,
  maxY: maxY + marginM,
});

/** Whether the point is within `reachM` of the bounds, or inside. */
export const isNearBounds = ([x, y]: Point, bounds: Box, reachM: number): boolean =>
  x > bounds.minX - reachM &&
  x < bounds.maxX + reachM &&
  y > bounds.minY - reachM &&
  y < bounds.maxY + reachM;

export function rectangle(minX: number, minY: number, maxX: number, maxY: number): Point[] {
  return [
    [minX, minY],
    [maxX, minY],
    [maxX, maxY],
    [minX, maxY],
  ];
}

/**
 * Heading of a unit vector: radians from east, counter-clockwise, in (−π, π]. Exact in the four
 * compass directions, elsewhere within 2e-6 (arctangent by the polynomial 4.4.49 of Abramowitz and
 * Stegun).
 */
export function headingOf([x, y]: Point): number {
  const ratio = Math.min(Math.abs(x), Math.abs(y)) / Math.max(Math.abs(x), Math.abs(y));
  const square = ratio * ratio;
  let series = 0;
  for (const coefficient of ARCTANGENT) series = series * square + coefficient;
  let angle = ratio * series;
  if (Math.abs(y) > Math.abs(x)) angle = Math.PI / 2 - angle;
  if (x < 0) angle = Math.PI - angle;
  return y < 0 ? -angle : angle;
}

const ARCTANGENT = [
  0.0028662257, -0.0161657367, 0.0429096138, -0.07528964, 0.1065626393, -0.1420889944, 0.1999355085,
  -0.3333314528, 1,
];
