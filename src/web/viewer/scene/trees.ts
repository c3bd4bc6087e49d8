import type { MapBlock } from '../api/types.ts';
import { hashOf, SHADOW } from './buildings.ts';
import { at, isInside, middleOf, type Point } from './lines.ts';
import { MeshBuilder, raised } from './mesh-builder.ts';
import type { Slot } from './palette.ts';

const STEP_M = 11;
const FROM_EDGE_M = 4;
/** Share of the places in a park that have a tree. */
const DENSITY = 0.55;
export const LEAVES: readonly Slot[] = ['leaf0', 'leaf1', 'leaf2'];
const SIDES = 7;

export interface Tree {
  x: number;
  y: number;
  radiusM: number;
  heightM: number;
  leaf: Slot;
}

/** The trees of all parks, the same on every page. */
export function treesOf(blocks: readonly MapBlock[]): Tree[] {
  return blocks.filter(({ kind }) => kind === 'park').flatMap(({ polygon }) => treesIn(polygon));
}

function treesIn(polygon: MapBlock['polygon']): Tree[] {
  const xs = polygon.map(([x]) => x);
  const ys = polygon.map(([, y]) => y);
  const trees: Tree[] = [];
  const [mx, my] = middleOf(polygon);
  for (let x = Math.min(...xs); x < Math.max(...xs); x += STEP_M) {
    for (let y = Math.min(...ys); y < Math.max(...ys); y += STEP_M) {
      const chance = hashOf(x, y);
      if (chance > DENSITY) continue;
      const [px, py] = [x + hashOf(y, x) * STEP_M, y + hashOf(x + 1, y) * STEP_M];
      if (!isInside(polygon, px + edge(px, mx), py + edge(py, my))) continue;
      const size = hashOf(y + 1, x);
      const leaf = at(LEAVES, Math.floor(hashOf(y, y + x) * LEAVES.length));
      trees.push({ x: px, y: py, radiusM: 2 + 1.5 * size, heightM: 5.5 + 4.5 * size, leaf });
    }
  }
  return trees;
}

/** Offset away from the middle, so that trees keep off the edge. */
const edge = (value: number, middle: number): number => Math.sign(value - middle) * FROM_EDGE_M;

const TURN_RAD = 0.3;

/** A tree of unit height and radius; instances scale it. */
export function treeBody(): MeshBuilder {
  const mesh = new MeshBuilder();
  mesh.box([0, 0, 0], [0.16, 0.16, 0.4], 'trunk');
  const [low, wide, shoulder] = [0.28, 0.5, 0.84];
  const ring = raised(ringAround(0, 0, 1), wide);
  const upper = raised(ringAround(0, 0, 0.55, TURN_RAD), shoulder);
  mesh.loft(ring, upper, 'paint');
  for (let i = 0; i < SIDES; i++) {
    const next = (i + 1) % SIDES;
    mesh.face([[0, 0, low], at(ring, next), at(ring, i)], 'paint');
    mesh.face([at(upper, i), at(upper, next), [0, 0, 1]], 'paint');
  }
  return mesh;
}

/** A regular polygon, counter-clockwise. */
const ringAround = (x: number, y: number, radiusM: number, turn = 0): Point[] =>
  Array.from({ length: SIDES }, (_, i): Point => {
    const rad = turn + (2 * Math.PI * i) / SIDES;
    return [x + radiusM * Math.cos(rad), y + radiusM * Math.sin(rad)];
  });

/** The shadow of a tree. */
export const treeShadowOf = ({ x, y, radiusM, heightM }: Tree): Point[] =>
  ringAround(x + SHADOW.x * heightM * 0.55, y + SHADOW.y * heightM * 0.55, radiusM * 0.95);
