import {
  PT_CURVATURE,
  PT_OPEN,
  PT_RUN,
  PT_SPEED,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  VIEW_M,
} from '../../../assembly/layout.ts';
import { at } from '../geometry.ts';
import type { Point } from '../types.ts';
import { curvaturesOf, type LaneProfile } from './lane-profile.ts';
import { distanceInStrip, type Obstruction, openViewsOf } from './open-view.ts';
import type { Column, Records } from './records.ts';
import { speedsOf } from './speed-profile.ts';
import { straightRunsOf } from './straight-runs.ts';

/** A lane as its points need it. */
export interface LaneOfPoints {
  first: number;
  count: number;
  spacingM: number;
  halfWidthM: number;
  speedLimitMps: number;
}

/**
 * The hints: for each point what does not follow from other numbers, but lets others follow. A curvature that
 * is nearly 0, and the block that ends the open view.
 */
export const POINT_HINT_BYTES = 6;
const HINT_UNITS = 0; // i32
const HINT_BLOCK = 4; // u16, index + 1, 0 none

/** Below it, 1/m, a lane is straight: of its curvature only errors of rounding are left. */
const STRAIGHT_PER_M = 1e-11;
/** These errors, times the distance of the points, are multiples of 2⁻⁶². */
const UNITS = 0x4000_0000_0000_0000;

/**
 * The points of the lanes, but for their open views, which need the blocks. Returns the profiles of the
 * lanes. Behind the last lane there may be points of zeros.
 */
export function* pointColumns(
  points: Records,
  hints: Records,
  lanes: readonly LaneOfPoints[],
): Generator<Column, LaneProfile[]> {
  const { places, spacingsM } = placesOf(lanes, points.count);
  const placeOf = (i: number) => places[i] ?? 0;
  yield points.column('f32', PT_TX, (i) => extrapolated(points, PT_TX, i, placeOf(i)));
  yield points.column('f32', PT_TY, (i) => {
    const x = points.f32(PT_TX, i);
    const y = Math.sqrt(Math.max(0, 1 - x * x));
    return extrapolated(points, PT_TY, i, placeOf(i)) < 0 ? -y : y;
  });
  const tangents = tangentsOf(points);

  yield hints.column('i32', HINT_UNITS);
  const curvatures = ofAll(lanes, points.count, ({ first, count, spacingM }) =>
    curvaturesOf(tangents.slice(first, first + count), spacingM),
  );
  yield points.column('f32', PT_CURVATURE, (i) => {
    const units = hints.i32(HINT_UNITS, i);
    const ofUnits = units === 0 ? 0 : units / (UNITS * (spacingsM[i] ?? 0));
    return (curvatures[i] ?? 0) + ofUnits;
  });

  // From one point to the next by the tangents at both, and by how these turn.
  const stepOf = (i: number, along: number, aside: number, sign: number) => {
    const stepM = placeOf(i) === 0 ? 0 : (spacingsM[i] ?? 0);
    const turn =
      points.f32(PT_CURVATURE, i) * points.f32(aside, i) -
      points.f32(PT_CURVATURE, i - 1) * points.f32(aside, i - 1);
    const sum = points.f32(along, i - 1) + points.f32(along, i);
    return stepM * (sum / 2 + (sign * stepM * turn) / 12);
  };
  yield points.column('f32', PT_X, (i) => points.f32(PT_X, i - 1) + stepOf(i, PT_TX, PT_TY, 1));
  yield points.column('f32', PT_Y, (i) => points.f32(PT_Y, i - 1) + stepOf(i, PT_TY, PT_TX, -1));

  const profiles = lanes.map((lane) => profileOf(points, lane, tangents));
  const speeds = ofAll(lanes, points.count, ({ speedLimitMps }, i) =>
    speedsOf(at(profiles, i), speedLimitMps),
  );
  yield points.column('f32', PT_SPEED, (i) => speeds[i] ?? 0);
  const runs = ofAll(lanes, points.count, (_, i) => straightRunsOf(at(profiles, i)));
  yield points.column('f32', PT_RUN, (i) => runs[i] ?? 0);
  return profiles;
}

export function* openViewColumns(
  points: Records,
  hints: Records,
  profiles: readonly LaneProfile[],
  polygons: readonly (readonly Point[])[],
): Generator<Column> {
  yield hints.column('u16', HINT_BLOCK);
  const all = profiles.flatMap((profile) => profile.points);
  yield points.column('f32', PT_OPEN, (i) => {
    const polygon = polygons[hints.u16(HINT_BLOCK, i) - 1];
    const point = all[i];
    if (polygon === undefined || point === undefined) return VIEW_M;
    return Math.min(VIEW_M, distanceInStrip(polygon, point));
  });
}

const tangentsOf = (points: Records) =>
  Array.from(
    { length: points.count },
    (_, i): Point => [points.f32(PT_TX, i), points.f32(PT_TY, i)],
  );

/** For each point, the index in its lane and the distance to the next one. */
function placesOf(lanes: readonly LaneOfPoints[], pointCount: number) {
  const places = new Int32Array(pointCount);
  const spacingsM = new Float64Array(pointCount);
  for (const { first, count, spacingM } of lanes) {
    for (let i = 0; i < count; i++) places[first + i] = i;
    spacingsM.fill(spacingM, first, first + count);
  }
  return { places, spacingsM };
}

/** The next number where third differences are about 0, from those of its lane before. */
function extrapolated(points: Records, field: number, i: number, place: number): number {
  const before = points.f32(field, i - 1);
  if (place < 2) return before;
  const second = points.f32(field, i - 2);
  if (place === 2) return 2 * before - second;
  return 3 * (before - second) + points.f32(field, i - 3);
}

/** A number for each point, from those of each lane. */
function ofAll(
  lanes: readonly LaneOfPoints[],
  pointCount: number,
  numbersOf: (lane: LaneOfPoints, index: number) => readonly number[],
): Float64Array {
  const all = new Float64Array(pointCount);
  for (const [index, lane] of lanes.entries()) all.set(numbersOf(lane, index), lane.first);
  return all;
}

function profileOf(
  points: Records,
  { first, count, spacingM }: LaneOfPoints,
  tangents: readonly Point[],
): LaneProfile {
  const profile = Array.from({ length: count }, (_, place) => {
    const i = first + place;
    const position: Point = [points.f32(PT_X, i), points.f32(PT_Y, i)];
    return { position, tangent: at(tangents, i), curvature: points.f32(PT_CURVATURE, i) };
  });
  return { lengthM: spacingM * (count - 1), spacingM, points: profile };
}

/** Finds out what the points of a complete table do not tell. */
export function writePointHints(
  view: DataView,
  hintsStart: number,
  points: Records,
  lanes: readonly LaneOfPoints[],
  obstructions: readonly Obstruction[],
): void {
  const tangents = tangentsOf(points);
  for (const lane of lanes) {
    const profile = profileOf(points, lane, tangents);
    for (const [i, { block }] of openViewsOf(profile, obstructions).entries()) {
      const hint = hintsStart + (lane.first + i) * POINT_HINT_BYTES;
      const curvature = points.f32(PT_CURVATURE, lane.first + i);
      const isStraight = Math.abs(curvature) < STRAIGHT_PER_M;
      const units = isStraight ? Math.round(curvature * UNITS * lane.spacingM) : 0;
      view.setInt32(hint + HINT_UNITS, units, true);
      view.setUint16(hint + HINT_BLOCK, block + 1, true);
    }
  }
}
