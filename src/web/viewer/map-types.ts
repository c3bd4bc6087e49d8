export type Point = readonly [x: number, y: number];

/** The road network, as `GET …/map` answers it. */
export interface CityMap {
  city: string;
  bounds: { min_x: number; min_y: number; max_x: number; max_y: number };
  roads: {
    id: string;
    name: string;
    class: string;
    speed_limit: number;
    lanes: string[];
    centerline: Point[];
  }[];
  junctions: {
    id: string;
    x: number;
    y: number;
    control: string;
    polygon: Point[];
    lights: { id: string; x: number; y: number; heading: number; lanes: string[] }[];
  }[];
  lanes: {
    id: string;
    road: string | null;
    junction: string | null;
    width: number;
    speed_limit: number;
    polyline: Point[];
    next: string[];
  }[];
  blocks: { id: string; kind: string; polygon: Point[]; height: number }[];
  zones: { id: string; kind: string; polygon: Point[] }[];
  hazards: { id: string; kind: string; x: number; y: number; radius: number; road: string; description: string }[];
}
