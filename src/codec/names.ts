import type { City } from '../city/types.ts';

/** A hazard spot, and where it is while nothing is out there, m. */
export interface HazardName {
  id: string;
  kind: string;
  x: number;
  y: number;
}

/** The ids of a city by the indices of the kernel. Make it once a city: encoders hang on to it. */
export interface CityNames {
  roads: readonly string[];
  junctions: readonly string[];
  lanes: readonly string[];
  lights: readonly string[];
  hazards: readonly HazardName[];
}

/** All names that a frame of one world needs. */
export interface FrameNames {
  worldId: string;
  /** In car order, 20 of them. */
  vins: readonly string[];
  city: CityNames;
}

export function cityNames(city: City): CityNames {
  const id = (named: { id: string }) => named.id;
  return {
    roads: city.roads.map(id),
    junctions: city.junctions.map(id),
    lanes: city.lanes.map(id),
    lights: city.lights.map(id),
    hazards: city.hazards.map(({ id, kind, x, y }) => ({ id, kind, x, y })),
  };
}
