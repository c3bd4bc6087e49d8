import type { MapBlock } from '../api/types.ts';
import { at, distance, isInside, type Line, middleOf, type Point, unit } from './lines.ts';
import { between, MeshBuilder, raised, type Spot } from './mesh-builder.ts';
import type { Slot } from './palette.ts';
import { grown } from './streets.ts';

const WALLS: readonly Slot[] = [
  ...(['wall0', 'wall1', 'wall2', 'wall3', 'wall4', 'wall5'] as const),
  ...(['wall6', 'wall7', 'wall8', 'wall9'] as const),
];
const TILES: readonly Slot[] = ['roof0', 'roof1', 'roof2', 'roof3'];
const FLATS: readonly Slot[] = ['flat0', 'flat1', 'flat2', 'lawn'];
/** One window with the wall around it. */
const BAY_M = 3;
const FLOOR_M = 3.2;
/** Higher houses have flat roofs. */
const PITCHED_MAX_M = 17;
const PITCHED_DEPTH_MAX_M = 16;
const RISE = 0.55;
const RISE_MAX_M = 4.5;
const EAVES_M = 0.45;
const PARAPET_M = 0.7;
const LEDGE_M = 0.28;
/** The uppermost floor of some high houses stands back. */
const SET_BACK_MIN_M = 18;
const SET_BACK_M = 2.4;
/** Part of the houses with a gable, and of those with shops. */
const GABLED = 0.4;
const WITH_SHOPS = 0.5;

/** How the windows of a house are arranged, as the shader numbers them. */
const FACADES = { plain: 0, single: 1, tall: 2, ribbon: 3, double: 4 } as const;
const OF_LOW: readonly number[] = [FACADES.single, FACADES.tall, FACADES.double];
const OF_HIGH: readonly number[] = [FACADES.single, FACADES.ribbon, FACADES.double, FACADES.tall];
/** Added where the ground floor has shops. */
const SHOPS = 0.5;

/** What all walls of a house have in common. */
interface Walls {
  slot: Slot;
  facade: number;
}

/**
 * Houses: each corner also has its bay along the wall, the height of a floor, its arrangement of windows
 * and the number of its house or wall.
 */
export class Houses extends MeshBuilder {
  readonly facade: number[] = [];
  /** In the order of their numbers. */
  readonly standing: { polygon: Line; heightM: number }[] = [];

  wall(a: Point, b: Point, [fromM, topM]: readonly [number, number], walls: Walls): void {
    this.closePlain();
    const bays = Math.max(1, Math.round(distance(a, b) / BAY_M));
    const floorM = topM / Math.max(1, Math.round(topM / FLOOR_M));
    this.face([...raised([a, b], fromM), ...raised([b, a], topM)], walls.slot);
    // Each wall starts at its own place in the pattern, so that neighbours differ.
    const from = Math.floor(hashOf(...a) * 8);
    for (const bay of [from, from + bays, from + bays, from]) {
      this.facade.push(bay, floorM, walls.facade, this.#number);
    }
  }

  /** What was added since the last wall with windows has none. */
  closePlain(): void {
    while (this.facade.length < 4 * this.count) {
      this.facade.push(0, FLOOR_M, FACADES.plain, this.#number);
    }
  }

  get #number(): number {
    return this.standing.length - 1;
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
    if (kind !== 'wall' && kind !== 'building') continue;
    houses.standing.push({ polygon, heightM: height });
    if (kind === 'building') build(houses, polygon, height);
    else houses.prism(polygon, 0, height, 'fence', 'fence');
    houses.closePlain();
  }
  return houses;
}

function build(houses: Houses, polygon: Line, heightM: number): void {
  const [mx, my] = middleOf(polygon);
  const pick = (salt: number) => hashOf(mx + salt, my - salt);
  const ridge = ridgeOf(polygon, heightM);
  const shops = heightM > 2 * FLOOR_M && pick(3) < WITH_SHOPS ? SHOPS : 0;
  const walls = {
    slot: chosen(WALLS, pick(0)),
    facade: chosen(heightM > PITCHED_MAX_M ? OF_HIGH : OF_LOW, pick(1)) + shops,
  };
  if (ridge !== null) {
    surround(houses, polygon, [0, heightM - ridge.riseM], walls);
    const tiles = chosen(TILES, pick(2));
    const roof = { eavesM: heightM - ridge.riseM, topM: heightM, ...ridge };
    if (pick(4) < GABLED) gableRoof(houses, polygon, roof, tiles, walls.slot);
    else hipRoof(houses, polygon, roof, tiles);
    chimney(houses, polygon, heightM, pick(5));
    return;
  }
  const flat = chosen(FLATS, pick(2));
  const isSetBack = heightM > SET_BACK_MIN_M && pick(4) < 0.6;
  const upper = isSetBack ? grown(polygon, -SET_BACK_M) : polygon;
  const baseM = isSetBack ? heightM - FLOOR_M : heightM;
  surround(houses, polygon, [0, baseM], walls);
  ledge(houses, polygon, baseM);
  if (isSetBack) {
    terrace(houses, polygon, baseM, flat);
    surround(houses, upper, [baseM - PARAPET_M, heightM], { ...walls, facade: FACADES.ribbon });
  }
  flatRoof(houses, upper, heightM, flat, pick(6));
}

const chosen = <T>(all: readonly T[], part: number): T => at(all, Math.floor(part * all.length));

function surround(
  houses: Houses,
  polygon: Line,
  heights: readonly [number, number],
  walls: Walls,
): void {
  for (const [i, corner] of polygon.entries()) {
    houses.wall(corner, at(polygon, (i + 1) % polygon.length), heights, walls);
  }
}

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

interface Roof extends Ridge {
  eavesM: number;
  topM: number;
}

function hipRoof(houses: Houses, polygon: Line, { eavesM, topM, side }: Roof, slot: Slot): void {
  const outer = grown(polygon, EAVES_M);
  const corner = (i: number): Spot => [...at(outer, (side + i) % 4), eavesM];
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

/** A ridge from wall to wall; the walls under its ends go up to it. */
function gableRoof(
  houses: Houses,
  polygon: Line,
  { eavesM, topM, side }: Roof,
  slot: Slot,
  wall: Slot,
): void {
  const outer = grown(polygon, EAVES_M);
  const ring = (line: Line) => [0, 1, 2, 3].map((i): Spot => [...at(line, (side + i) % 4), eavesM]);
  const high = ([x, y]: Spot): Spot => [x, y, topM];
  const [a, b, c, d] = ring(outer) as [Spot, Spot, Spot, Spot];
  const [p, q] = [high(between(a, d, 0.5)), high(between(b, c, 0.5))];
  houses.face([a, b, q, p], slot);
  houses.face([c, d, p, q], slot);
  const [e, f, g, h] = ring(polygon) as [Spot, Spot, Spot, Spot];
  houses.face([f, g, high(between(f, g, 0.5))], wall);
  houses.face([h, e, high(between(h, e, 0.5))], wall);
}

const spanOf = (a: Spot, b: Spot): number => Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;

function chimney(houses: Houses, polygon: Line, topM: number, part: number): void {
  const [mx, my] = middleOf(polygon);
  const [x, y] = at(polygon, Math.floor(part * polygon.length));
  const foot: Spot = [mx + (x - mx) * 0.3, my + (y - my) * 0.3, topM - 2.2];
  houses.box(foot, [0.9, 0.7, 3], 'chimney', unit(at(polygon, 0), at(polygon, 1)));
}

/** A moulding that stands out of the walls. */
function ledge(houses: Houses, polygon: Line, topM: number): void {
  const outer = grown(polygon, LEDGE_M);
  houses.loft(raised(polygon, topM - 0.9), raised(outer, topM - 0.5), 'ledge');
  houses.loft(raised(outer, topM - 0.5), raised(outer, topM), 'ledge');
  houses.loft(raised(outer, topM), raised(polygon, topM), 'ledge');
}

/** The roof around a floor that stands back. */
function terrace(houses: Houses, polygon: Line, topM: number, slot: Slot): void {
  const inner = grown(polygon, -LEDGE_M);
  houses.loft(raised(polygon, topM), raised(inner, topM), 'rooftop');
  houses.face(raised(inner, topM - PARAPET_M), slot);
}

/** A flat roof behind a parapet, with what stands on roofs. */
function flatRoof(houses: Houses, polygon: Line, topM: number, slot: Slot, part: number): void {
  const inner = grown(polygon, -0.6);
  const floor = raised(inner, topM - PARAPET_M);
  const rim = raised(inner, topM);
  houses.loft(raised(polygon, topM), rim, 'rooftop');
  houses.loft(floor.toReversed(), rim.toReversed(), 'rooftop');
  houses.face(floor, slot);
  const [a, b] = [at(polygon, 0), at(polygon, 1)];
  const along = unit(a, b);
  const [mx, my] = middleOf(polygon);
  const place = (alongM: number, leftM: number): Spot => [
    mx + along[0] * alongM - along[1] * leftM,
    my + along[1] * alongM + along[0] * leftM,
    topM - PARAPET_M,
  ];
  const put = (spot: Spot, size: readonly [number, number, number], what: Slot) => {
    if (isInside(inner, spot[0], spot[1])) houses.box(spot, size, what, along);
  };
  const shiftM = (part - 0.5) * distance(a, b) * 0.4;
  put(place(shiftM, 0), [3.4, 2.2, 1.9], 'rooftop');
  put(place(shiftM + 4.5, 2), [1.4, 1.4, 1.1], 'metal');
  // Some have solar panels, in rows.
  if (part < 0.6) return;
  for (const row of [-4, -2.4]) put(place(shiftM - 1, row), [5, 1.1, 0.9], 'solar');
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
