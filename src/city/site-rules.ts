import {
  at,
  cross,
  distanceToPath,
  dot,
  endDirection,
  lengthOf,
  startDirection,
} from './geometry.ts';
import {
  type Bend,
  bendsOf,
  beside,
  crossingOf,
  type Frame,
  frameAt,
  joined,
  straightsOf,
} from './paths.ts';
import { type Ground, type Place, pathBehind, pathBeyond, roadLanesOf } from './site-ground.ts';
import {
  bollardsAlong,
  childShape,
  cornerBodies,
  crestShape,
  cutInShape,
  deerShape,
  drivingShape,
  fogShape,
  type Vehicle,
  vanAtEndOf,
  wallAlong,
  zebraShape,
} from './site-shapes.ts';
import type { HazardKind, Lane } from './types.ts';

/** Length of the sheet of ice in a bend, m. */
export const ICE_PATCH_M = 25;

interface Rule {
  kind: HazardKind;
  /** Together these fail without each of the twelve features. */
  isNeeded: boolean;
  places: (ground: Ground) => Place[];
}

const KMH = 1 / 3.6;
const STATION_STEP_M = 8;

interface StretchRule {
  limitFromMps: number;
  /** Straight road before and after the conflict point. */
  beforeM: number;
  afterM: number;
  /** Straight road before it with which a place is as good as any. */
  wantedM: number;
}

interface MidLane {
  index: number;
  lane: Lane;
  stationM: number;
  misfit: number;
  frame: Frame;
}

/** Places on straight pieces of road, away from junctions. */
function midLanes(ground: Ground, rule: StretchRule): MidLane[] {
  const found: MidLane[] = [];
  for (const index of roadLanesOf(ground)) {
    const lane = at(ground.lanes, index);
    if (lane.speedLimitMps < rule.limitFromMps - 1e-9) continue;
    for (const { fromM, toM } of straightsOf(lane.polyline)) {
      const lastM = toM - rule.afterM;
      for (let stationM = fromM + rule.beforeM; stationM <= lastM; stationM += STATION_STEP_M) {
        const misfit = Math.max(0, rule.wantedM - (stationM - fromM));
        found.push({ index, lane, stationM, misfit, frame: frameAt(lane.polyline, stationM) });
      }
    }
  }
  return found;
}

const placeAt = ({ index, stationM, misfit }: MidLane, build: Place['build']): Place => ({
  lanes: [index],
  stationM,
  misfit,
  build,
});

const fastestOf = (ground: Ground): number =>
  Math.max(...ground.lanes.map(({ speedLimitMps }) => speedLimitMps));

/** What a slower road than the fastest is worse by, m per m/s. */
const SLOWER_MISFIT = 150;
const IDEAL_MPS = 50 * KMH;

/** Places on straight pieces of roads where 50 km/h are driven, or a little more at worst. */
const on50 = (ground: Ground, rule: Omit<StretchRule, 'limitFromMps'>): MidLane[] =>
  midLanes(ground, { ...rule, limitFromMps: IDEAL_MPS }).map((place) => ({
    ...place,
    misfit: place.misfit + (place.lane.speedLimitMps - IDEAL_MPS) * FASTER_MISFIT,
  }));

const FASTER_MISFIT = 60;

function fogStalls(ground: Ground): Place[] {
  const fastest = fastestOf(ground);
  const rule = { limitFromMps: 50 * KMH, beforeM: 45, afterM: 20, wantedM: 120 };
  return midLanes(ground, rule).map((place) =>
    placeAt(
      { ...place, misfit: place.misfit + (fastest - place.lane.speedLimitMps) * SLOWER_MISFIT },
      () => fogShape(place.frame),
    ),
  );
}

function wetCrests(ground: Ground): Place[] {
  const fastest = fastestOf(ground);
  const rule = { limitFromMps: 50 * KMH, beforeM: 45, afterM: 20, wantedM: 90 };
  return midLanes(ground, rule).map((place) => {
    const { speedLimitMps, widthM } = place.lane;
    const misfit = place.misfit + (fastest - speedLimitMps) * SLOWER_MISFIT;
    return placeAt({ ...place, misfit }, () => crestShape(place.frame, widthM, speedLimitMps));
  });
}

/** From the edge of the park to the middle of the hedge at most. */
const PARK_BESIDE_M = 3;
const HEDGE_MIDDLE_M = 5;

function deerCrossings(ground: Ground): Place[] {
  const parks = ground.blocks.filter(({ kind }) => kind === 'park');
  return on50(ground, { beforeM: 45, afterM: 12, wantedM: 60 })
    .filter(({ frame }) => {
      const hedge = beside(frame, 0, HEDGE_MIDDLE_M);
      return parks.some(({ polygon }) => {
        const closed = [...polygon, at(polygon, 0)];
        return distanceToPath(hedge, closed) < PARK_BESIDE_M;
      });
    })
    .map((place) => placeAt(place, () => deerShape(place.frame, place.lane.widthM)));
}

const parkedRows = (ground: Ground): Place[] =>
  on50(ground, { beforeM: 45, afterM: 20, wantedM: 60 }).map((place) =>
    placeAt(place, () => childShape(place.frame)),
  );

const bays = (ground: Ground): Place[] =>
  on50(ground, { beforeM: 45, afterM: 25, wantedM: 60 }).map((place) =>
    placeAt(place, () => cutInShape(place.frame, place.lane.widthM)),
  );

const zebras = (ground: Ground): Place[] =>
  on50(ground, { beforeM: 40, afterM: 12, wantedM: 50 }).map((place) =>
    placeAt(place, () => zebraShape(place.frame)),
  );

const LEAD_BEFORE_M = 60;

function suddenStops(ground: Ground): Place[] {
  return on50(ground, { beforeM: 45, afterM: 20, wantedM: 60 }).map((place) =>
    placeAt(place, () => alongLane(ground, place, LEAD_BEFORE_M, 'car')),
  );
}

const LORRY_BEFORE_M = 110;
const STALL_GRADE = -0.015;
const STALL_SIGHT_M = 30;

function blindStalls(ground: Ground): Place[] {
  return on50(ground, { beforeM: 30, afterM: 15, wantedM: 40 }).map((place) =>
    placeAt(place, () => ({
      ...alongLane(ground, place, LORRY_BEFORE_M, 'lorry'),
      grade: STALL_GRADE,
      sightM: STALL_SIGHT_M,
    })),
  );
}

/** A vehicle that comes along the lane from behind and goes on over the conflict point. */
function alongLane(ground: Ground, { index, stationM }: MidLane, beforeM: number, what: Vehicle) {
  const { polyline } = at(ground.lanes, index);
  const lengthM = lengthOf(polyline);
  const before = pathBehind(ground, index, lengthM + beforeM - stationM);
  const after = pathBeyond(ground, index, lengthM + GO_ON_M).slice(polyline.length - 1);
  const actorStationM = lengthOf(before) - lengthM + stationM;
  return drivingShape(joined([before, after]), actorStationM, what);
}

interface BendPlace {
  lanes: readonly number[];
  bend: Bend;
  /** Path of the last of `lanes` and of what follows, along which the bend is given. */
  path: ReturnType<typeof joined>;
  straightBeforeM: number;
  lane: Lane;
  limitMps: number;
}

/** Cosine of 50°. */
const BEND_COSINE_MAX = 0.64;
const BEND_BEYOND_M = 40;

/** Bends of roads, and connectors of junctions where the road does nothing but bend. */
function bendPlaces(ground: Ground): BendPlace[] {
  return ground.lanes.flatMap((lane, index): BendPlace[] => {
    const isRoad = lane.road >= 0;
    if (!isRoad && at(ground.exitCounts, lane.junction) !== 2) return [];
    const path = pathBeyond(ground, index, lengthOf(lane.polyline) + BEND_BEYOND_M);
    return bendsOf(lane.polyline)
      .filter(({ cosine }) => cosine < BEND_COSINE_MAX)
      .map((bend) => {
        const from = lane.connector?.from;
        const approach = from === undefined ? undefined : at(ground.lanes, from);
        const before = straightsOf(approach?.polyline ?? lane.polyline);
        const straight = approach
          ? before.at(-1)
          : before.findLast(({ toM }) => toM <= bend.fromM + 3);
        return {
          lanes: from === undefined ? [index] : [from, index],
          bend,
          path,
          straightBeforeM: straight ? straight.toM - straight.fromM : 0,
          lane,
          limitMps: (approach ?? lane).speedLimitMps,
        };
      });
  });
}

const ICE_RADIUS_M = 30;
const RADIUS_MISFIT = 4;

function iceBends(ground: Ground): Place[] {
  return bendPlaces(ground).map(({ lanes, bend, path }) => ({
    lanes,
    stationM: bend.apexM,
    misfit:
      Math.abs(bend.radiusM - ICE_RADIUS_M) * RADIUS_MISFIT +
      Math.max(0, ICE_PATCH_M - (bend.toM - bend.fromM)),
    build: () => ({ bodies: bollardsAlong(path, bend, ICE_PATCH_M) }),
  }));
}

const SHARP_RADIUS_M = 25;
const FAST_STRAIGHT_M = 80;

function sharpBends(ground: Ground): Place[] {
  return bendPlaces(ground)
    .filter(({ limitMps }) => limitMps > 49 * KMH)
    .map(({ lanes, bend, path, straightBeforeM, lane }) => ({
      lanes,
      stationM: bend.apexM,
      misfit:
        Math.abs(bend.radiusM - SHARP_RADIUS_M) * RADIUS_MISFIT +
        Math.max(0, FAST_STRAIGHT_M - straightBeforeM),
      build: () => ({ bodies: wallAlong(path, bend, lane.widthM) }),
    }));
}

interface Crossing {
  /** The lane by which cars come, and the connector. */
  lanes: readonly [from: number, connector: number];
  own: Lane;
  approach: Lane;
  crosser: Lane;
  crosserApproach: Lane;
  stationM: number;
  crosserStationM: number;
  isFromRight: boolean;
}

const ACTOR_BEFORE_M = 75;
const GO_ON_M = 45;

/** Pairs of straight connectors that cross. */
function crossings(ground: Ground, turn: 'straight' | 'left' = 'straight'): Crossing[] {
  return ground.lanes.flatMap((own, index): Crossing[] => {
    if (own.connector?.turn !== turn) return [];
    const { from } = own.connector;
    return own.connector.conflicts.flatMap((other): Crossing[] => {
      const crosser = at(ground.lanes, other);
      if (crosser.connector?.turn !== 'straight') return [];
      const crossing = crossingOf(own.polyline, crosser.polyline);
      if (!crossing) return [];
      return [
        {
          lanes: [from, index],
          own,
          approach: at(ground.lanes, from),
          crosser,
          crosserApproach: at(ground.lanes, crosser.connector.from),
          stationM: crossing.aM,
          crosserStationM: crossing.bM,
          isFromRight: cross(startDirection(own.polyline), startDirection(crosser.polyline)) > 0,
        },
      ];
    });
  });
}

/** The crosser's way over the junction. */
function crosserShape(ground: Ground, crossing: Crossing, vehicle: Vehicle) {
  const { from = -1, to = -1 } = crossing.crosser.connector ?? {};
  const before = pathBehind(ground, from, ACTOR_BEFORE_M);
  const path = joined([before, crossing.crosser.polyline, pathBeyond(ground, to, GO_ON_M)]);
  return drivingShape(path, lengthOf(before) + crossing.crosserStationM, vehicle);
}

const APPROACH_WANTED_M = 60;

const crossingPlace = (crossing: Crossing, misfit: number, build: Place['build']): Place => ({
  lanes: crossing.lanes,
  stationM: crossing.stationM,
  misfit: misfit + Math.max(0, APPROACH_WANTED_M - lengthOf(crossing.approach.polyline)),
  build,
});

const redLights = (ground: Ground): Place[] =>
  crossings(ground)
    .filter(({ own }) => (own.connector?.light ?? -1) >= 0)
    .map((crossing) => crossingPlace(crossing, 0, () => crosserShape(ground, crossing, 'lorry')));

const ONCOMING_COSINE = -0.9;

/** Where the oncoming lane for left turns is another than that of fast oncoming traffic. */
function leftTurns(ground: Ground): Place[] {
  return crossings(ground, 'left').flatMap((crossing) => {
    const isOncoming =
      dot(startDirection(crossing.own.polyline), startDirection(crossing.crosser.polyline)) <
      ONCOMING_COSINE;
    if (!isOncoming) return [];
    const waiting = ground.lanes.find(
      ({ connector, junction, polyline }) =>
        junction === crossing.own.junction &&
        connector?.turn === 'left' &&
        connector.from !== crossing.crosser.connector?.from &&
        dot(startDirection(polyline), startDirection(crossing.crosser.polyline)) > 0.9,
    );
    if (!waiting?.connector) return [];
    const { polyline } = at(ground.lanes, waiting.connector.from);
    const slower = fastestOf(ground) - crossing.crosserApproach.speedLimitMps;
    return crossingPlace(crossing, slower * SLOWER_MISFIT, () => {
      const shape = crosserShape(ground, crossing, 'car');
      return { ...shape, active: [...(shape.active ?? []), vanAtEndOf(polyline)] };
    });
  });
}

const DOWNHILL_GRADE = -0.06;

function stopLines(ground: Ground): Place[] {
  const turns = ['straight', 'left'] as const;
  return turns
    .flatMap((turn) => crossings(ground, turn))
    .filter(({ own, crosser }) => own.connector?.mustStop && !crosser.connector?.mustStop)
    .map((crossing) =>
      crossingPlace(crossing, 0, () => ({
        ...crosserShape(ground, crossing, 'car'),
        grade: DOWNHILL_GRADE,
      })),
    );
}

/** Traffic that has right of way over the own where no light or stop sign decides. */
function unsignalled(ground: Ground): Crossing[] {
  return crossings(ground).filter(({ own, crosser, isFromRight }) => {
    const { light, mustStop, rank } = own.connector ?? { light: 0, mustStop: true, rank: 0 };
    const crosserRank = crosser.connector?.rank ?? 0;
    return light < 0 && !mustStop && (crosserRank > rank || (crosserRank === rank && isFromRight));
  });
}

const HOUSE_BESIDE_M = 9;
const NO_HOUSE_MISFIT = 150;

function blindCrossings(ground: Ground): Place[] {
  const houses = ground.blocks.filter(({ solid }) => solid);
  return unsignalled(ground).map((crossing) => {
    const frame = frameAt(crossing.own.polyline, crossing.stationM);
    const crosserAlong = endDirection(crossing.crosserApproach.polyline);
    const bodies = cornerBodies(frame, crosserAlong, crossing.isFromRight);
    const isBuilt = houses.some(({ polygon }) =>
      bodies.some(({ x, y }) => distanceToPath([x, y], polygon) < HOUSE_BESIDE_M),
    );
    return crossingPlace(crossing, isBuilt ? 0 : NO_HOUSE_MISFIT, () => ({
      ...crosserShape(ground, crossing, 'car'),
      bodies,
    }));
  });
}

/** Trams run along streets that have priority where there are such. */
const EQUAL_RANK_MISFIT = 60;

const tramCrossings = (ground: Ground): Place[] =>
  unsignalled(ground).map((crossing) => {
    const isEqual = crossing.own.connector?.rank === crossing.crosser.connector?.rank;
    return crossingPlace(crossing, isEqual ? EQUAL_RANK_MISFIT : 0, () =>
      crosserShape(ground, crossing, 'tram'),
    );
  });

/** In order of choice: those with few suitable places first. */
export const SITE_RULES: readonly Rule[] = [
  { kind: 'ice_bend', isNeeded: true, places: iceBends },
  { kind: 'red_light_lorry', isNeeded: true, places: redLights },
  { kind: 'deer_crossing', isNeeded: true, places: deerCrossings },
  { kind: 'fog_stall', isNeeded: true, places: fogStalls },
  { kind: 'wet_crest', isNeeded: true, places: wetCrests },
  { kind: 'blind_crossing', isNeeded: true, places: blindCrossings },
  { kind: 'tram_crossing', isNeeded: true, places: tramCrossings },
  { kind: 'left_turn_oncoming', isNeeded: false, places: leftTurns },
  { kind: 'sharp_bend', isNeeded: false, places: sharpBends },
  { kind: 'downhill_stop', isNeeded: false, places: stopLines },
  { kind: 'parked_row_child', isNeeded: false, places: parkedRows },
  { kind: 'cut_in', isNeeded: false, places: bays },
  { kind: 'dark_zebra', isNeeded: false, places: zebras },
  { kind: 'sudden_stop', isNeeded: false, places: suddenStops },
  { kind: 'blind_stall', isNeeded: false, places: blindStalls },
];
