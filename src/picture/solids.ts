import { at } from '../city/geometry.ts';
import type { Point } from '../city/types.ts';
import { type Colour, type Pen, raised } from './pen.ts';
import { boxRing, circle, hullOf, isInside, middleOf } from './shapes.ts';
import type { Surroundings } from './surroundings.ts';
import type { Spot } from './view.ts';

/** What stands in the city; the farthest is drawn first. */
export interface Solid {
  depthM: number;
  draw: () => void;
  /** Its shadow on the ground, counter-clockwise. */
  shadow?: readonly Point[];
}

const WALLS: readonly Colour[] = [
  [247, 242, 233],
  [240, 230, 214],
  [236, 219, 198],
  [226, 230, 233],
  [238, 234, 225],
  [228, 213, 196],
];
const TILES: readonly Colour[] = [
  [205, 134, 108],
  [188, 118, 94],
  [213, 156, 128],
  [171, 158, 149],
];
const FLATS: readonly Colour[] = [
  [237, 236, 231],
  [228, 228, 228],
  [240, 234, 223],
];
const FENCE: Colour = [169, 165, 156];
const GLASS: Colour = [138, 163, 184];
const POST: Colour = [176, 182, 188];
const POST_M = 1.1;
const HEDGE: Colour = [104, 148, 88];
/** What is so long beside the road is a hedge. */
const HEDGE_MIN_M = 6;
const TRUNK: Colour = [122, 99, 80];
const LEAVES: readonly Colour[] = [
  [138, 184, 114],
  [122, 170, 103],
  [158, 194, 120],
];
/** Higher houses would darken whole streets. */
const SHADOW_HEIGHT_MAX_M = 9;
const BAY_M = 3.2;
const FLOOR_M = 3.2;
/** Higher houses have flat roofs. */
const PITCHED_MAX_M = 17;
const TREE_EVERY_M = 9;
const FADED_ALPHA = 0.14;

/** A pseudo-random number from 0 to 1 for a place. */
export function hashOf([x, y]: Point): number {
  const wave = Math.sin(x * 12.9898 + y * 78.233) * 43758.5453;
  return wave - Math.floor(wave);
}

const chosen = <T>(all: readonly T[], part: number): T => at(all, Math.floor(part * all.length));

/**
 * Houses, walls, trees, and posts and hedges beside the road.
 * @param clear what no house may hide
 */
export function solidsOf(pen: Pen, surroundings: Surroundings, clear: readonly Point[]): Solid[] {
  const { blocks, bodies } = surroundings;
  const houses = blocks.filter(({ kind }) => kind === 'building');
  const walls = blocks.filter(({ kind }) => kind === 'wall');
  const parks = blocks.filter(({ kind }) => kind === 'park');
  return [
    ...houses.map(({ polygon, heightM }) => houseOf(pen, polygon, heightM, clear)),
    ...walls.map(({ polygon, heightM }) => prismOf(pen, polygon, heightM, FENCE)),
    ...parks.flatMap(({ polygon }) => treesIn(polygon).map((foot) => treeOf(pen, foot))),
    ...bodies.map(({ x, y, heading, lengthM, widthM }) => {
      const isHedge = lengthM > HEDGE_MIN_M;
      const ring = boxRing([x, y], heading, lengthM, widthM);
      return prismOf(pen, ring, isHedge ? 1.2 : POST_M, isHedge ? HEDGE : POST);
    }),
  ];
}

export function shadowOf(pen: Pen, ring: readonly Point[], heightM: number): Point[] {
  const z = Math.min(heightM, SHADOW_HEIGHT_MAX_M);
  return hullOf([...ring, ...ring.map(([x, y]) => pen.view.shadow([x, y, z]))]);
}

function prismOf(pen: Pen, ring: readonly Point[], heightM: number, colour: Colour): Solid {
  return {
    depthM: pen.view.depth(middleOf(ring)),
    draw: () => pen.loft(raised(ring, 0), raised(ring, heightM), colour),
    shadow: shadowOf(pen, ring, heightM),
  };
}

// ── houses ────────────────────────────────────────────────────────────────────────────────────

function houseOf(
  pen: Pen,
  ring: readonly Point[],
  heightM: number,
  clear: readonly Point[],
): Solid {
  const middle = middleOf(ring);
  const isInFront = clear.some((place) => hides(pen, ring, heightM, place));
  return {
    depthM: pen.view.depth(middle),
    draw: () => (isInFront ? drawFaded(pen, ring) : drawHouse(pen, ring, heightM)),
    ...(isInFront ? {} : { shadow: shadowOf(pen, ring, heightM) }),
  };
}

/** Whether a house is between a place and the beholder. */
function hides(pen: Pen, ring: readonly Point[], heightM: number, place: Point): boolean {
  for (let z = 1; z < heightM; z += 0.7) {
    if (isInside(ring, pen.view.before(place, z))) return true;
  }
  return false;
}

/** Where a house would hide what happened, its ground is shown. */
function drawFaded(pen: Pen, ring: readonly Point[]): void {
  pen.area(ring, [120, 110, 96], FADED_ALPHA);
  pen.context.strokeStyle = 'rgb(120 110 96 / 0.55)';
  pen.context.lineWidth = 1.5;
  pen.trace(pen.pixels(raised(ring, 0)));
  pen.context.stroke();
}

function drawHouse(pen: Pen, ring: readonly Point[], heightM: number): void {
  const [mx, my] = middleOf(ring);
  const wall = chosen(WALLS, hashOf([mx, my]));
  const isPitched = ring.length === 4 && heightM <= PITCHED_MAX_M;
  const riseM = isPitched ? 3 : 0;
  const topM = heightM - riseM;
  const sides = ring.map((a, i) => ({ a, b: at(ring, (i + 1) % ring.length) }));
  sides.sort((one, two) => depthOf(pen, two) - depthOf(pen, one));
  for (const { a, b } of sides) drawWall(pen, a, b, topM, wall);
  if (isPitched) drawHipRoof(pen, ring, topM, heightM, chosen(TILES, hashOf([my, mx])));
  else drawFlatRoof(pen, ring, topM, chosen(FLATS, hashOf([my, mx])));
}

const depthOf = (pen: Pen, { a, b }: { a: Point; b: Point }): number =>
  pen.view.depth([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]);

function drawWall(pen: Pen, a: Point, b: Point, topM: number, colour: Colour): void {
  const face = [...raised([a, b], 0), ...raised([b, a], topM)];
  if (!pen.face(face, colour)) return;
  const lengthM = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const bays = Math.round(lengthM / BAY_M);
  const floors = Math.round(topM / FLOOR_M);
  const spot = (part: number, z: number): Spot => [
    a[0] + (b[0] - a[0]) * part,
    a[1] + (b[1] - a[1]) * part,
    z,
  ];
  for (let bay = 0; bay < bays; bay++) {
    const [from, to] = [(bay + 0.28) / bays, (bay + 0.72) / bays];
    for (let floor = 0; floor < floors; floor++) {
      const [low, high] = [((floor + 0.3) * topM) / floors, ((floor + 0.8) * topM) / floors];
      pen.fill([spot(from, low), spot(to, low), spot(to, high), spot(from, high)], GLASS, 0.75);
    }
  }
}

function drawHipRoof(
  pen: Pen,
  ring: readonly Point[],
  eavesM: number,
  topM: number,
  colour: Colour,
): void {
  const side = (i: number) => {
    const [a, b] = [at(ring, i), at(ring, (i + 1) % 4)];
    return Math.hypot(b[0] - a[0], b[1] - a[1]);
  };
  const first = side(0) + side(2) >= side(1) + side(3) ? 0 : 1;
  const corner = (i: number): Spot => [...at(ring, (first + i) % 4), eavesM];
  const [a, b, c, d] = [corner(0), corner(1), corner(2), corner(3)];
  const hip = Math.min(0.5, (0.5 * side((first + 1) % 4)) / side(first));
  const mix = (one: Spot, two: Spot, part: number): Spot => [
    one[0] + (two[0] - one[0]) * part,
    one[1] + (two[1] - one[1]) * part,
    topM,
  ];
  const [left, right] = [mix(a, d, 0.5), mix(b, c, 0.5)];
  const [p, q] = [mix(left, right, hip), mix(left, right, 1 - hip)];
  for (const face of [
    [a, b, q, p],
    [c, d, p, q],
    [b, c, q],
    [d, a, p],
  ])
    pen.face(face, colour);
}

function drawFlatRoof(pen: Pen, ring: readonly Point[], topM: number, colour: Colour): void {
  const [mx, my] = middleOf(ring);
  pen.face(raised(ring, topM), [214, 216, 217]);
  const inner = ring.map(([x, y]): Point => {
    const part = 1 - 0.7 / (Math.hypot(x - mx, y - my) || 1);
    return [mx + (x - mx) * part, my + (y - my) * part];
  });
  pen.face(raised(inner, topM), colour);
}

// ── trees ─────────────────────────────────────────────────────────────────────────────────────

function treesIn(ring: readonly Point[]): Point[] {
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)];
  const feet: Point[] = [];
  for (let x = Math.min(...xs) + 4; x < Math.max(...xs); x += TREE_EVERY_M) {
    for (let y = Math.min(...ys) + 4; y < Math.max(...ys); y += TREE_EVERY_M) {
      const foot: Point = [x + 3 * hashOf([x, y]), y + 3 * hashOf([y, x])];
      if (hashOf([x + 1, y + 1]) < 0.55 && isInside(ring, foot)) feet.push(foot);
    }
  }
  return feet;
}

function treeOf(pen: Pen, foot: Point): Solid {
  const heightM = 4.5 + 2 * hashOf(foot);
  const radiusM = heightM * 0.34;
  const ball = (middle: Spot, radius: number, colour: string) => {
    const [x, y] = pen.view.pixel(middle);
    pen.context.beginPath();
    pen.context.arc(x, y, radius * pen.view.scale, 0, 2 * Math.PI);
    pen.context.fillStyle = colour;
    pen.context.fill();
  };
  return {
    depthM: pen.view.depth(foot),
    draw: () => {
      pen.loft(
        raised(boxRing(foot, [1, 0], 0.4, 0.4), 0),
        raised(boxRing(foot, [1, 0], 0.4, 0.4), heightM - radiusM),
        TRUNK,
      );
      const [red, green, blue] = chosen(LEAVES, hashOf([foot[1], foot[0]]));
      const crown: Spot = [...foot, heightM - radiusM];
      ball(crown, radiusM, `rgb(${red * 0.86} ${green * 0.86} ${blue * 0.86})`);
      ball(
        [foot[0], foot[1], crown[2] + radiusM * 0.2],
        radiusM * 0.8,
        `rgb(${red} ${green} ${blue})`,
      );
    },
    shadow: circle(pen.view.shadow([...foot, heightM - radiusM]), radiusM),
  };
}
