import type { Point, ZoneKind } from '../city/types.ts';
import type { Colour, Pen } from './pen.ts';
import { dashesOf, isInside, middleOf } from './shapes.ts';
import type { Surroundings } from './surroundings.ts';

const PLAIN: Colour = [233, 236, 227];
const PAVEMENT: Colour = [213, 213, 207];
const KERB: Colour = [190, 191, 186];
const ASPHALT: Colour = [134, 141, 150];
const MARKING: Colour = [240, 241, 239];
const GREEN: Colour = [193, 217, 169];
const LAWN: Colour = [178, 206, 153];
const SQUARE: Colour = [228, 219, 200];
const PAVING: Colour = [219, 208, 186];
const PAVEMENT_M = 2.6;
const KERB_M = 0.3;
/** Size of the inner part of a park or square, which has another tone. */
const INSET = 0.86;
const DASH_M = 3;
const GAP_M = 4.5;
const MARKING_M = 0.14;

const ZONES: Readonly<Record<ZoneKind, readonly [colour: Colour, alpha: number]>> = {
  ice: [[196, 232, 246], 0.72],
  wet: [[64, 108, 152], 0.34],
  fog: [[255, 255, 255], 0.5],
  dusk: [[40, 42, 84], 0.3],
};

/** Everything that lies flat on the ground, under what stands on it. */
export function drawGround(pen: Pen, surroundings: Surroundings): void {
  const { blocks, lanes, junctions, centrelines, zones } = surroundings;
  const { canvas } = pen.context;
  pen.context.fillStyle = `rgb(${PLAIN.join(' ')})`;
  pen.context.fillRect(0, 0, canvas.width, canvas.height);
  for (const { kind, polygon } of blocks) {
    if (kind === 'park') drawInset(pen, polygon, GREEN, LAWN);
    if (kind === 'square') drawInset(pen, polygon, SQUARE, PAVING);
  }
  const onRoads = lanes.filter(({ road }) => road >= 0);
  for (const lane of onRoads) pen.band(lane.polyline, lane.widthM + 2 * PAVEMENT_M, PAVEMENT);
  for (const lane of lanes) pen.band(lane.polyline, lane.widthM + 2 * KERB_M, KERB);
  for (const ring of junctions) pen.area(ring, ASPHALT);
  for (const lane of lanes) pen.band(lane.polyline, lane.widthM + 0.1, ASPHALT);
  for (const { centerline } of centrelines) {
    for (const dash of dashesOf(centerline, DASH_M, GAP_M)) {
      const isInJunction = junctions.some((ring) => isInside(ring, middleOf(dash)));
      if (!isInJunction) pen.band(dash, MARKING_M, MARKING);
    }
  }
  for (const { kind, polygon } of zones) pen.area(polygon, ...ZONES[kind]);
}

function drawInset(pen: Pen, ring: readonly Point[], outer: Colour, inner: Colour): void {
  pen.area(ring, outer);
  const [mx, my] = middleOf(ring);
  pen.area(
    ring.map(([x, y]): Point => [mx + INSET * (x - mx), my + INSET * (y - my)]),
    inner,
  );
}
