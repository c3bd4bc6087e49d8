import * as layout from '../../../assembly/layout.ts';
import { at, boundsOf, distance, lengthOf } from '../../city/geometry.ts';
import { BAY, bayRightM } from '../../city/table/bay.ts';
import type { LaneProfile } from '../../city/table/lane-profile.ts';
import type { Block, Body, City, Lane, Point } from '../../city/types.ts';
import { areaOf, intersectConvex, isNearBounds } from '../geometry.ts';
import { boxBeside, cornersOf, type Frame, isClearOf } from '../hazards/paths.ts';

/** A place beside the road at which a car can stand out of the way of all traffic. */
interface RoadsidePlace {
  lane: number;
  /** Along the lane, beside the middle of the car. */
  stationM: number;
  body: Body;
  /** Whether it is used only if nothing else is free: see T_ROADSIDE. */
  isRefuge: boolean;
}

const STEP_M = 6;
/** Distance from either end of the lane: a car that stands there hides nothing at a junction. */
const FROM_END_M = 18;
/** That of a refuge. */
const REFUGE_FROM_END_M = 6;
/** Stretch before and behind the conflict point of a spot that stays free, and distance to it, m. */
const BEFORE_SPOT_M = 70;
const BEHIND_SPOT_M = 20;
const FROM_SPOT_M = 25;

/** The roadside places of a city, by lane and station, then the refuges likewise. */
export function roadsidePlacesOf(
  city: City,
  profiles: readonly LaneProfile[],
  blocks: readonly Block[],
): RoadsidePlace[] {
  const solids = blocks.filter(({ solid }) => solid);
  const bounds = solids.map(({ polygon }) => boundsOf(polygon));
  const laneBounds = city.lanes.map(({ polyline }) => boundsOf(polyline));
  const isFree = (body: Body, own: Lane) => {
    const corners = cornersOf(body);
    const isClear = city.lanes.every((lane, i) => {
      const isFar = !isNearBounds([body.x, body.y], at(laneBounds, i), BAY.lengthM + lane.widthM);
      return isFar || (lane === own ? true : isClearOf(body, lane));
    });
    if (!isClear) return false;
    return solids.every(({ polygon }, i) => {
      const isFar = !isNearBounds([body.x, body.y], at(bounds, i), BAY.lengthM);
      return isFar || areaOf(intersectConvex(corners, polygon)) === 0;
    });
  };
  const all = city.lanes.flatMap((lane, index) => {
    if (lane.road < 0 || lane.next.length === 0) return [];
    const { lengthM, points, spacingM } = at(profiles, index);
    const places: RoadsidePlace[] = [];
    for (
      let stationM = REFUGE_FROM_END_M;
      stationM <= lengthM - REFUGE_FROM_END_M;
      stationM += STEP_M
    ) {
      const { position, tangent } = at(points, Math.round(stationM / spacingM));
      const frame: Frame = { origin: position, along: tangent };
      const body = boxBeside(frame, 0, bayRightM(lane.widthM / 2), BAY);
      if (!isFree(body, lane)) continue;
      const isNearEnd = stationM < FROM_END_M || stationM > lengthM - FROM_END_M;
      const isRefuge = isNearEnd || isNearSpot(city, index, stationM, [body.x, body.y]);
      places.push({ lane: index, stationM, body, isRefuge });
    }
    return places;
  });
  return [...all.filter(({ isRefuge }) => !isRefuge), ...all.filter(({ isRefuge }) => isRefuge)];
}

/** Whether a car there would stand in the way of a hazard, or hide it from a car that comes. */
function isNearSpot({ hazards, lanes }: City, lane: number, stationM: number, place: Point) {
  return hazards.some(({ x, y, site }) => {
    if (distance([x, y], place) < FROM_SPOT_M) return true;
    // Before a bend there is nothing to hide.
    if (site.actor === null) return false;
    const first = site.lanes.indexOf(lane);
    if (first < 0) return false;
    const betweenM = site.lanes
      .slice(first, -1)
      .reduce((sumM, each) => sumM + lengthOf(at(lanes, each).polyline), 0);
    const beforeM = betweenM + site.stationM - stationM;
    return beforeM < BEFORE_SPOT_M && beforeM > -BEHIND_SPOT_M;
  });
}

/** Writes the places from `start`. */
export function writeRoadside(
  view: DataView,
  start: number,
  places: readonly RoadsidePlace[],
): void {
  for (const [i, { lane, stationM, body }] of places.entries()) {
    const offset = start + i * layout.ROADSIDE_BYTES;
    view.setInt32(offset + layout.RS_LANE, lane, true);
    view.setFloat32(offset + layout.RS_STATION, stationM, true);
    view.setFloat32(offset + layout.RS_X, body.x, true);
    view.setFloat32(offset + layout.RS_Y, body.y, true);
    view.setFloat32(offset + layout.RS_HX, body.heading[0], true);
    view.setFloat32(offset + layout.RS_HY, body.heading[1], true);
  }
}
