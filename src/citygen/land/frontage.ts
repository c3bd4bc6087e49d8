import { add, at, cross, direction, distance, lengthOf } from '../../city/geometry.ts';
import type { Box, Point } from '../../city/types.ts';
import { type Corner, evenlySpaced } from '../curves.ts';
import {
  areaOf,
  distanceToPolygon,
  endDirection,
  isConvex,
  pointAlong,
  rightOf,
  startDirection,
} from '../geometry.ts';
import type { RandomStream } from '../random-stream.ts';
import { type Land, squareAround } from './land.ts';

/** Ranges in metres, both ends included. */
export interface HouseStyle {
  frontM: readonly [min: number, max: number];
  depthM: readonly [min: number, max: number];
  heightM: readonly [min: number, max: number];
  /** From the edge of the roadway to the façades. */
  setBackM: number;
  /** Between two houses. */
  gapM: number;
}

/** The sides of the segment between two junctions. */
interface Frontage {
  axis: readonly Point[];
  /** Distance from the axis to the edge of the roadway. */
  halfWidthM: number;
  style: HouseStyle;
}

const STEP_M = 1;
/** Fractions of front and depth that are tried until a house fits. */
const SMALLER = [
  [1, 1],
  [1, 0.7],
  [0.6, 1],
  [0.6, 0.7],
  [0.4, 0.7],
] as const;
const FOOTPRINT_MIN_M2 = 50;
/** Limits for houses in a bend, whose side walls are not parallel. */
const BACK_PER_FRONT_MIN = 0.6;
const BACK_PER_FRONT_MAX = 1.7;

/** Builds a row of houses on both sides of the axis wherever one fits. */
export function lineWithHouses(land: Land, frontage: Frontage, random: RandomStream): void {
  const { axis } = frontage;
  for (const sided of [axis, axis.toReversed()]) {
    lineRightSide(land, { ...frontage, axis: sided }, random);
  }
}

function lineRightSide(
  land: Land,
  { axis, halfWidthM, style }: Frontage,
  random: RandomStream,
): void {
  const { frontM, depthM, heightM, setBackM, gapM } = style;
  const lengthM = lengthOf(axis);
  const wanted = () => [random.between(...frontM), random.between(...depthM)] as const;
  let [front, depth] = wanted();
  for (let stationM = 0; stationM < lengthM; ) {
    const house = SMALLER.map(([frontPart, depthPart]) => ({
      endM: stationM + front * frontPart,
      polygon: plotOf(
        axis,
        [stationM, stationM + front * frontPart],
        [halfWidthM + setBackM, halfWidthM + setBackM + depth * depthPart],
      ),
    })).find(({ endM, polygon }) => endM < lengthM && isHouse(polygon) && land.isFree(polygon));
    if (!house) {
      stationM += STEP_M;
      continue;
    }
    land.build({
      kind: 'building',
      polygon: house.polygon,
      heightM: random.between(...heightM),
      solid: true,
    });
    stationM = house.endM + gapM;
    [front, depth] = wanted();
  }
}

/** The plot to the right of the axis between two stations and two distances from it. */
function plotOf(
  axis: readonly Point[],
  [startM, endM]: readonly [number, number],
  [frontM, backM]: readonly [number, number],
): Point[] {
  const [start, end] = [placeOn(axis, startM), placeOn(axis, endM)];
  return [
    add(start.point, start.right, backM),
    add(end.point, end.right, backM),
    add(end.point, end.right, frontM),
    add(start.point, start.right, frontM),
  ];
}

function placeOn(axis: readonly Point[], stationM: number): { point: Point; right: Point } {
  const before = pointAlong(axis, stationM - 0.5);
  const after = pointAlong(axis, stationM + 0.5);
  return { point: pointAlong(axis, stationM), right: rightOf(direction(before, after)) };
}

function isHouse(polygon: readonly Point[]): boolean {
  if (!isConvex(polygon) || areaOf(polygon) < FOOTPRINT_MIN_M2) return false;
  const backM = distance(at(polygon, 0), at(polygon, 1));
  const backPerFront = backM / distance(at(polygon, 2), at(polygon, 3));
  return backPerFront > BACK_PER_FRONT_MIN && backPerFront < BACK_PER_FRONT_MAX;
}

const CORNER_HOUSE_M = 17;

/** Builds a house on the inside of a bend, as close to the road as the land allows. */
export function buildInsideBend(
  land: Land,
  corner: Point,
  into: Point,
  out: Point,
  heightM: number,
): void {
  const side = cross(into, out) < 0 ? 1 : -1;
  const inward = add(add([0, 0], rightOf(into), side), rightOf(out), side);
  const reach = CORNER_HOUSE_M / Math.sqrt(inward[0] * inward[0] + inward[1] * inward[1]);
  const seed = add(corner, inward, reach * 1.25);
  const lot = [
    add(add(seed, into, -CORNER_HOUSE_M), out, CORNER_HOUSE_M),
    add(add(seed, into, CORNER_HOUSE_M), out, CORNER_HOUSE_M),
    add(add(seed, into, CORNER_HOUSE_M), out, -CORNER_HOUSE_M),
    add(add(seed, into, -CORNER_HOUSE_M), out, -CORNER_HOUSE_M),
  ];
  const polygon = land.freePart(areaOf(lot) > 0 ? lot : lot.reverse(), seed);
  if (polygon.length < 3 || areaOf(polygon) < FOOTPRINT_MIN_M2) return;
  land.build({ kind: 'building', polygon, heightM, solid: true });
}

const WALL_BESIDE_ROAD_M = 2;
/** Length of the wall along the straights before and after the bend. */
const WALL_BEYOND_BEND_M = 6;
const WALL_PIECE_M = 4;
const WALL_THICKNESS_M = 0.8;
const WALL_HEIGHT_M = 3;

/** Builds a wall along the outside of the bend that rounds the corner of the axis. */
export function buildWallOutside(
  land: Land,
  axis: readonly Point[],
  corner: Corner,
  halfWidthM: number,
): void {
  const reachM = corner.radiusM * 1.2 + WALL_BEYOND_BEND_M;
  const near = evenlySpaced(axis).filter((point) => distance(point, [corner.x, corner.y]) < reachM);
  const isLeftBend = cross(startDirection(near), endDirection(near)) > 0;
  const along = isLeftBend ? near : near.toReversed();
  const lengthM = lengthOf(along);
  const pieces = Math.max(1, Math.floor(lengthM / WALL_PIECE_M + 0.5));
  const besideM = halfWidthM + WALL_BESIDE_ROAD_M;
  for (let i = 0; i < pieces; i++) {
    const stations = [(lengthM * i) / pieces, (lengthM * (i + 1)) / pieces] as const;
    const polygon = plotOf(along, stations, [besideM, besideM + WALL_THICKNESS_M]);
    land.build({ kind: 'wall', polygon, heightM: WALL_HEIGHT_M, solid: true });
  }
}

/** Distance between the points that are tried as the middle of a green, m. */
const RASTER_M = 9;
const GREEN_ROOM_MIN_M = 8;
const GREEN_ROOM_MAX_M = 25;
const GREEN_HALF_M = 42;
const GREEN_MIN_M2 = 250;

/** Lays greens into the free land, starting where there is most room. */
export function fillWithGreens(land: Land, box: Box, countMax: number): void {
  let places: { point: Point; roomM: number }[] = [];
  for (let x = box.minX + RASTER_M / 2; x < box.maxX; x += RASTER_M) {
    for (let y = box.minY + RASTER_M / 2; y < box.maxY; y += RASTER_M) {
      const roomM = land.roomAround([x, y], GREEN_ROOM_MAX_M);
      if (roomM >= GREEN_ROOM_MIN_M) places.push({ point: [x, y], roomM });
    }
  }
  for (let count = 0; count < countMax && places.length > 0; count++) {
    const roomiest = places.reduce((best, place) => (place.roomM > best.roomM ? place : best));
    const polygon = land.freePart(squareAround(roomiest.point, GREEN_HALF_M), roomiest.point);
    places = places.filter((place) => place !== roomiest);
    if (polygon.length < 3 || areaOf(polygon) < GREEN_MIN_M2) continue;
    land.build({ kind: 'park', polygon, heightM: 0, solid: false });
    places = places
      .map(({ point, roomM }) => ({
        point,
        roomM: Math.min(roomM, distanceToPolygon(point, polygon)),
      }))
      .filter(({ roomM }) => roomM >= GREEN_ROOM_MIN_M);
  }
}
