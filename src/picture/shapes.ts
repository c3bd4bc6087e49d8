import { at, distance, lengthOf } from '../city/geometry.ts';
import type { Point } from '../city/types.ts';

export function middleOf(ring: readonly Point[]): Point {
  const sum = ring.reduce<[number, number]>((all, [x, y]) => [all[0] + x, all[1] + y], [0, 0]);
  return [sum[0] / ring.length, sum[1] / ring.length];
}

/** Corners of an oriented box, counter-clockwise. */
export function boxRing([x, y]: Point, [hx, hy]: Point, lengthM: number, widthM: number): Point[] {
  const [l, w] = [lengthM / 2, widthM / 2];
  const corner = (along: number, left: number): Point => [
    x + along * hx - left * hy,
    y + along * hy + left * hx,
  ];
  return [corner(-l, -w), corner(l, -w), corner(l, w), corner(-l, w)];
}

export function circle([x, y]: Point, radiusM: number): Point[] {
  return Array.from({ length: 16 }, (_, i): Point => {
    const rad = (i * Math.PI) / 8;
    return [x + radiusM * Math.cos(rad), y + radiusM * Math.sin(rad)];
  });
}

/** The outline of a strip along a line. */
export function stripOf(line: readonly Point[], widthM: number): Point[] {
  const sides = line.map((point, i): [Point, Point] => {
    const before = line[Math.max(0, i - 1)] ?? point;
    const after = line[Math.min(line.length - 1, i + 1)] ?? point;
    const size = Math.hypot(after[0] - before[0], after[1] - before[1]) || 1;
    const dx = (-(after[1] - before[1]) / size) * (widthM / 2);
    const dy = ((after[0] - before[0]) / size) * (widthM / 2);
    return [
      [point[0] + dx, point[1] + dy],
      [point[0] - dx, point[1] - dy],
    ];
  });
  return [...sides.map(([left]) => left), ...sides.map(([, right]) => right).toReversed()];
}

/** Pieces of a line, with gaps between them. */
export function dashesOf(line: readonly Point[], dashM: number, gapM: number): Point[][] {
  const dashes: Point[][] = [];
  const endM = lengthOf(line);
  for (let fromM = 0; fromM < endM; fromM += dashM + gapM) {
    dashes.push(partOf(line, fromM, Math.min(endM, fromM + dashM)));
  }
  return dashes;
}

/** The part of a line between two distances from its beginning. */
function partOf(line: readonly Point[], fromM: number, toM: number): Point[] {
  const part: Point[] = [];
  let passedM = 0;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [at(line, i - 1), at(line, i)];
    const stepM = distance(a, b);
    const within = (stationM: number) => Math.min(1, Math.max(0, (stationM - passedM) / stepM));
    const [from, to] = [within(fromM), within(toM)];
    if (to > from) part.push(between(a, b, from), between(a, b, to));
    passedM += stepM;
  }
  return part;
}

const between = (a: Point, b: Point, part: number): Point => [
  a[0] + (b[0] - a[0]) * part,
  a[1] + (b[1] - a[1]) * part,
];

export function isInside(ring: readonly Point[], [x, y]: Point): boolean {
  let inside = false;
  ring.forEach((a, i) => {
    const b = at(ring, i - 1);
    if (a[1] > y === b[1] > y) return;
    if (x < a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0])) inside = !inside;
  });
  return inside;
}

/** Convex hull, by Andrew's monotone chain. */
export function hullOf(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (ordered: readonly Point[]) => {
    const chain: Point[] = [];
    for (const point of ordered) {
      while (chain.length > 1 && turn(at(chain, -2), at(chain, -1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

const turn = (a: Point, b: Point, c: Point): number =>
  (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
