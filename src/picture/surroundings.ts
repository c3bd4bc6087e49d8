import type { Block, City, Lane, Point, Road, Zone } from '../city/types.ts';

/** The part of a city that a picture may show: so little that it takes no time to hand it to a thread. */
export interface Surroundings {
  blocks: readonly Pick<Block, 'kind' | 'polygon' | 'heightM'>[];
  lanes: readonly Pick<Lane, 'polyline' | 'widthM' | 'road'>[];
  junctions: readonly (readonly Point[])[];
  centrelines: readonly Pick<Road, 'centerline' | 'name'>[];
  zones: readonly Pick<Zone, 'kind' | 'polygon'>[];
  /** Bodies that always stand beside the road. */
  bodies: City['hazards'][number]['site']['bodies'];
}

/** Beyond this nothing is drawn, m. */
const REACH_M = 130;

export function surroundingsOf(city: City, [x, y]: Point): Surroundings {
  const overlaps = (values: readonly number[], middle: number) =>
    Math.min(...values) < middle + REACH_M && Math.max(...values) > middle - REACH_M;
  const isNear = (points: readonly Point[]) =>
    overlaps(
      points.map(([px]) => px),
      x,
    ) &&
    overlaps(
      points.map(([, py]) => py),
      y,
    );
  const { blocks, lanes, junctions, roads, zones, hazards } = city;
  return {
    blocks: blocks
      .filter(({ polygon }) => isNear(polygon))
      .map(({ kind, polygon, heightM }) => ({ kind, polygon, heightM })),
    lanes: lanes
      .filter(({ polyline }) => isNear(polyline))
      .map(({ polyline, widthM, road }) => ({ polyline, widthM, road })),
    junctions: junctions.map(({ polygon }) => polygon).filter(isNear),
    centrelines: roads
      .filter(({ centerline }) => isNear(centerline))
      .map(({ centerline, name }) => ({ centerline, name })),
    zones: zones
      .filter(({ polygon, spot }) => spot === undefined && isNear(polygon))
      .map(({ kind, polygon }) => ({ kind, polygon })),
    bodies: hazards.flatMap(({ site }) => site.bodies).filter((body) => isNear([[body.x, body.y]])),
  };
}
