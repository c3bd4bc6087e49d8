import { at, lengthOf } from '../../city/geometry.ts';
import type { Lane } from '../../city/types.ts';
import { type Ground, isBuiltNear, type Place, pathBeyond } from './ground.ts';
import { type Bend, bendsOf, type joined, straightsOf } from './paths.ts';
import { bollardsAlong, wallAlong } from './shapes.ts';

/** Kinds whose places are bends. */

/** Length of the sheet of ice in a bend, m. */
const ICE_PATCH_M = 25;

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

const NO_BOLLARDS_MISFIT = 40;
const ICE_RADIUS_M = 30;
/** Bends that are tighter or wider are taken where there are no others only. */
const ICE_RADIUS_TOLERANCE_M = 8;
const RADIUS_MISFIT = 4;

export function iceBends(ground: Ground): Place[] {
  const bends = bendPlaces(ground);
  const wide = bends.filter(
    ({ bend: { radiusM, fromM, toM } }) =>
      Math.abs(radiusM - ICE_RADIUS_M) <= ICE_RADIUS_TOLERANCE_M && toM - fromM >= ICE_PATCH_M,
  );
  return (wide.length > 0 ? wide : bends).map(({ lanes, bend, path, lane }) => ({
    lanes,
    stationM: bend.apexM,
    misfit:
      Math.abs(bend.radiusM - ICE_RADIUS_M) * RADIUS_MISFIT +
      Math.max(0, ICE_PATCH_M - (bend.toM - bend.fromM)) +
      (bend.isLeft ? 0 : NO_BOLLARDS_MISFIT),
    build: () => ({ bodies: bollardsAlong(path, bend, ICE_PATCH_M, lane.widthM) }),
  }));
}

/** Where a house or a wall of the city is nearer than this, nothing is added. */
const WALL_GAP_M = 1.5;
const SHARP_RADIUS_M = 25;
const FAST_STRAIGHT_M = 80;

export function sharpBends(ground: Ground): Place[] {
  return bendPlaces(ground)
    .filter(({ limitMps }) => limitMps > 49 / 3.6)
    .map(({ lanes, bend, path, straightBeforeM, lane }) => ({
      lanes,
      stationM: bend.apexM,
      misfit:
        Math.abs(bend.radiusM - SHARP_RADIUS_M) * RADIUS_MISFIT +
        Math.max(0, FAST_STRAIGHT_M - straightBeforeM),
      build: () => {
        const wall = wallAlong(path, bend, lane.widthM);
        return { bodies: wall.filter(({ x, y }) => !isBuiltNear(ground, [x, y], WALL_GAP_M)) };
      },
    }));
}
