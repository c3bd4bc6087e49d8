import { at, lengthOf } from '../../city/geometry.ts';
import type { Lane, Point } from '../../city/types.ts';
import { type Ground, isBuiltNear, type Place, pathBeyond } from './ground.ts';
import { type Bend, bendsOf, straightsOf } from './paths.ts';
import { bollardsAlong, wallAlong } from './shapes.ts';

/** Length of the sheet of ice in a bend, m. */
const ICE_PATCH_M = 25;

interface BendPlace {
  lanes: readonly number[];
  bend: Bend;
  /** The last of `lanes` and the lanes after it. The stations of `bend` are along this path. */
  path: readonly Point[];
  straightBeforeM: number;
  lane: Lane;
  limitMps: number;
}

/** Cosine of 50°. */
const BEND_COSINE_MAX = 0.64;
const BEND_BEYOND_M = 40;

/** Bends of roads, and of connectors in junctions of only two roads. */
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

const NO_BOLLARDS_PENALTY = 40;
const ICE_RADIUS_M = 30;
/** Tighter and wider bends are a last resort. */
const ICE_RADIUS_TOLERANCE_M = 8;
const RADIUS_PENALTY = 4;

export function iceBends(ground: Ground): Place[] {
  const bends = bendPlaces(ground);
  const wide = bends.filter(
    ({ bend: { radiusM, fromM, toM } }) =>
      Math.abs(radiusM - ICE_RADIUS_M) <= ICE_RADIUS_TOLERANCE_M && toM - fromM >= ICE_PATCH_M,
  );
  return (wide.length > 0 ? wide : bends).map(({ lanes, bend, path, lane }) => ({
    lanes,
    stationM: bend.apexM,
    penalty:
      Math.abs(bend.radiusM - ICE_RADIUS_M) * RADIUS_PENALTY +
      Math.max(0, ICE_PATCH_M - (bend.toM - bend.fromM)) +
      (bend.isLeft ? 0 : NO_BOLLARDS_PENALTY),
    build: () => ({ bodies: bollardsAlong(path, bend, ICE_PATCH_M, lane.widthM) }),
  }));
}

/** No wall is added this close to a house or wall of the city. */
const WALL_GAP_M = 1.5;
const SHARP_RADIUS_M = 25;
const FAST_STRAIGHT_M = 80;

export function sharpBends(ground: Ground): Place[] {
  return bendPlaces(ground)
    .filter(({ limitMps }) => limitMps > 49 / 3.6)
    .map(({ lanes, bend, path, straightBeforeM, lane }) => ({
      lanes,
      stationM: bend.apexM,
      penalty:
        Math.abs(bend.radiusM - SHARP_RADIUS_M) * RADIUS_PENALTY +
        Math.max(0, FAST_STRAIGHT_M - straightBeforeM),
      build: () => {
        const wall = wallAlong(path, bend, lane.widthM);
        return { bodies: wall.filter(({ x, y }) => !isBuiltNear(ground, [x, y], WALL_GAP_M)) };
      },
    }));
}
