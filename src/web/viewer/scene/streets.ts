import type { CityMap, MapBlock } from '../api/types.ts';
import type { DrawnLane } from './lanes.ts';
import { at, isInside, type Line, leftward, middleOf, type Point, unit } from './lines.ts';
import { markLanes } from './markings.ts';
import { MeshBuilder } from './mesh-builder.ts';
import type { Slot } from './palette.ts';

const PAVEMENT_M = 2.6;
const KERB_M = 0.3;
/** What reaches so little beyond a junction cannot be seen. */
const HIDDEN_M = 0.05;
/** The plain around the city reaches to the horizon, m. */
const PLAIN: Line = [
  [-4000, -4000],
  [4000, -4000],
  [4000, 4000],
  [-4000, 4000],
];

/**
 * Everything that lies flat on the ground, in drawing order: later triangles cover earlier ones.
 */
export function groundOf(map: CityMap, lanes: readonly DrawnLane[]): MeshBuilder {
  const mesh = new MeshBuilder();
  mesh.area(PLAIN, 'ground');
  for (const block of map.blocks) paintBlock(mesh, block);
  layStreets(mesh, map, lanes, PAVEMENT_M, 'pavement');
  layStreets(mesh, map, lanes, KERB_M, 'kerb');
  layStreets(mesh, map, lanes, 0, 'asphalt');
  markLanes(mesh, map, lanes);
  return mesh;
}

/** Size of the inner part of a park or square, which has another tone. */
const INSET = 0.86;

function paintBlock(mesh: MeshBuilder, { kind, polygon }: MapBlock): void {
  if (kind !== 'park' && kind !== 'square') return;
  const tones: [Slot, Slot] = kind === 'park' ? ['park', 'lawn'] : ['square', 'paving'];
  mesh.area(polygon, tones[0]);
  const [mx, my] = middleOf(polygon);
  mesh.area(
    polygon.map(([x, y]): Point => [mx + INSET * (x - mx), my + INSET * (y - my)]),
    tones[1],
  );
}

/** Streets and junctions, widened on each side. */
function layStreets(
  mesh: MeshBuilder,
  map: CityMap,
  lanes: readonly DrawnLane[],
  wider: number,
  slot: Slot,
): void {
  const areas = map.junctions.map(({ polygon }) => grown(polygon, wider));
  const covers = new Map(map.junctions.map(({ id }, i) => [id, grown(at(areas, i), HIDDEN_M)]));
  for (const { lane, line } of lanes) {
    // The area of the junction has the kerb.
    if (lane.road === null && wider > KERB_M) continue;
    const reach = lane.width / 2 + wider;
    const cover = covers.get(lane.junction ?? '');
    const isHidden = cover !== undefined && bandLiesIn(cover, line, reach);
    if (!isHidden) mesh.band(line, -reach, reach, slot);
  }
  for (const area of areas) mesh.area(area, slot);
}

/** Whether a convex area holds a band, as most junctions do with their lanes. */
function bandLiesIn(area: Line, line: Line, reach: number): boolean {
  const vectors = leftward(line);
  return line.every(([x, y], i) => {
    const [dx, dy] = at(vectors, i);
    return [-reach, reach].every((left) => isInside(area, x + left * dx, y + left * dy));
  });
}

/** Offsets a convex, counter-clockwise polygon outwards. */
export function grown(polygon: Line, byM: number): Point[] {
  if (byM === 0) return [...polygon];
  return polygon.map((corner, i) => {
    const before = at(polygon, (i + polygon.length - 1) % polygon.length);
    const after = at(polygon, (i + 1) % polygon.length);
    const [ax, ay] = unit(before, corner);
    const [bx, by] = unit(corner, after);
    const scale = byM / Math.max(0.25, 1 + ax * bx + ay * by);
    return [corner[0] + (ay + by) * scale, corner[1] - (ax + bx) * scale];
  });
}
