import {
  add,
  at,
  cross,
  direction,
  distance,
  distanceToSegment,
  dot,
  lengthOf,
  subtract,
} from '../../city/geometry.ts';
import type { Body, Lane, Point } from '../../city/types.ts';
import { edgesOf, pointAlong, rightOf, trim } from '../geometry.ts';

/** A point on a path and the direction of the path there, a unit vector. */
export interface Frame {
  origin: Point;
  along: Point;
}

const FRAME_REACH_M = 0.5;

export function frameAt(path: readonly Point[], stationM: number): Frame {
  const lengthM = lengthOf(path);
  const fromM = Math.max(0, Math.min(stationM - FRAME_REACH_M, lengthM - 2 * FRAME_REACH_M));
  const from = pointAlong(path, fromM);
  const to = pointAlong(path, fromM + 2 * FRAME_REACH_M);
  return { origin: pointAlong(path, stationM), along: direction(from, to) };
}

/** The point at an offset ahead of the frame and to the right of it. */
export const beside = ({ origin, along }: Frame, aheadM: number, rightM: number): Point =>
  add(add(origin, along, aheadM), rightOf(along), rightM);

/** A box in the direction of the frame, its centre ahead and to the right. */
export function boxBeside(
  frame: Frame,
  aheadM: number,
  rightM: number,
  { lengthM, widthM }: Pick<Body, 'lengthM' | 'widthM'>,
): Body {
  const [x, y] = beside(frame, aheadM, rightM);
  return { x, y, heading: frame.along, lengthM, widthM };
}

/** A body at the start and at the end of a path, in the direction of the path there. */
export function endsOf(
  path: readonly Point[],
  box: Pick<Body, 'lengthM' | 'widthM'>,
): { start: Body; end: Body } {
  const [first, last] = [at(path, 0), at(path, -1)];
  const bodyAt = ([x, y]: Point, heading: Point): Body => ({
    x,
    y,
    heading,
    lengthM: box.lengthM,
    widthM: box.widthM,
  });
  return {
    start: bodyAt(first, direction(first, at(path, 1))),
    end: bodyAt(last, direction(at(path, -2), last)),
  };
}

/** Counter-clockwise from the rear right. */
export function cornersOf({ x, y, heading, lengthM, widthM }: Body): Point[] {
  const frame: Frame = { origin: [x, y], along: heading };
  const [ahead, right] = [lengthM / 2, widthM / 2];
  return [
    beside(frame, -ahead, right),
    beside(frame, ahead, right),
    beside(frame, ahead, -right),
    beside(frame, -ahead, -right),
  ];
}

/** Whether the body keeps out of the lane, but for `SWEEP_TOLERANCE_M` at its edge. */
export function isClearOf(body: Body, { polyline, widthM }: Lane): boolean {
  const wantedM = widthM / 2 - SWEEP_TOLERANCE_M;
  const edges = edgesOf(cornersOf(body));
  const reachM = wantedM + (body.lengthM + body.widthM) / 2;
  for (let i = 1; i < polyline.length; i++) {
    const [a, b] = [at(polyline, i - 1), at(polyline, i)];
    if (distanceToSegment([body.x, body.y], a, b) > reachM) continue;
    if (edges.some(([c, d]) => distanceBetweenSegments(a, b, c, d) < wantedM)) return false;
  }
  return true;
}

const SWEEP_TOLERANCE_M = 0.1;

function distanceBetweenSegments(a: Point, b: Point, c: Point, d: Point): number {
  if (meet(a, b, c, d)) return 0;
  return Math.min(
    distanceToSegment(a, c, d),
    distanceToSegment(b, c, d),
    distanceToSegment(c, a, b),
    distanceToSegment(d, a, b),
  );
}

function meet(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (from: Point, to: Point, point: Point) =>
    cross(subtract(to, from), subtract(point, from));
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/** The stations along two paths where they first cross; undefined if they do not. */
export function crossingOf(
  a: readonly Point[],
  b: readonly Point[],
): { aM: number; bM: number } | undefined {
  let aM = 0;
  for (let i = 1; i < a.length; i++) {
    const [a0, a1] = [at(a, i - 1), at(a, i)];
    let bM = 0;
    for (let k = 1; k < b.length; k++) {
      const [b0, b1] = [at(b, k - 1), at(b, k)];
      if (meet(a0, a1, b0, b1)) {
        const aPart = cross(subtract(b0, a0), subtract(b1, b0));
        const bPart = cross(subtract(a0, b0), subtract(a1, a0));
        const whole = cross(subtract(a1, a0), subtract(b1, b0));
        return {
          aM: aM + (distance(a0, a1) * aPart) / whole,
          bM: bM - (distance(b0, b1) * bPart) / whole,
        };
      }
      bM += distance(b0, b1);
    }
    aM += distance(a0, a1);
  }
  return undefined;
}

/** One path of several; each begins where the one before it ends. */
export const joined = (paths: readonly (readonly Point[])[]): Point[] =>
  paths.flatMap((path, i) => (i === 0 ? [...path] : path.slice(1)));

/** The first metres of a path, or all of it. */
export const headOf = (path: readonly Point[], lengthM: number): Point[] =>
  trim(path, 0, Math.max(0, lengthOf(path) - lengthM));

/** A stretch of a path, by stations. */
export interface Stretch {
  fromM: number;
  toM: number;
}

/** Cosine of 2.5°. */
const STRAIGHT_COSINE = 0.999;

/** The longest stretches of constant direction. */
export function straightsOf(path: readonly Point[]): Stretch[] {
  const found: Stretch[] = [];
  let along: Point = [0, 0];
  let stationM = 0;
  for (let i = 1; i < path.length; i++) {
    const next = direction(at(path, i - 1), at(path, i));
    const endM = stationM + distance(at(path, i - 1), at(path, i));
    if (dot(along, next) >= STRAIGHT_COSINE) {
      at(found, -1).toM = endM;
    } else {
      found.push({ fromM: stationM, toM: endM });
      along = next;
    }
    stationM = endM;
  }
  return found;
}

/** A stretch of a path that bends in one direction. */
export interface Bend extends Stretch {
  /** The middle of the tightest part. */
  apexM: number;
  radiusM: number;
  isLeft: boolean;
  /** Cosine of the angle between its two ends. */
  cosine: number;
}

const BEND_STEP_M = 1.5;
const BEND_RADIUS_MAX_M = 70;

/** Curvature of the tightest part, relative to the highest. */
const NEARLY_TIGHTEST = 0.95;

export function bendsOf(path: readonly Point[]): Bend[] {
  const lengthM = lengthOf(path);
  const stepCount = Math.max(2, Math.floor(lengthM / BEND_STEP_M));
  const stepM = lengthM / stepCount;
  const points = resampled(path, stepM, stepCount);
  const along = points.slice(1).map((point, i) => direction(at(points, i), point));
  /** 1/m, at the points between two steps. */
  const curvature = along.slice(1).map((next, i) => cross(at(along, i), next) / stepM);
  const smooth = curvature.map((own, i) => {
    const before = curvature[i - 1] ?? 0;
    const after = curvature[i + 1] ?? 0;
    return (before + 2 * own + after) / 4;
  });
  const bends: Bend[] = [];
  for (let i = 0; i < smooth.length; i++) {
    const sign = at(smooth, i) > 0 ? 1 : -1;
    const from = i;
    while (i < smooth.length && (smooth[i] ?? 0) * sign * BEND_RADIUS_MAX_M > 1) i++;
    if (i === from) continue;
    const part = smooth.slice(from, i);
    const tightest = Math.max(...part.map((value) => value * sign));
    const isTight = (value: number) => value * sign > tightest * NEARLY_TIGHTEST;
    const apex = (part.findIndex(isTight) + part.findLastIndex(isTight)) / 2;
    bends.push({
      fromM: (from + 1) * stepM,
      toM: i * stepM,
      apexM: (from + 1 + apex) * stepM,
      radiusM: 1 / tightest,
      isLeft: sign > 0,
      cosine: dot(at(along, from), at(along, Math.min(i, along.length - 1))),
    });
  }
  return bends;
}

function resampled(path: readonly Point[], stepM: number, stepCount: number): Point[] {
  const points: Point[] = [];
  let stationM = 0;
  for (let i = 1; i < path.length; i++) {
    const [from, to] = [at(path, i - 1), at(path, i)];
    const pieceM = distance(from, to);
    while (points.length <= stepCount && points.length * stepM <= stationM + pieceM + 1e-9) {
      points.push(add(from, subtract(to, from), (points.length * stepM - stationM) / pieceM));
    }
    stationM += pieceM;
  }
  return points;
}
