import { at, distanceToPath, dot, lengthOf } from '../../city/geometry.ts';
import type { Lane, Point } from '../../city/types.ts';
import { startDirection, trim } from '../geometry.ts';
import { FIRST_LANE_MIN_M } from '../routes/loops.ts';
import {
  blockAt,
  fastestOf,
  type Ground,
  isClearOfLanes,
  isOutdoors,
  lanesBehind,
  lanesBeyond,
  type Place,
  pathBehind,
  roadLanesOf,
  type SiteShape,
} from './ground.ts';
import { beside, endsOf, type Frame, frameAt, headOf, joined, straightsOf } from './paths.ts';
import {
  childShape,
  crestShape,
  cutInShape,
  deerShape,
  drivingShape,
  fogShape,
  intoBay,
  leadShape,
  VEHICLES,
  type Vehicle,
  zebraShape,
} from './shapes.ts';

const STATION_STEP_M = 8;

interface StretchRule {
  limitFromMps: number;
  /** Straight road before and after the conflict point. */
  beforeM: number;
  afterM: number;
  /** Straight road before it and lane after it, beyond which more is no better. */
  wantedM: number;
  wantedAfterM?: number;
}

interface MidLane {
  index: number;
  lane: Lane;
  stationM: number;
  /** Straight road before it. */
  runUpM: number;
  penalty: number;
  frame: Frame;
}

/** Places on straight pieces of road, away from junctions. */
function midLanes(ground: Ground, rule: StretchRule): MidLane[] {
  const { wantedAfterM = 0 } = rule;
  const found: MidLane[] = [];
  for (const index of roadLanesOf(ground)) {
    const lane = at(ground.lanes, index);
    if (lane.speedLimitMps < rule.limitFromMps - 1e-9) continue;
    const lengthM = lengthOf(lane.polyline);
    for (const { fromM, toM } of straightsOf(lane.polyline)) {
      const lastM = toM - rule.afterM;
      for (let stationM = fromM + rule.beforeM; stationM <= lastM; stationM += STATION_STEP_M) {
        const runUpM = stationM - fromM;
        const penalty =
          Math.max(0, rule.wantedM - runUpM) + Math.max(0, wantedAfterM - (lengthM - stationM));
        const frame = frameAt(lane.polyline, stationM);
        found.push({ index, lane, stationM, runUpM, penalty, frame });
      }
    }
  }
  return found;
}

const placeAt = ({ index, stationM, penalty }: MidLane, build: Place['build']): Place => ({
  lanes: [index],
  stationM,
  penalty,
  build,
});

const IDEAL_MPS = 50 / 3.6;

/** Places on straight roads of 50 km/h; faster roads are worse. */
const on50 = (ground: Ground, rule: Omit<StretchRule, 'limitFromMps'>): MidLane[] =>
  midLanes(ground, { ...rule, limitFromMps: IDEAL_MPS }).map((place) => ({
    ...place,
    penalty: place.penalty + (place.lane.speedLimitMps - IDEAL_MPS) * FASTER_PENALTY,
  }));

const FASTER_PENALTY = 60;

/** Places on straight roads of 50 km/h or more; where a city has faster roads, slower are worse. */
const fromIdeal = (
  ground: Ground,
  rule: Omit<StretchRule, 'limitFromMps'>,
  weight: number,
): MidLane[] =>
  midLanes(ground, { ...rule, limitFromMps: IDEAL_MPS }).map((place) => ({
    ...place,
    penalty:
      place.penalty * weight + (fastestOf(ground) - place.lane.speedLimitMps) * SLOWER_WAY_PENALTY,
  }));

const SLOWER_WAY_PENALTY = 15;

/** Farther than this from the end of its lane, a car in fog does not brake for it yet. */
const UNBRAKED_M = 44;

/** Weight of the run-up: a slow car can stop within the 16 m that a camera sees in fog. */
const FOG_RUN_WEIGHT = 2;

export const fogStalls = (ground: Ground): Place[] =>
  fromIdeal(
    ground,
    { beforeM: 45, afterM: 36, wantedM: 77, wantedAfterM: UNBRAKED_M },
    FOG_RUN_WEIGHT,
  ).map((place) => placeAt(place, () => fogShape(place.frame, place.lane.widthM)));

/**
 * Weight of the run-up. A car that turned into the road, and speeds up like this, m/s², must drive
 * steadily again when it sees the obstacle, so long before it, s.
 */
const CREST_RUN_WEIGHT = 4;
const SPEEDS_UP = 1.4;
const SEEN_S = 1.6;
/** Nearer than this to the end of its lane, a car may brake for a turn. */
const BEFORE_TURN_M = 50;

export function wetCrests(ground: Ground): Place[] {
  const rule = { limitFromMps: IDEAL_MPS, beforeM: 60, afterM: 24, wantedM: 0 };
  return midLanes(ground, { ...rule, wantedAfterM: BEFORE_TURN_M }).map((place) => {
    const { speedLimitMps } = place.lane;
    const wantedM = speedLimitMps * SEEN_S + (speedLimitMps * speedLimitMps) / (2 * SPEEDS_UP);
    const shortM = Math.max(0, wantedM - place.runUpM);
    const penalty =
      place.penalty +
      shortM * CREST_RUN_WEIGHT +
      (hasLaneOnLeft(ground, place) ? 0 : NO_STRIP_PENALTY);
    return placeAt({ ...place, penalty }, () => crestShape(place.frame, place.lane.widthM));
  });
}

const NO_STRIP_PENALTY = 200;

/** Whether there is another lane of the same direction to the left. */
function hasLaneOnLeft({ lanes, roads }: Ground, { lane, frame }: MidLane): boolean {
  const [x, y] = beside(frame, 0, -lane.widthM);
  return at(roads, lane.road).lanes.some((index) => {
    const other = at(lanes, index);
    const isSameWay =
      dot(startDirection(other.polyline), startDirection(lane.polyline)) > SAME_WAY_COSINE;
    return other !== lane && isSameWay && distanceToPath([x, y], other.polyline) < NEXT_LANE_M;
  });
}

const NEXT_LANE_M = 0.5;
/** Side by side around a bend, too. */
const SAME_WAY_COSINE = 0.5;

/** The park must be the first block between these distances from the middle of the lane. */
const PARK_FROM_M = 5;
const PARK_TO_M = 17;
const PARK_STEP_M = 1.5;

export function deerCrossings(ground: Ground): Place[] {
  return on50(ground, { beforeM: 45, afterM: 12, wantedM: 60, wantedAfterM: BEFORE_LINE_M })
    .filter(({ frame }) => {
      for (let rightM = PARK_FROM_M; rightM <= PARK_TO_M; rightM += PARK_STEP_M) {
        const block = blockAt(ground, beside(frame, 0, rightM));
        if (block) return block.kind === 'park';
      }
      return false;
    })
    .map((place) => placeAt(place, () => deerShape(place.frame, place.lane.widthM)));
}

/** Nearer than this to the end of its lane, a car may brake for a line or a light. */
const BEFORE_LINE_M = 25;

export const parkedRows = (ground: Ground): Place[] =>
  placesOn50(
    ground,
    { beforeM: 52, afterM: 20, wantedM: 60, wantedAfterM: BEFORE_LINE_M },
    childShape,
  );

export const bays = (ground: Ground): Place[] =>
  placesOn50(
    ground,
    { beforeM: 55, afterM: 20, wantedM: 75, wantedAfterM: BEFORE_LINE_M },
    cutInShape,
  );

export const zebras = (ground: Ground): Place[] =>
  placesOn50(
    ground,
    { beforeM: 48, afterM: 12, wantedM: 50, wantedAfterM: BEFORE_LINE_M },
    zebraShape,
  );

export const suddenStops = (ground: Ground): Place[] =>
  placesOn50(
    ground,
    { beforeM: 45, afterM: 24, wantedM: 110, wantedAfterM: BEFORE_LINE_M },
    leadShape,
  );

const placesOn50 = (
  ground: Ground,
  rule: Omit<StretchRule, 'limitFromMps'>,
  shapeOf: (frame: Frame, laneWidthM: number) => SiteShape,
): Place[] =>
  on50(ground, rule).map((place) => placeAt(place, () => shapeOf(place.frame, place.lane.widthM)));

/** Length of the lorry's path before the conflict point: it meets cars that stall on all of it. */
const LORRY_BEFORE_M = 600;
const STALL_GRADE = -0.015;
const STALL_SIGHT_M = 30;

/** Wanted lanes of that path where a route can begin: a car without throttle does not get far. */
const STALL_LANES_WANTED = 5;
/** Penalty for each missing one, m. */
const STALL_LANE_WORTH = 60;

export function blindStalls(ground: Ground): Place[] {
  const rule = { limitFromMps: IDEAL_MPS, beforeM: 45, afterM: 15, wantedM: 60 };
  return midLanes(ground, rule).map((place) => {
    const way = lanesBehind(ground, place.index, LORRY_BEFORE_M).map((i) => at(ground.lanes, i));
    const begins = way.filter(
      ({ road, polyline }) => road >= 0 && lengthOf(polyline) >= FIRST_LANE_MIN_M,
    );
    const missing = Math.max(0, STALL_LANES_WANTED - begins.length);
    const penalty = place.penalty + missing * STALL_LANE_WORTH;
    return placeAt({ ...place, penalty }, () => ({
      ...alongLane(ground, place, LORRY_BEFORE_M, 'lorry'),
      grade: STALL_GRADE,
      sightM: STALL_SIGHT_M,
    }));
  });
}

/** A vehicle that follows the lane from behind over the conflict point and into a bay. */
function alongLane(ground: Ground, place: MidLane, beforeM: number, what: Vehicle): SiteShape {
  const { lane, index, stationM } = place;
  const lengthM = lengthOf(lane.polyline);
  const before = pathBehind(ground, index, lengthM + beforeM - stationM);
  const actorStationM = lengthOf(before) - lengthM + stationM;
  const path = joined([headOf(before, actorStationM), wayIntoBay(ground, place, what)]);
  return drivingShape(path, actorStationM, what);
}

/** Distance from a conflict point within which the way into a bay begins, m, and the steps of the search. */
const BAY_FROM_M = 8;
const BAY_TO_M = 300;
const BAY_STEP_M = 4;

/** The way from the conflict point into the first bay that is clear; to the end of the lane if none is. */
function wayIntoBay(ground: Ground, { lane, index, stationM }: MidLane, what: Vehicle): Point[] {
  const on = lanesBeyond(ground, index, BAY_TO_M);
  const path = trim(joined(on.map((next) => at(ground.lanes, next).polyline)), stationM, 0);
  const lengthM = lengthOf(path);
  for (let alongM = BAY_FROM_M; alongM < Math.min(BAY_TO_M, lengthM); alongM += BAY_STEP_M) {
    const bay = intoBay(frameAt(path, alongM), lane.widthM, what);
    const { end } = endsOf(bay, VEHICLES[what]);
    if (!isClearOfLanes(ground, end) || !isOutdoors(ground, end)) continue;
    return [...headOf(path, alongM), ...bay.slice(1)];
  }
  return headOf(path, lengthOf(lane.polyline) - stationM);
}
