import { besideRoadAt } from '../twin/beside-road.ts';
import type { CityMap } from '../twin/wire.ts';
import { at, roundTo, toCentimetre } from './geometry.ts';
import type {
  Body,
  City,
  Connector,
  HazardSpot,
  Junction,
  Lane,
  Light,
  Point,
  Road,
} from './types.ts';

/**
 * The body of `GET /api/v1/worlds/{id}/map`: metres to the centimetre, headings in radians to four
 * decimals, ids instead of indices.
 */
export function mapOf(city: City): CityMap {
  const { minX, minY, maxX, maxY } = city.bounds;
  return {
    city: city.name,
    bounds: {
      min_x: toCentimetre(minX),
      min_y: toCentimetre(minY),
      max_x: toCentimetre(maxX),
      max_y: toCentimetre(maxY),
    },
    roads: city.roads.map((road) => roadOf(city, road)),
    junctions: city.junctions.map((junction) => junctionOf(city, junction)),
    lanes: city.lanes.map((lane) => laneOf(city, lane)),
    blocks: city.blocks.map(({ id, kind, polygon, heightM }) => ({
      id,
      kind,
      polygon: polygon.map(pointOf),
      height: toCentimetre(heightM),
    })),
    bodies: city.hazards.flatMap((spot) =>
      spot.site.bodies.map((body, index) => bodyOf(spot, body, index)),
    ),
    zones: city.zones.map(({ id, kind, polygon }) => ({
      id,
      kind,
      polygon: polygon.map(pointOf),
    })),
    hazards: hazardSpotsOf(city),
  };
}

/** The hazard spots, as worlds and maps list them. */
export function hazardSpotsOf(city: City) {
  return city.hazards.map((spot) => ({
    id: spot.id,
    kind: spot.kind,
    x: toCentimetre(spot.x),
    y: toCentimetre(spot.y),
    radius: toCentimetre(spot.radiusM),
    road: at(city.roads, spot.road).id,
    description: spot.description,
  }));
}

/** The body of `GET /api/v1/cities`. */
export function citiesOf(entries: readonly Pick<City, 'name' | 'title' | 'description'>[]) {
  return {
    cities: entries.map(({ name, title, description }) => ({ name, title, description })),
  };
}

function roadOf(city: City, road: Road) {
  return {
    id: road.id,
    name: road.name,
    class: road.class,
    speed_limit: roundTo(road.speedLimitMps, 100),
    lanes: laneIds(city, road.lanes),
    centerline: road.centerline.map(pointOf),
  };
}

function junctionOf(city: City, junction: Junction) {
  return {
    id: junction.id,
    x: toCentimetre(junction.x),
    y: toCentimetre(junction.y),
    control: junction.control,
    polygon: junction.polygon.map(pointOf),
    lights: junction.lights.map((light) => lightOf(city, at(city.lights, light))),
  };
}

function lightOf(city: City, light: Light) {
  return {
    id: light.id,
    x: toCentimetre(light.x),
    y: toCentimetre(light.y),
    heading: roundTo(light.heading, 10_000),
    lanes: laneIds(city, light.lanes),
  };
}

function laneOf(city: City, lane: Lane) {
  return {
    id: lane.id,
    road: lane.road < 0 ? null : at(city.roads, lane.road).id,
    junction: lane.junction < 0 ? null : at(city.junctions, lane.junction).id,
    width: toCentimetre(lane.widthM),
    speed_limit: roundTo(lane.speedLimitMps, 100),
    polyline: lane.polyline.map(pointOf),
    next: laneIds(city, lane.next),
    sign: signOf(city, lane),
  };
}

/** The sign at the end of a lane; lights are listed with their junction. */
function signOf(city: City, lane: Lane): 'stop' | 'yield' | null {
  const ahead = lane.next.map((next) => at(city.lanes, next));
  if (ahead.some(({ connector }) => connector?.mustStop)) return 'stop';
  const isSigned = ahead.some(({ junction }) => city.junctions[junction]?.control === 'priority');
  const yields = ahead.some(({ connector }) => isMinor(connector));
  return isSigned && yields ? 'yield' : null;
}

/** Traffic on the priority road gives way in left turns only. */
const isMinor = (connector: Connector | undefined): boolean =>
  connector !== undefined && connector.turn !== 'left' && connector.yieldsTo.length > 0;

/** A permanent body of a spot. */
function bodyOf({ id, kind }: HazardSpot, body: Body, index: number) {
  const { name, heightM } = besideRoadAt(kind);
  const [hx, hy] = body.heading;
  return {
    id: bodyId(id, index),
    hazard: id,
    kind: name,
    x: toCentimetre(body.x),
    y: toCentimetre(body.y),
    heading: roundTo(Math.atan2(hy, hx), 10_000),
    length: toCentimetre(body.lengthM),
    width: toCentimetre(body.widthM),
    height: toCentimetre(heightM),
  };
}

/** The id of a permanent body by the id of its spot and its place among `site.bodies`. */
export const bodyId = (spot: string, index: number): string => `${spot}-${index}`;

const laneIds = (city: City, lanes: readonly number[]): string[] =>
  lanes.map((lane) => at(city.lanes, lane).id);

const pointOf = ([x, y]: Point): [x: number, y: number] => [toCentimetre(x), toCentimetre(y)];
