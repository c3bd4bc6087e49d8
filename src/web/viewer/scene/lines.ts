/** Geometry of polylines. Metres; left is left of the driving direction. */
export type Point = readonly [x: number, y: number];
export type Line = readonly Point[];

/** A place on a line and the unit vector of its direction there. */
export interface Station {
  x: number;
  y: number;
  hx: number;
  hy: number;
}

export const distance = (a: Point, b: Point): number => Math.hypot(b[0] - a[0], b[1] - a[1]);

/** The element at an index that must exist; negative indices count from the end. */
export function at<T>(list: readonly T[], index: number): T {
  const member = list[index < 0 ? list.length + index : index];
  if (member === undefined) throw new RangeError(`no member ${index} among ${list.length}`);
  return member;
}

export function lengthOf(line: Line): number {
  let total = 0;
  for (let i = 1; i < line.length; i++) total += distance(at(line, i - 1), at(line, i));
  return total;
}

/** Simplifies a line (Douglas-Peucker): no removed point is farther than `tolerance` from it. */
export function thinned(line: Line, tolerance: number): Point[] {
  if (line.length < 3) return [...line];
  const kept = new Set([0, line.length - 1]);
  const open: [number, number][] = [[0, line.length - 1]];
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span;
    const far = farthest(line, from, to);
    if (far.offset <= tolerance) continue;
    kept.add(far.index);
    open.push([from, far.index], [far.index, to]);
  }
  return line.filter((_, i) => kept.has(i));
}

function farthest(line: Line, from: number, to: number): { index: number; offset: number } {
  const a = at(line, from);
  const b = at(line, to);
  let best = { index: from, offset: -1 };
  for (let i = from + 1; i < to; i++) {
    const offset = distanceToSegment(at(line, i), a, b);
    if (offset > best.offset) best = { index: i, offset };
  }
  return best;
}

/** How far along a segment, 0 to 1, it is nearest to a place. */
export function partNearest(p: Point, a: Point, b: Point): number {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const along = (p[0] - a[0]) * dx + (p[1] - a[1]) * dy;
  return Math.min(1, Math.max(0, along / (dx * dx + dy * dy || 1)));
}

export function distanceToSegment(p: Point, a: Point, b: Point): number {
  const part = partNearest(p, a, b);
  return Math.hypot(p[0] - a[0] - part * (b[0] - a[0]), p[1] - a[1] - part * (b[1] - a[1]));
}

/** Limit of mitres, in widths, against spikes at sharp corners. */
const MITRE_MAX = 2;

/** For each point, the mitred vector to one metre left of the line. */
export function leftward(line: Line): Point[] {
  return line.map((point, i) => {
    const before = i > 0 ? unit(at(line, i - 1), point) : unit(point, at(line, 1));
    const after = i < line.length - 1 ? unit(point, at(line, i + 1)) : before;
    const [sx, sy] = [before[0] + after[0], before[1] + after[1]];
    const size = Math.hypot(sx, sy) || 1;
    const [mx, my] = [-sy / size, sx / size];
    const cosine = Math.max(1 / MITRE_MAX, mx * -before[1] + my * before[0]);
    return [mx / cosine, my / cosine];
  });
}

/** The unit vector from one place to another. */
export function unit(a: Point, b: Point): Point {
  const size = distance(a, b) || 1;
  return [(b[0] - a[0]) / size, (b[1] - a[1]) / size];
}

/** The line so many metres to the left; negative is to the right. */
export function aside(line: Line, leftM: number): Point[] {
  const vectors = leftward(line);
  return line.map(([x, y], i) => {
    const [dx, dy] = at(vectors, i);
    return [x + leftM * dx, y + leftM * dy];
  });
}

/** The place so far along a line; beyond its ends, straight on. */
export function stationAt(line: Line, stationM: number): Station {
  let left = stationM;
  for (let i = 1; i < line.length; i++) {
    const a = at(line, i - 1);
    const b = at(line, i);
    const pieceM = distance(a, b);
    if ((left <= pieceM || i === line.length - 1) && pieceM > 0) {
      const [hx, hy] = unit(a, b);
      return { x: a[0] + left * hx, y: a[1] + left * hy, hx, hy };
    }
    left -= pieceM;
  }
  const [x, y] = at(line, 0);
  return { x, y, hx: 1, hy: 0 };
}

/** The place relative to a station. */
export const beside = ({ x, y, hx, hy }: Station, aheadM: number, leftM: number): Point => [
  x + aheadM * hx - leftM * hy,
  y + aheadM * hy + leftM * hx,
];

/** The part of a line between two stations. */
export function sliceOf(line: Line, fromM: number, toM: number): Point[] {
  const start = stationAt(line, fromM);
  const end = stationAt(line, toM);
  const inner: Point[] = [];
  let along = 0;
  for (let i = 1; i < line.length - 1; i++) {
    along += distance(at(line, i - 1), at(line, i));
    if (along > fromM && along < toM) inner.push(at(line, i));
  }
  return [[start.x, start.y], ...inner, [end.x, end.y]];
}

/** Dashes along a line, with half a gap at either end. */
export function dashesOf(line: Line, dashM: number, gapM: number): Point[][] {
  const totalM = lengthOf(line);
  const count = Math.floor(totalM / (dashM + gapM));
  if (count === 0) return [];
  const stepM = totalM / count;
  return Array.from({ length: count }, (_, i) => {
    const fromM = i * stepM + (stepM - dashM) / 2;
    return sliceOf(line, fromM, fromM + dashM);
  });
}

/** Whether a point is in a convex polygon, given counter-clockwise. */
export function isInside(polygon: Line, x: number, y: number): boolean {
  for (let i = 0; i < polygon.length; i++) {
    const a = at(polygon, i);
    const b = at(polygon, (i + 1) % polygon.length);
    if ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < 0) return false;
  }
  return true;
}

export function middleOf(polygon: Line): Point {
  const x = polygon.reduce((sum, point) => sum + point[0], 0) / polygon.length;
  const y = polygon.reduce((sum, point) => sum + point[1], 0) / polygon.length;
  return [x, y];
}
