/** The corners of a convex polygon in order: x and y of each. */
export type Polygon = readonly number[];

/** The four corners of an oriented box about its middle; `hx`, `hy`: unit vector along its length. */
export function boxCorners(
  x: number,
  y: number,
  hx: number,
  hy: number,
  lengthM: number,
  widthM: number,
): Polygon {
  const ax = (hx * lengthM) / 2;
  const ay = (hy * lengthM) / 2;
  const bx = (-hy * widthM) / 2;
  const by = (hx * widthM) / 2;
  return [
    ...[x + ax + bx, y + ay + by, x - ax + bx, y - ay + by],
    ...[x - ax - bx, y - ay - by, x + ax - bx, y + ay - by],
  ];
}

/** The shortest distance between two convex polygons, m; 0 where they touch or overlap. */
export function separation(a: Polygon, b: Polygon): number {
  if (overlap(a, b)) return 0;
  return Math.sqrt(Math.min(cornersToEdges(a, b), cornersToEdges(b, a)));
}

/** Whether no edge separates the two polygons. */
function overlap(a: Polygon, b: Polygon): boolean {
  return !isApart(a, b) && !isApart(b, a);
}

/** Whether an edge of `a` separates `b` from `a`. */
function isApart(a: Polygon, b: Polygon): boolean {
  for (let i = 0; i < a.length; i += 2) {
    const [x, y, ex, ey] = edge(a, i);
    // Distance from the edge; its sign depends on the order of the corners.
    const side = (polygon: Polygon, j: number) =>
      ((polygon[j] ?? 0) - x) * -ey + ((polygon[j + 1] ?? 0) - y) * ex;
    const own = extreme(a, side);
    const other = extreme(b, side);
    if (other.least > own.most || other.most < own.least) return true;
  }
  return false;
}

function extreme(polygon: Polygon, measure: (polygon: Polygon, at: number) => number) {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < polygon.length; i += 2) {
    const value = measure(polygon, i);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { least, most };
}

/** Start point of the edge at a corner, and the vector to its end. */
function edge(polygon: Polygon, at: number): [x: number, y: number, ex: number, ey: number] {
  const next = (at + 2) % polygon.length;
  const x = polygon[at] ?? 0;
  const y = polygon[at + 1] ?? 0;
  return [x, y, (polygon[next] ?? 0) - x, (polygon[next + 1] ?? 0) - y];
}

/** Square of the least distance from a corner of `a` to an edge of `b`. */
function cornersToEdges(a: Polygon, b: Polygon): number {
  let least = Number.POSITIVE_INFINITY;
  for (let j = 0; j < b.length; j += 2) {
    const [x, y, ex, ey] = edge(b, j);
    const length2 = ex * ex + ey * ey;
    for (let i = 0; i < a.length; i += 2) {
      const px = (a[i] ?? 0) - x;
      const py = (a[i + 1] ?? 0) - y;
      const share = length2 > 0 ? Math.min(1, Math.max(0, (px * ex + py * ey) / length2)) : 0;
      const dx = px - share * ex;
      const dy = py - share * ey;
      least = Math.min(least, dx * dx + dy * dy);
    }
  }
  return least;
}
