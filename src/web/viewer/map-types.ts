/** The shape of `GET /api/v1/worlds/{id}/map`. Metres, x east, y north. */
export interface CityMap {
  city: string;
  bounds: Bounds;
  roads: readonly MapRoad[];
  junctions: readonly MapJunction[];
  lanes: readonly MapLane[];
  blocks: readonly MapBlock[];
  zones: readonly MapZone[];
  hazards: readonly MapHazardSpot[];
}

export type MapPoint = readonly [x: number, y: number];

export interface Bounds {
  min_x: number;
  min_y: number;
  max_x: number;
  max_y: number;
}

export interface MapRoad {
  id: string;
  name: string;
  class: string;
  speed_limit: number;
  lanes: readonly string[];
  centerline: readonly MapPoint[];
}

export interface MapJunction {
  id: string;
  x: number;
  y: number;
  control: string;
  polygon: readonly MapPoint[];
  lights: readonly MapLight[];
}

/** A signal head; its heading is the direction of the traffic that it faces. */
export interface MapLight {
  id: string;
  x: number;
  y: number;
  heading: number;
  lanes: readonly string[];
}

export interface MapLane {
  id: string;
  road: string | null;
  junction: string | null;
  width: number;
  speed_limit: number;
  polyline: readonly MapPoint[];
  next: readonly string[];
  sign: 'stop' | 'yield' | null;
}

export interface MapBlock {
  id: string;
  kind: string;
  polygon: readonly MapPoint[];
  height: number;
}

export interface MapZone {
  id: string;
  kind: string;
  polygon: readonly MapPoint[];
}

export interface MapHazardSpot {
  id: string;
  kind: string;
  x: number;
  y: number;
  radius: number;
  road: string;
  description: string;
}
