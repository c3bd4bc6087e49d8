import type { CityMap, MapLane } from '../api/types.ts';
import { type Point, thinned } from './lines.ts';

/** How far the drawn line may be off: straight streets come with a point every metre. */
const TOLERANCE_M = 0.03;

/** A lane with its simplified line. */
export interface DrawnLane {
  lane: MapLane;
  line: Point[];
}

/** Lanes in the map's order. */
export function drawnLanes(map: CityMap): DrawnLane[] {
  return map.lanes.map((lane) => ({ lane, line: thinned(lane.polyline, TOLERANCE_M) }));
}
