import type { CityMap, MapLane, MapRoad } from '../api/types.ts';
import { type Point, thinned } from './lines.ts';

/** How far the drawn line may be off: straight streets come with a point every metre. */
const TOLERANCE_M = 0.03;

/** A lane with its simplified line. */
export interface DrawnLane {
  lane: MapLane;
  line: Point[];
  road: MapRoad | null;
}

/** Lanes in the map's order. */
export function drawnLanes(map: CityMap): DrawnLane[] {
  const roads = new Map(map.roads.map((road) => [road.id, road]));
  return map.lanes.map((lane) => ({
    lane,
    line: thinned(lane.polyline, TOLERANCE_M),
    road: lane.road === null ? null : (roads.get(lane.road) ?? null),
  }));
}
