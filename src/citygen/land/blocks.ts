import { add, at, direction, distance } from '../../city/geometry.ts';
import type { Block, Box, Point } from '../../city/types.ts';
import { areaOf, grown, intersectConvex, rectangle, rightOf } from '../geometry.ts';
import type { RandomStream } from '../random-stream.ts';

/** A block without an id. */
export type BlockPlan = Omit<Block, 'id'>;

/** From the edge of the roadway to the nearest façade, in metres. */
export const SIDEWALK_M = 3.5;
/** Cut off a lot's corners along each side, so that turning cars keep clear. */
const CORNER_CUT_M = 2.4;
/** Nothing is built on smaller plots, such as the slivers beside cut corners. */
export const FOOTPRINT_MIN_M2 = 60;

/** The building land in a box: an octagon without the corners of the box. */
function lotIn({ minX, minY, maxX, maxY }: Box): Point[] {
  const cut = CORNER_CUT_M;
  return [
    [minX + cut, minY],
    [maxX - cut, minY],
    [maxX, minY + cut],
    [maxX, maxY - cut],
    [maxX - cut, maxY],
    [minX + cut, maxY],
    [minX, maxY - cut],
    [minX, minY + cut],
  ];
}

/** Houses along all four sides with a green courtyard. */
export function courtyardBlock(box: Box, random: RandomStream): BlockPlan[] {
  const depthM = random.between(15, 20);
  const south = { ...box, maxY: box.minY + depthM };
  const north = { ...box, minY: box.maxY - depthM };
  const between = { ...box, minY: south.maxY, maxY: north.minY };
  const houses = [
    ...splitX(south, 40, random),
    ...splitX(north, 40, random),
    ...splitY({ ...between, maxX: box.minX + depthM }, 55, random),
    ...splitY({ ...between, minX: box.maxX - depthM }, 55, random),
  ];
  const yard = cornersOf({ ...between, minX: box.minX + depthM, maxX: box.maxX - depthM });
  return [
    ...buildOn(box, houses, () => random.between(12, 26)),
    { kind: 'park', polygon: yard, heightM: 0, solid: false },
  ];
}

/** Deep rows of large houses with alleys between them. */
export function rowsBlock(box: Box, random: RandomStream): BlockPlan[] {
  const alleyM = random.between(6, 9);
  const houses = splitY(box, 44, random).flatMap((row) => splitX(row, 44, random));
  const apart = houses.map((house) => ({
    minX: house.minX === box.minX ? house.minX : house.minX + alleyM / 2,
    minY: house.minY === box.minY ? house.minY : house.minY + alleyM / 2,
    maxX: house.maxX === box.maxX ? house.maxX : house.maxX - alleyM / 2,
    maxY: house.maxY === box.maxY ? house.maxY : house.maxY - alleyM / 2,
  }));
  return buildOn(box, apart, () => random.between(8, 22));
}

/** High-rises in the corners around a flat hall. */
export function towersBlock(box: Box, random: RandomStream): BlockPlan[] {
  const sideM = random.between(22, 28);
  const towers = [box.minX, box.maxX - sideM].flatMap((minX) =>
    [box.minY, box.maxY - sideM].map((minY) => ({
      minX,
      minY,
      maxX: minX + sideM,
      maxY: minY + sideM,
    })),
  );
  const hall = grown(box, -sideM - TOWER_GAP_M);
  return [
    ...buildOn(box, towers, () => random.between(28, 40)),
    ...buildOn(box, [hall], () => random.between(6, 9)),
  ];
}

const TOWER_GAP_M = 6;

/** A paved square with houses on its northern side. */
export function squareBlock(box: Box, random: RandomStream): BlockPlan[] {
  const edgeY = box.maxY - random.between(20, 26);
  const paved = intersectConvex(lotIn(box), cornersOf({ ...box, maxY: edgeY }));
  const houses = splitX({ ...box, minY: edgeY }, 35, random);
  return [
    { kind: 'square', polygon: paved, heightM: 0, solid: false },
    ...buildOn(box, houses, () => random.between(14, 24)),
  ];
}

/** A park over the whole lot. */
export function parkBlock(box: Box): BlockPlan[] {
  return [{ kind: 'park', polygon: lotIn(box), heightM: 0, solid: false }];
}

/**
 * A closed ring of houses and walls around the box. Neighbours touch, so that a car that leaves the
 * streets hits one of them. Each side extends past its end to close the corner.
 */
export function surroundingBlocks(box: Box, random: RandomStream): BlockPlan[] {
  const corners = cornersOf(box);
  return corners.flatMap((corner, i) => {
    const nextCorner = at(corners, (i + 1) % corners.length);
    const along = direction(corner, nextCorner);
    const runM = distance(corner, nextCorner) + RING_DEPTH_M;
    const cuts = cutSpan(0, runM, 46, random);
    return cuts.slice(1).map((endM, k): BlockPlan => {
      const isLast = k === cuts.length - 2;
      const isWall = !isLast && random.between(1, 5) === 1;
      const frontM = isLast ? 0 : random.between(0, 3) / 2;
      const backM = isWall ? frontM + WALL_THICKNESS_M : random.between(15, RING_DEPTH_M);
      const place = (alongM: number, outM: number): Point =>
        add(add(corner, along, alongM), rightOf(along), outM);
      const startM = at(cuts, k);
      return {
        kind: isWall ? 'wall' : 'building',
        polygon: [
          place(startM, backM),
          place(endM, backM),
          place(endM, frontM),
          place(startM, frontM),
        ],
        heightM: isWall ? 3 : random.between(9, 24),
        solid: true,
      };
    });
  });
}

const RING_DEPTH_M = 26;
const WALL_THICKNESS_M = 2;

const cornersOf = ({ minX, minY, maxX, maxY }: Box): Point[] => rectangle(minX, minY, maxX, maxY);

/** Houses on the parts of the boxes that are in the lot of `around`. */
function buildOn(around: Box, boxes: readonly Box[], heightM: () => number): BlockPlan[] {
  const lot = lotIn(around);
  return boxes
    .map((box) => intersectConvex(cornersOf(box), lot))
    .filter((polygon) => areaOf(polygon) >= FOOTPRINT_MIN_M2)
    .map((polygon) => ({ kind: 'building', polygon, heightM: heightM(), solid: true }));
}

function splitX(box: Box, meanM: number, random: RandomStream): Box[] {
  const cuts = cutSpan(box.minX, box.maxX, meanM, random);
  return cuts.slice(1).map((maxX, i) => ({ ...box, minX: at(cuts, i), maxX }));
}

function splitY(box: Box, meanM: number, random: RandomStream): Box[] {
  const cuts = cutSpan(box.minY, box.maxY, meanM, random);
  return cuts.slice(1).map((maxY, i) => ({ ...box, minY: at(cuts, i), maxY }));
}

/** Both ends and cuts between them, about `meanM` apart, each moved by up to 16 % of that. */
function cutSpan(from: number, to: number, meanM: number, random: RandomStream): number[] {
  const count = Math.max(1, Math.floor((to - from) / meanM + 0.5));
  const stepM = (to - from) / count;
  const cuts = [from];
  for (let i = 1; i < count; i++) cuts.push(from + stepM * (i + random.between(-16, 16) / 100));
  cuts.push(to);
  return cuts;
}
