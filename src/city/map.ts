import type { CityEntry } from './catalogue.ts';
import { at } from './geometry.ts';
import type {
  City,
  Connector,
  HazardSpot,
  Junction,
  Lane,
  Light,
  Point,
  Road,
  Zone,
} from './types.ts';

/** Metres east and north, to the centimetre. */
export type PointWire = [x: number, y: number];

export interface RoadWire {
  id: string;
  name: string;
  class: Road['class'];
  /** m/s, two decimals. */
  speed_limit: number;
  lanes: string[];
  centerline: PointWire[];
}

export interface LightWire {
  id: string;
  x: number;
  y: number;
  /** Radians, four decimals. */
  heading: number;
  lanes: string[];
}

export interface JunctionWire {
  id: string;
  x: number;
  y: number;
  control: Junction['control'];
  polygon: PointWire[];
  lights: LightWire[];
}

export interface LaneWire {
  id: string;
  road: string | null;
  junction: string | null;
  width: number;
  /** m/s, two decimals. */
  speed_limit: number;
  polyline: PointWire[];
  next: string[];
  /** What stands at its end; lights are with their junction. */
  sign: 'stop' | 'yield' | null;
}

export interface BlockWire {
  id: string;
  kind: string;
  polygon: PointWire[];
  height: number;
}

export interface ZoneWire {
  id: string;
  kind: Zone['kind'];
  polygon: PointWire[];
}

export interface HazardSpotWire {
  id: string;
  kind: string;
  x: number;
  y: number;
  radius: number;
  road: string;
  description: string;
}

/** Body of `GET /api/v1/worlds/{id}/map`. */
export interface MapWire {
  city: string;
  bounds: { min_x: number; min_y: number; max_x: number; max_y: number };
  roads: RoadWire[];
  junctions: JunctionWire[];
  lanes: LaneWire[];
  blocks: BlockWire[];
  zones: ZoneWire[];
  hazards: HazardSpotWire[];
}

/** Body of `GET /api/v1/cities`. */
export interface CitiesWire {
  cities: { name: string; title: string; description: string }[];
}

/** The city as the API shows it: metres to the centimetre, ids for indices. */
export function mapOf(city: City): MapWire {
  const { minX, minY, maxX, maxY } = city.bounds;
  return {
    city: city.name,
    bounds: {
      min_x: toCentimetre(minX),
      min_y: toCentimetre(minY),
      max_x: toCentimetre(maxX),
      max_y: toCentimetre(maxY),
    },
    roads: city.roads.map((road) => roadWire(city, road)),
    junctions: city.junctions.map((junction) => junctionWire(city, junction)),
    lanes: lanesWire(city),
    blocks: city.blocks.map(({ id, kind, polygon, heightM }) => ({
      id,
      kind,
      polygon: polygon.map(pointWire),
      height: toCentimetre(heightM),
    })),
    zones: city.zones.map(({ id, kind, polygon }) => ({
      id,
      kind,
      polygon: polygon.map(pointWire),
    })),
    hazards: hazardSpotsOf(city),
  };
}

/** The hazard spots as a world and its map list them. */
export function hazardSpotsOf(city: City): HazardSpotWire[] {
  return city.hazards.map((spot: HazardSpot) => ({
    id: spot.id,
    kind: spot.kind,
    x: toCentimetre(spot.x),
    y: toCentimetre(spot.y),
    radius: toCentimetre(spot.radiusM),
    road: at(city.roads, spot.road).id,
    description: spot.description,
  }));
}

/** What a visitor may choose from. */
export function citiesOf(
  entries: readonly Pick<CityEntry, 'name' | 'title' | 'description'>[],
): CitiesWire {
  return {
    cities: entries.map(({ name, title, description }) => ({ name, title, description })),
  };
}

function roadWire(city: City, road: Road): RoadWire {
  return {
    id: road.id,
    name: road.name,
    class: road.class,
    speed_limit: round(road.speedLimitMps, 100),
    lanes: laneIds(city, road.lanes),
    centerline: road.centerline.map(pointWire),
  };
}

function junctionWire(city: City, junction: Junction): JunctionWire {
  return {
    id: junction.id,
    x: toCentimetre(junction.x),
    y: toCentimetre(junction.y),
    control: junction.control,
    polygon: junction.polygon.map(pointWire),
    lights: junction.lights.map((light) => lightWire(city, at(city.lights, light))),
  };
}

function lightWire(city: City, light: Light): LightWire {
  return {
    id: light.id,
    x: toCentimetre(light.x),
    y: toCentimetre(light.y),
    heading: round(light.heading, 10_000),
    lanes: laneIds(city, light.lanes),
  };
}

function lanesWire(city: City): LaneWire[] {
  return city.lanes.map((lane) => ({
    id: lane.id,
    road: lane.road < 0 ? null : at(city.roads, lane.road).id,
    junction: lane.junction < 0 ? null : at(city.junctions, lane.junction).id,
    width: toCentimetre(lane.widthM),
    speed_limit: round(lane.speedLimitMps, 100),
    polyline: lane.polyline.map(pointWire),
    next: laneIds(city, lane.next),
    sign: signAt(city, lane),
  }));
}

function signAt(city: City, lane: Lane): LaneWire['sign'] {
  const ahead = lane.next.map((next) => at(city.lanes, next));
  if (ahead.some(({ connector }) => connector?.mustStop)) return 'stop';
  const isSigned = ahead.some(({ junction }) => city.junctions[junction]?.control === 'priority');
  const yields = ahead.some(({ connector }) => isMinor(connector));
  return isSigned && yields ? 'yield' : null;
}

/** Traffic of the priority road gives way in left turns only. */
const isMinor = (connector: Connector | undefined): boolean =>
  connector !== undefined && connector.turn !== 'left' && connector.yieldsTo.length > 0;

const laneIds = (city: City, lanes: readonly number[]): string[] =>
  lanes.map((lane) => at(city.lanes, lane).id);

const pointWire = ([x, y]: Point): PointWire => [toCentimetre(x), toCentimetre(y)];

const toCentimetre = (valueM: number): number => round(valueM, 100);

/** The nearest multiple of 1 / `steps`, halves upwards, and never −0. */
const round = (value: number, steps: number): number => Math.floor(value * steps + 0.5) / steps + 0;
