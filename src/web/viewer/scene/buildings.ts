import type { MapBlock } from '../api/types.ts';
import { at, distance, isInside, type Line, middleOf, type Point, unit } from './lines.ts';
import { between, MeshBuilder, raised, type Spot } from './mesh-builder.ts';
import type { Slot } from './palette.ts';

const WALLS: readonly Slot[] = ['wall0', 'wall1', 'wall2', 'wall3', 'wall4', 'wall5'];
const TILES: readonly Slot[] = ['roof0', 'roof1', 'roof2', 'roof3'];
const FLATS: readonly Slot[] = ['flat0', 'flat1', 'flat2'];
/** One window with the wall around it. */
const BAY_M = 3;
const FLOOR_M = 3.2;
/** Higher houses have flat roofs. */
const PITCHED_MAX_M = 17;
const PITCHED_DEPTH_MAX_M = 16;
const RISE = 0.55;
const RISE_MAX_M = 4.5;
const PARAPET_M = 0.7;

/** Houses: each corner also has its bay, its floor and whether its face has windows. */
export class Houses extends MeshBuilder {
  readonly facade: number[] = [];

  wall(a: Point, b: Point, topM: number, slot: Slot): void {
    const bays = Math.max(1, Math.round(distance(a, b) / BAY_M));
    const floors = Math.max(1, Math.round(topM / FLOOR_M));
    this.face([...raised([a, b], 0), ...raised([b, a], topM)], slot);
    // Each wall starts at its own place in the pattern, so that neighbours differ.
    const from = Math.floor(hashOf(...a) * 8);
    this.facade.push(from, 0, 1, from + bays, 0, 1, from + bays, floors, 1, from, floors, 1);
  }

  /** Marks the corners of plain faces as without windows. */
  closePlain(): void {
    while (this.facade.length < 3 * this.count) this.facade.push(0);
  }
}

/** A pseudo-random number from 0 to 1 for a place. */
export function hashOf(x: number, y: number): number {
  const wave = Math.sin(x * 12.9898 + y * 78.233) * 43758.5453;
  return wave - Math.floor(wave);
}

/** All houses and walls of a city as one mesh. */
export function housesOf(blocks: readonly MapBlock[]): Houses {
  const houses = new Houses();
  for (const { kind, polygon, height } of blocks) {
    if (kind === 'wall') {
      houses.prism(polygon, 0, height, 'fence', 'fence');
      houses.closePlain();
    } else if (kind === 'building') {
      build(houses, polygon, height);
    }
  }
  return houses;
}

function build(houses: Houses, polygon: Line, heightM: number): void {
  const [mx, my] = middleOf(polygon);
  const pick = hashOf(mx, my);
  const wall = chosen(WALLS, pick);
  const ridge = ridgeOf(polygon, heightM);
  const topM = ridge ? heightM - ridge.riseM : heightM;
  for (const [i, corner] of polygon.entries()) {
    houses.wall(corner, at(polygon, (i + 1) % polygon.length), topM, wall);
  }
  if (ridge) hipRoof(houses, polygon, topM, heightM, ridge, chosen(TILES, hashOf(my, mx)));
  else flatRoof(houses, polygon, heightM, chosen(FLATS, hashOf(my, mx)));
  houses.closePlain();
}

const chosen = (slots: readonly Slot[], part: number): Slot =>
  at(slots, Math.floor(part * slots.length));

interface Ridge {
  /** Index of the first corner of one of the two long sides. */
  side: number;
  riseM: number;
}

/** The ridge of a pitched roof; null for a flat roof. */
export function ridgeOf(polygon: Line, heightM: number): Ridge | null {
  if (polygon.length !== 4 || heightM > PITCHED_MAX_M) return null;
  const sides = polygon.map((corner, i) => distance(corner, at(polygon, (i + 1) % 4)));
  const [a, b] = [at(sides, 0) + at(sides, 2), at(sides, 1) + at(sides, 3)];
  const depthM = Math.min(a, b) / 2;
  if (depthM > PITCHED_DEPTH_MAX_M) return null;
  return { side: a >= b ? 0 : 1, riseM: Math.min(RISE_MAX_M, depthM * RISE * 0.5) };
}

function hipRoof(
  houses: Houses,
  polygon: Line,
  eavesM: number,
  topM: number,
  { side }: Ridge,
  slot: Slot,
): void {
  const corner = (i: number): Spot => [...at(polygon, (side + i) % 4), eavesM];
  const [a, b, c, d] = [corner(0), corner(1), corner(2), corner(3)];
  const hip = Math.min(0.5, (0.5 * spanOf(b, c)) / spanOf(a, b));
  const start = between(between(a, d, 0.5), between(b, c, 0.5), hip);
  const end = between(between(a, d, 0.5), between(b, c, 0.5), 1 - hip);
  const p: Spot = [start[0], start[1], topM];
  const q: Spot = [end[0], end[1], topM];
  houses.face([a, b, q, p], slot);
  houses.face([c, d, p, q], slot);
  houses.face([b, c, q], slot);
  houses.face([d, a, p], slot);
}

const spanOf = (a: Spot, b: Spot): number => Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;

/** A flat roof behind a parapet, with a machine room. */
function flatRoof(houses: Houses, polygon: Line, topM: number, slot: Slot): void {
  const [mx, my] = middleOf(polygon);
  const inner = polygon.map(([x, y]): Point => {
    const size = Math.hypot(x - mx, y - my) || 1;
    const part = Math.max(0.5, 1 - 0.8 / size);
    return [mx + (x - mx) * part, my + (y - my) * part];
  });
  const floor = raised(inner, topM - PARAPET_M);
  const rim = raised(inner, topM);
  houses.loft(raised(polygon, topM), rim, 'rooftop');
  houses.loft(floor.toReversed(), rim.toReversed(), slot);
  houses.face(floor, slot);
  const [ax, ay] = at(polygon, 0);
  const [bx, by] = at(polygon, 1);
  const along = unit([ax, ay], [bx, by]);
  const shift = (hashOf(ax, by) - 0.5) * distance([ax, ay], [bx, by]) * 0.4;
  const [x, y] = [mx + along[0] * shift, my + along[1] * shift];
  if (!isInside(inner, x, y)) return;
  houses.box([x, y, topM - PARAPET_M], [3.4, 2.2, 1.9], 'rooftop', along);
}

/** Metres of shadow per metre of height; the sun is in the south-west. */
export const SHADOW = { x: 0.3, y: 0.38 } as const;
/** Higher houses would darken distant streets. */
const SHADOW_HEIGHT_MAX_M = 26;

/** The shadow of a house: its footprint, convex and counter-clockwise, swept along the light. */
export function shadowOf({ polygon, height }: Pick<MapBlock, 'polygon' | 'height'>): Point[] {
  const reach = Math.min(height, SHADOW_HEIGHT_MAX_M);
  const facesLight = (a: Point, b: Point) =>
    (b[1] - a[1]) * SHADOW.x - (b[0] - a[0]) * SHADOW.y < 0;
  return polygon.flatMap((corner, i): Point[] => {
    const isLitBefore = facesLight(at(polygon, i - 1), corner);
    const isLitAfter = facesLight(corner, at(polygon, (i + 1) % polygon.length));
    const moved: Point = [corner[0] + SHADOW.x * reach, corner[1] + SHADOW.y * reach];
    if (isLitBefore && isLitAfter) return [corner];
    if (!isLitBefore && !isLitAfter) return [moved];
    return isLitBefore ? [corner, moved] : [moved, corner];
  });
}
