/**
 * Overlap of bodies: separating axes, and the area that two convex polygons share. Results are left
 * in scratch memory and read in the same call. Polygons are f64 pairs, counter-clockwise.
 */
import { SCRATCH } from './layout';
import { greatest, least } from './math';

/** An oriented box, f64 each. */
export const BOX_X: usize = 0; // m, middle
export const BOX_Y: usize = 8;
export const BOX_HX: usize = 16; // unit vector along its length
export const BOX_HY: usize = 24;
export const BOX_HALF_LENGTH: usize = 32; // m
export const BOX_HALF_WIDTH: usize = 40; // m

/** Normal of the least overlap, unit vector from the first body to the second. */
export const NORMAL_X: usize = SCRATCH + 256;
export const NORMAL_Y: usize = SCRATCH + 264;
/** Centroid of the shared area, m. */
export const COMMON_X: usize = SCRATCH + 272;
export const COMMON_Y: usize = SCRATCH + 280;
const LEAST: usize = SCRATCH + 288;

const CORNERS_A: usize = SCRATCH + 448;
const CORNERS_B: usize = SCRATCH + 512;
/** A polygon cut by another has at most as many corners as both together: 4 + 8. */
const CUT_A: usize = SCRATCH + 576;
const CUT_B: usize = SCRATCH + 768;
/** Below this area the centroid is meaningless, m². */
const AREA_MIN = 1e-9;

/**
 * Least overlap of two boxes over the four edge normals, m; if they are apart, minus the greatest
 * gap along these axes.
 */
export function boxOverlap(a: usize, b: usize): f64 {
  const ax = load<f64>(a + BOX_HX);
  const ay = load<f64>(a + BOX_HY);
  const bx = load<f64>(b + BOX_HX);
  const by = load<f64>(b + BOX_HY);
  const dx = load<f64>(b + BOX_X) - load<f64>(a + BOX_X);
  const dy = load<f64>(b + BOX_Y) - load<f64>(a + BOX_Y);
  const la = load<f64>(a + BOX_HALF_LENGTH);
  const wa = load<f64>(a + BOX_HALF_WIDTH);
  const lb = load<f64>(b + BOX_HALF_LENGTH);
  const wb = load<f64>(b + BOX_HALF_WIDTH);
  const cosine = abs(ax * bx + ay * by);
  const sine = abs(ax * by - ay * bx);
  store<f64>(LEAST, 1e9);
  tryAxis(ax, ay, dx, dy, la + lb * cosine + wb * sine);
  tryAxis(-ay, ax, dx, dy, wa + lb * sine + wb * cosine);
  tryAxis(bx, by, dx, dy, lb + la * cosine + wa * sine);
  tryAxis(-by, bx, dx, dy, wb + la * sine + wa * cosine);
  return load<f64>(LEAST);
}

@inline function tryAxis(nx: f64, ny: f64, dx: f64, dy: f64, reach: f64): void {
  const along = dx * nx + dy * ny;
  const depth = reach - abs(along);
  if (depth < load<f64>(LEAST)) {
    store<f64>(LEAST, depth);
    store<f64>(NORMAL_X, along < 0.0 ? -nx : nx);
    store<f64>(NORMAL_Y, along < 0.0 ? -ny : ny);
  }
}

/** Distance between the outlines of two boxes, m; 0 if they overlap. */
export function boxClearance(a: usize, b: usize): f64 {
  if (boxOverlap(a, b) >= 0.0) return 0.0;
  // Of two boxes apart, one has a corner that is nearest to the other one.
  return sqrt(least(nearestCorner(a, b), nearestCorner(b, a)));
}

/** Square of the distance from a box to the nearest corner of another one, m². */
function nearestCorner(box: usize, other: usize): f64 {
  outline(other, CORNERS_B);
  const hx = load<f64>(box + BOX_HX);
  const hy = load<f64>(box + BOX_HY);
  let nearest = 1e9;
  for (let corner = CORNERS_B; corner < CORNERS_B + 64; corner += 16) {
    const dx = load<f64>(corner) - load<f64>(box + BOX_X);
    const dy = load<f64>(corner + 8) - load<f64>(box + BOX_Y);
    const ahead = greatest(abs(dx * hx + dy * hy) - load<f64>(box + BOX_HALF_LENGTH), 0.0);
    const aside = greatest(abs(dy * hx - dx * hy) - load<f64>(box + BOX_HALF_WIDTH), 0.0);
    nearest = least(nearest, ahead * ahead + aside * aside);
  }
  return nearest;
}

/** As `boxOverlap` for a box and a convex polygon, over the edge normals of both. */
export function polygonOverlap(box: usize, polygon: usize, count: i32): f64 {
  outline(box, CORNERS_A);
  store<f64>(LEAST, 1e9);
  tryEdges(CORNERS_A, 4, polygon, count, 1.0);
  tryEdges(polygon, count, CORNERS_A, 4, -1.0);
  return load<f64>(LEAST);
}

function tryEdges(a: usize, countA: i32, b: usize, countB: i32, sign: f64): void {
  for (let i = 0; i < countA; i++) {
    const from = a + ((<usize>i) << 4);
    const to = a + ((<usize>(i + 1 == countA ? 0 : i + 1)) << 4);
    const ex = load<f64>(to) - load<f64>(from);
    const ey = load<f64>(to + 8) - load<f64>(from + 8);
    const norm = 1.0 / sqrt(ex * ex + ey * ey);
    const nx = ey * norm;
    const ny = -ex * norm;
    const face = nx * load<f64>(from) + ny * load<f64>(from + 8);
    let nearest = 1e9;
    for (let j = 0; j < countB; j++) {
      const corner = b + ((<usize>j) << 4);
      nearest = least(nearest, nx * load<f64>(corner) + ny * load<f64>(corner + 8));
    }
    if (face - nearest < load<f64>(LEAST)) {
      store<f64>(LEAST, face - nearest);
      store<f64>(NORMAL_X, nx * sign);
      store<f64>(NORMAL_Y, ny * sign);
    }
  }
}

/** The four corners of a box, from the front left. */
function outline(box: usize, address: usize): void {
  const x = load<f64>(box + BOX_X);
  const y = load<f64>(box + BOX_Y);
  const lx = load<f64>(box + BOX_HALF_LENGTH) * load<f64>(box + BOX_HX);
  const ly = load<f64>(box + BOX_HALF_LENGTH) * load<f64>(box + BOX_HY);
  const wx = -load<f64>(box + BOX_HALF_WIDTH) * load<f64>(box + BOX_HY);
  const wy = load<f64>(box + BOX_HALF_WIDTH) * load<f64>(box + BOX_HX);
  put(address, 0, x + lx + wx, y + ly + wy);
  put(address, 1, x - lx + wx, y - ly + wy);
  put(address, 2, x - lx - wx, y - ly - wy);
  put(address, 3, x + lx - wx, y + ly - wy);
}

@inline function put(address: usize, index: i32, x: f64, y: f64): void {
  store<f64>(address + ((<usize>index) << 4), x);
  store<f64>(address + ((<usize>index) << 4) + 8, y);
}

/** Area that two boxes share, m²; leaves its centroid. */
export function boxesCommon(a: usize, b: usize): f64 {
  outline(b, CORNERS_B);
  return polygonCommon(a, CORNERS_B, 4);
}

/**
 * Area that a box shares with a convex polygon, m²; leaves its centroid (Sutherland, Hodgman 1974).
 */
export function polygonCommon(box: usize, polygon: usize, count: i32): f64 {
  outline(box, CUT_A);
  let from = CUT_A;
  let into = CUT_B;
  let corners = 4;
  for (let i = 0; i < count && corners > 0; i++) {
    const start = polygon + ((<usize>i) << 4);
    const end = polygon + ((<usize>(i + 1 == count ? 0 : i + 1)) << 4);
    corners = cut(from, corners, into, start, end);
    const last = from;
    from = into;
    into = last;
  }
  return centroid(from, corners, box);
}

/** Keeps the part left of an edge; returns the number of its corners. */
function cut(from: usize, count: i32, into: usize, start: usize, end: usize): i32 {
  const sx = load<f64>(start);
  const sy = load<f64>(start + 8);
  const ex = load<f64>(end) - sx;
  const ey = load<f64>(end + 8) - sy;
  let kept = 0;
  let last = from + ((<usize>(count - 1)) << 4);
  let lx = load<f64>(last);
  let ly = load<f64>(last + 8);
  let lastSide = ex * (ly - sy) - ey * (lx - sx);
  for (let i = 0; i < count; i++) {
    const x = load<f64>(from + ((<usize>i) << 4));
    const y = load<f64>(from + ((<usize>i) << 4) + 8);
    const side = ex * (y - sy) - ey * (x - sx);
    if (side >= 0.0 != lastSide >= 0.0) {
      const share = lastSide / (lastSide - side);
      put(into, kept++, lx + share * (x - lx), ly + share * (y - ly));
    }
    if (side >= 0.0) put(into, kept++, x, y);
    lx = x;
    ly = y;
    lastSide = side;
  }
  return kept;
}

/** Leaves the centroid, relative to the first corner for precision; returns the area. */
function centroid(polygon: usize, count: i32, box: usize): f64 {
  if (count == 0) {
    store<f64>(COMMON_X, load<f64>(box + BOX_X));
    store<f64>(COMMON_Y, load<f64>(box + BOX_Y));
    return 0.0;
  }
  const ox = load<f64>(polygon);
  const oy = load<f64>(polygon + 8);
  let area = 0.0;
  let momentX = 0.0;
  let momentY = 0.0;
  let sumX = 0.0;
  let sumY = 0.0;
  for (let i = 0; i < count; i++) {
    const from = polygon + ((<usize>i) << 4);
    const to = polygon + ((<usize>(i + 1 == count ? 0 : i + 1)) << 4);
    const x = load<f64>(from) - ox;
    const y = load<f64>(from + 8) - oy;
    const cross = 0.5 * (x * (load<f64>(to + 8) - oy) - y * (load<f64>(to) - ox));
    area += cross;
    momentX += (cross * (x + load<f64>(to) - ox)) / 3.0;
    momentY += (cross * (y + load<f64>(to + 8) - oy)) / 3.0;
    sumX += x;
    sumY += y;
  }
  const isFlat = area < AREA_MIN;
  store<f64>(COMMON_X, ox + (isFlat ? sumX / <f64>count : momentX / area));
  store<f64>(COMMON_Y, oy + (isFlat ? sumY / <f64>count : momentY / area));
  return greatest(0.0, area);
}
