import * as layout from '../../../assembly/layout.ts';
import { boundsOf, distance } from '../geometry.ts';
import { gridColumns, polygonColumns, polygonsOf } from './block-columns.ts';
import { obstructionsOf } from './open-view.ts';
import {
  type LaneOfPoints,
  openViewColumns,
  POINT_HINT_BYTES,
  pointColumns,
  writePointHints,
} from './point-columns.ts';
import { type Column, Records, Sections } from './records.ts';
import { roadsideColumns } from './roadside-columns.ts';

const BLOCK = { count: layout.B_CORNERS, corner: layout.B_CORNER, minX: layout.B_MIN_X };
const ZONE = { count: layout.Z_CORNERS, corner: layout.Z_CORNER, minX: layout.Z_MIN_X };
/** Records of which nothing follows from others. */
const PLAIN = [
  [layout.T_JUNCTIONS, layout.JUNCTION_BYTES],
  [layout.T_ROUTES, 8],
  [layout.T_ROUTE_LANES, layout.ROUTE_LANE_BYTES],
  [layout.T_LIGHTS, layout.LIGHT_BYTES],
  [layout.T_HAZARDS, layout.HAZARD_SPOT_BYTES],
] as const;

/** Room for the hints of a table, however many points it has. */
export const hintBytesMax = (tableBytes: number): number =>
  Math.ceil(tableBytes / layout.POINT_BYTES) * POINT_HINT_BYTES;

/**
 * Every number of a table, in an order in which most of them follow from earlier ones. A reader has to fill
 * each column in before it asks for the next one.
 *
 * @param view the table, and behind it room for the hints
 */
export function* columnsOf(view: DataView, tableBytes: number): Generator<Column> {
  yield* new Records(view, { start: 0, end: layout.T_HEADER_BYTES }, 4).words();
  const table = new Sections(view, tableBytes);
  yield* laneColumns(table.records(layout.T_LANES, layout.LANE_BYTES));
  const lanes = lanesOf(table);
  const { points, hints } = pointsOf(table, tableBytes);
  const profiles = yield* pointColumns(points, hints, lanes);

  const blocks = table.records(layout.T_BLOCKS, layout.BLOCK_BYTES);
  yield* blocks.columns('i32', [layout.B_SOLID, layout.B_HAZARD, layout.B_HAZARD + 4]);
  yield* polygonColumns(blocks, BLOCK);
  const polygons = polygonsOf(blocks, BLOCK);
  yield* openViewColumns(points, hints, profiles, polygons);
  yield* gridColumns(table, polygons.map(boundsOf));
  yield* roadsideColumns(table.records(layout.T_ROADSIDE, layout.ROADSIDE_BYTES), points, lanes);

  const zones = table.records(layout.T_ZONES, layout.ZONE_BYTES);
  yield* zones.columns('i32', [layout.Z_KIND, layout.Z_SPOT, layout.Z_SPOT + 4]);
  yield* zones.columns('f64', [layout.Z_FRICTION]);
  yield* polygonColumns(zones, ZONE);
  yield* pathColumns(table.records(layout.T_PATHS, layout.PATH_POINT_BYTES));
  const conflicts = table.records(layout.T_CONFLICTS, layout.CONFLICT_BYTES);
  yield* conflicts.columns('f32', [layout.CF_FROM, layout.CF_TO]);
  for (const [field, bytes] of PLAIN) yield* table.records(field, bytes).words();
}

/** Adds the hints to a complete table. */
export function writeHints(view: DataView, tableBytes: number): void {
  const table = new Sections(view, tableBytes);
  const { points, hintsStart } = pointsOf(table, tableBytes);
  const blocks = table.records(layout.T_BLOCKS, layout.BLOCK_BYTES);
  const obstructions = obstructionsOf(
    polygonsOf(blocks, BLOCK).map((polygon, i) => ({
      polygon,
      solid: blocks.i32(layout.B_SOLID, i) !== 0,
    })),
  );
  writePointHints(view, hintsStart, points, lanesOf(table), obstructions);
}

function pointsOf(table: Sections, tableBytes: number) {
  const points = table.records(layout.T_POINTS, layout.POINT_BYTES);
  const behind = { start: tableBytes, end: tableBytes + points.count * POINT_HINT_BYTES };
  return {
    points,
    hints: new Records(table.view, behind, POINT_HINT_BYTES),
    hintsStart: tableBytes,
  };
}

function lanesOf(table: Sections): LaneOfPoints[] {
  const lanes = table.records(layout.T_LANES, layout.LANE_BYTES);
  return Array.from({ length: table.view.getInt32(layout.T_LANE_COUNT, true) }, (_, i) => ({
    first: lanes.i32(layout.L_POINT_FIRST, i),
    count: lanes.i32(layout.L_POINT_COUNT, i),
    spacingM: lanes.f64(layout.L_SPACING, i),
    halfWidthM: lanes.f64(layout.L_HALF_WIDTH, i),
    speedLimitMps: lanes.f64(layout.L_SPEED_LIMIT, i),
  }));
}

function* laneColumns(lanes: Records): Generator<Column> {
  const int = (field: number, i: number) => lanes.i32(field, i);
  const float = (field: number, i: number) => lanes.f64(field, i);
  yield lanes.column('i32', layout.L_POINT_COUNT);
  yield lanes.column('i32', layout.L_POINT_FIRST, (i) => {
    return int(layout.L_POINT_FIRST, i - 1) + int(layout.L_POINT_COUNT, i - 1);
  });
  yield* lanes.columns('i32', [layout.L_JUNCTION, layout.L_CONNECTOR, layout.L_LIGHT]);
  yield* lanes.columns('i32', [layout.L_CONFLICTS, layout.L_YIELDS, layout.L_ROAD]);
  yield lanes.column('i32', layout.L_CONFLICT_FIRST, (i) => {
    return int(layout.L_CONFLICT_FIRST, i - 1) + bitCount(int(layout.L_CONFLICTS, i - 1));
  });
  yield* lanes.columns('i32', [layout.L_ZONES, layout.L_MUST_STOP]);
  yield* lanes.columns('f64', [layout.L_LENGTH, layout.L_SPEED_LIMIT, layout.L_HALF_WIDTH]);
  yield lanes.column('f64', layout.L_SPACING, (i) => {
    return float(layout.L_LENGTH, i) / (int(layout.L_POINT_COUNT, i) - 1);
  });
  yield lanes.column('f64', layout.L_POINTS_PER_M, (i) => 1 / float(layout.L_SPACING, i));
  yield* lanes.columns('f32', [layout.L_GRADE, layout.L_GRADE_FROM, layout.L_GRADE_TO]);
  yield* lanes.columns('f32', [layout.L_SLIP_FROM, layout.L_SLIP_TO]);
  yield* lanes.columns('f32', [layout.L_ZONE_FROM, layout.L_ZONE_TO]);
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** The ways of the actors, one behind the other: each begins at station 0. */
function* pathColumns(points: Records): Generator<Column> {
  const get = (field: number, i: number) => points.f64(field, i);
  for (const field of [layout.PP_X, layout.PP_Y]) {
    yield points.column('f64', field, (i) => 2 * get(field, i - 1) - get(field, i - 2));
  }
  const pointAt = (i: number) => [get(layout.PP_X, i), get(layout.PP_Y, i)] as const;
  yield points.column('f64', layout.PP_STATION, (i) => {
    return get(layout.PP_STATION, i - 1) + distance(pointAt(i - 1), pointAt(i));
  });
}
