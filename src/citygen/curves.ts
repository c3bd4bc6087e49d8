import { add, at, cross, direction, distance, dot, subtract } from '../city/geometry.ts';
import type { Point } from '../city/types.ts';
import { headingOf } from './geometry.ts';

/** A corner of a road's axis, rounded by a bend. */
export interface Corner {
  x: number;
  y: number;
  radiusM: number;
}

/** Distance between the points of a path with bends, m. */
const POINT_SPACING_M = 1.2;
/** Integration steps between two points. */
const SUBSTEPS = 8;
/** Length over which the curvature rises from zero to that of the arc. */
const RAMP_MIN_M = 10;
const RAMP_PER_RADIUS = 0.4;

/**
 * The axis from `from` to `to`: straight lines, with the corners rounded by bends.
 *
 * @throws RangeError if the bends of two corners overlap
 */
export function roundedPath(from: Point, corners: readonly Corner[], to: Point): Point[] {
  const places: Point[] = [from, ...corners.map(({ x, y }): Point => [x, y]), to];
  const path: Point[] = [from];
  for (const [i, { radiusM }] of corners.entries()) {
    const corner = at(places, i + 1);
    const into = direction(at(places, i), corner);
    const bend = roundCorner(corner, into, direction(corner, at(places, i + 2)), radiusM);
    checkOrder(at(path, -1), at(bend, 0), into);
    path.push(...bend);
  }
  checkOrder(at(path, -1), to, direction(at(places, -2), to));
  return [...path, to];
}

function checkOrder(from: Point, to: Point, along: Point): void {
  if (!(dot(subtract(to, from), along) > 0)) throw new RangeError(`bends overlap before [${to}]`);
}

/**
 * Adds points to the straights of a path with bends, as dense as in the bends, so that a spline
 * through the points is straight there. A path of two points stays as it is.
 */
export function evenlySpaced(path: readonly Point[]): Point[] {
  if (path.length === 2) return [...path];
  return path.flatMap((to, i) => {
    const from = path[i - 1];
    if (!from) return [to];
    const pieces = Math.max(1, Math.floor(distance(from, to) / POINT_SPACING_M + 0.5));
    const way = subtract(to, from);
    return Array.from({ length: pieces }, (_, k) =>
      k === pieces - 1 ? to : add(from, way, (k + 1) / pieces),
    );
  });
}

/**
 * A bend around a corner: clothoid, arc, clothoid, so the curvature rises linearly from zero, stays
 * constant, and falls linearly to zero. A corner too blunt for the arc gets only the clothoids.
 */
export function roundCorner(corner: Point, into: Point, out: Point, radiusM: number): Point[] {
  const turnRad = headingOf([dot(into, out), cross(into, out)]);
  const side = turnRad < 0 ? -1 : 1;
  const rampM = Math.max(RAMP_MIN_M, radiusM * RAMP_PER_RADIUS);
  const arcM = Math.max(0, Math.abs(turnRad) * radiusM - rampM);
  const peak = Math.abs(turnRad) / (arcM + rampM);
  const curvatureAt = (stationM: number): number =>
    side * peak * Math.min(1, stationM / rampM, (arcM + 2 * rampM - stationM) / rampM);
  const local = integrate(into, arcM + 2 * rampM, curvatureAt);
  const legs = add(into, out);
  const legM = dot(at(local, -1), legs) / dot(legs, legs);
  const start = add(corner, into, -legM);
  const bend = local.slice(0, -1).map((point) => add(start, point));
  return [...bend, add(corner, out, legM)];
}

/** The curve of the given curvature from the origin in the direction `from`, at equal steps. */
function integrate(
  from: Point,
  lengthM: number,
  curvatureAt: (stationM: number) => number,
): Point[] {
  const steps = SUBSTEPS * Math.max(4, Math.floor(lengthM / POINT_SPACING_M + 0.5));
  const stepM = lengthM / steps;
  const path: Point[] = [[0, 0]];
  let place: Point = [0, 0];
  let along = from;
  for (let i = 1; i <= steps; i++) {
    const halfTurn = (curvatureAt((i - 0.5) * stepM) * stepM) / 2;
    const middle = rotated(along, halfTurn);
    place = add(place, middle, stepM);
    along = rotated(middle, halfTurn);
    if (i % SUBSTEPS === 0) path.push(place);
  }
  return path;
}

/** Rotates to the left by a small angle; t is the tangent of half the angle, as a series. */
function rotated([x, y]: Point, angleRad: number): Point {
  const t = angleRad / 2 + (angleRad * angleRad * angleRad) / 24;
  const cosine = (1 - t * t) / (1 + t * t);
  const sine = (2 * t) / (1 + t * t);
  return [x * cosine - y * sine, x * sine + y * cosine];
}

/** Points of the path `spacingM` apart, and its end. */
export function pacedAlong(path: readonly Point[], spacingM: number): Point[] {
  const paced: Point[] = [at(path, 0)];
  let restM = 0;
  for (const [i, to] of path.slice(1).entries()) {
    const from = at(path, i);
    const pieceM = distance(from, to);
    if (pieceM === 0) continue;
    const along = direction(from, to);
    for (let stationM = spacingM - restM; stationM < pieceM; stationM += spacingM) {
      paced.push(add(from, along, stationM));
    }
    restM = (restM + pieceM) % spacingM;
  }
  paced.push(at(path, -1));
  return paced;
}

/** Intersection of the line through `a` along `alongA` with the one through `b` along `alongB`. */
function meetingPoint(a: Point, alongA: Point, b: Point, alongB: Point): Point {
  return add(a, alongA, cross(subtract(b, a), alongB) / cross(alongA, alongB));
}

/** Handles as fractions of the leg: the gentlest bend that starts with curvature zero. */
const BEND_HANDLES = [0.38, 0.63] as const;
const BEND_POINT_SPACING_M = 0.6;
/** A shorter straight piece is left out, since a spline through its points would oscillate. */
const STUB_M = 0.15;

/**
 * A curve from `from` along `fromDirection` to `to` along `toDirection`. The bend is symmetric
 * about the corner of the two lines, and the longer leg keeps a straight piece. It is a quintic
 * Bézier curve with its handles on the legs, so the curvature is zero at both ends and the steering
 * is smooth. Around a right angle with legs of 1 the smallest radius is 0.79.
 *
 * @throws RangeError if the corner is not ahead of `from` and behind `to`
 */
export function bend(from: Point, fromDirection: Point, to: Point, toDirection: Point): Point[] {
  const corner = meetingPoint(from, fromDirection, to, toDirection);
  const entryM = dot(subtract(corner, from), fromDirection);
  const exitM = dot(subtract(to, corner), toDirection);
  const legM = Math.min(entryM, exitM);
  if (!(legM > 0)) throw new RangeError(`no bend from [${from}] to [${to}]`);
  const control = [1, 1 - BEND_HANDLES[0], 1 - BEND_HANDLES[1]].map((part) =>
    add(corner, fromDirection, -legM * part),
  );
  for (const handle of [1 - BEND_HANDLES[1], 1 - BEND_HANDLES[0], 1]) {
    control.push(add(corner, toDirection, legM * handle));
  }
  const pieces = Math.max(8, Math.floor((legM * 1.65) / BEND_POINT_SPACING_M + 0.5));
  const curve: Point[] = [];
  for (let i = 0; i <= pieces; i++) curve.push(bezier(control, i / pieces));
  const head = entryM > legM + STUB_M ? straight(from, at(curve, 0)) : [from];
  const tail = exitM > legM + STUB_M ? straight(at(curve, -1), to) : [to];
  return [...head, ...curve.slice(1, -1), ...tail];
}

/**
 * A path from `from` along `fromDirection` to `to` along `toDirection`, for similar directions: a
 * straight line if it fits, else a quintic Bézier curve with curvature zero at its ends.
 */
export function shift(from: Point, fromDirection: Point, to: Point, toDirection: Point): Point[] {
  const way = subtract(to, from);
  if (Math.max(Math.abs(cross(way, fromDirection)), Math.abs(cross(way, toDirection))) < 1e-6) {
    return [from, to];
  }
  const lengthM = distance(from, to);
  const control = [
    ...[0, 1, 2].map((fifths) => add(from, fromDirection, (lengthM * fifths) / 5)),
    ...[2, 1, 0].map((fifths) => add(to, toDirection, (-lengthM * fifths) / 5)),
  ];
  const pieces = Math.max(8, Math.floor(lengthM / BEND_POINT_SPACING_M + 0.5));
  const inner = Array.from({ length: pieces - 1 }, (_, i) => bezier(control, (i + 1) / pieces));
  return [from, ...inner, to];
}

/** A straight path with points as dense as in a bend. */
function straight(from: Point, to: Point): Point[] {
  const lengthM = distance(from, to);
  const pieces = Math.max(1, Math.floor(lengthM / BEND_POINT_SPACING_M + 0.5));
  const along = direction(from, to);
  const path: Point[] = [from];
  for (let i = 1; i < pieces; i++) path.push(add(from, along, (lengthM * i) / pieces));
  path.push(to);
  return path;
}

/** A point of the curve, by De Casteljau's algorithm. */
function bezier(control: readonly Point[], t: number): Point {
  let points = control;
  while (points.length > 1) {
    points = points
      .slice(1)
      .map((point, i) => add(at(points, i), subtract(point, at(points, i)), t));
  }
  return at(points, 0);
}
