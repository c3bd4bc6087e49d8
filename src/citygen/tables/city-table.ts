import * as layout from '../../../assembly/layout.ts';
import { at, boundsOf } from '../../city/geometry.ts';
import { type LaneProfile, profilesOf } from '../../city/table/lane-profile.ts';
import { type Obstruction, obstructionsOf, openViewsOf } from '../../city/table/open-view.ts';
import { exitSpeedsOf, speedsOf } from '../../city/table/speed-profile.ts';
import { straightRunsOf } from '../../city/table/straight-runs.ts';
import type { Box, City, Lane, Zone } from '../../city/types.ts';
import { isNearBounds } from '../geometry.ts';
import {
  type BlockGrid,
  blockGridBytes,
  blockGridOf,
  gridBoxesBytes,
  writeBlockGrid,
  writeGridBoxes,
} from './block-grid.ts';
import { bodyBlocksOf, pathPointsOf, type SpottedBlock, writeHazards } from './hazard-table.ts';
import { roadsidePlacesOf, writeRoadside } from './roadside.ts';

const ROUTE_BYTES = 8;
/** Length of the slope before the conflict point of its spot. */
const SLOPE_M = 60;
const ZONE_KINDS: Readonly<Record<Zone['kind'], number>> = {
  ice: layout.ZONE_ICE,
  wet: layout.ZONE_WET,
  fog: layout.ZONE_FOG,
  dusk: layout.ZONE_DUSK,
};
/** Greatest distance of an axle of a car on the lane from the lane's centre line. */
const ZONE_REACH_M = 10;
/**
 * The same for any point of a car within `ZONE_OFFSET_M` of it, whose station may be two ticks old, and how
 * much of the lane counts in addition.
 */
const PART_REACH_M = layout.ZONE_OFFSET_M + 7;
const PART_SPARE_M = 5;

/**
 * The city as the binary table that the kernel reads: see T_ in `assembly/layout.ts`.
 * Little-endian, sections aligned to `SLAB_ALIGN`.
 *
 * @throws RangeError if the city exceeds a limit of the memory map or is inconsistent
 */
export function packCity(city: City): ArrayBuffer {
  checkLimits(city);
  const profiles = profilesOf(city);
  const speeds = profiles.map((profile, i) => speedsOf(profile, at(city.lanes, i).speedLimitMps));
  const spotted = [...city.blocks.map((block) => ({ block, spot: -1 })), ...bodyBlocksOf(city)];
  const blocks = spotted.map(({ block }) => block);
  const grid = blockGridOf(blocks);
  const roadside = roadsidePlacesOf(city, profiles, blocks);
  const sizes = sizesOf(city, profiles, blocks.length, grid);
  const { starts, end } = layOut({ ...sizes, roadside: roadside.length * layout.ROADSIDE_BYTES });
  const view = new DataView(new ArrayBuffer(end));
  writeHeader(view, city, blocks.length, starts);
  const refuges = roadside.filter(({ isRefuge }) => isRefuge);
  view.setInt32(layout.T_ROADSIDE_COUNT, roadside.length - refuges.length, true);
  view.setInt32(layout.T_REFUGE_COUNT, refuges.length, true);
  writeLanes(view, starts.lanes, city, profiles);
  writeConflicts(view, starts.conflicts, city);
  writePoints(view, starts.points, profiles, speeds, obstructionsOf(blocks));
  for (const [i, { cycleTicks }] of city.junctions.entries()) {
    view.setInt32(starts.junctions + i * layout.JUNCTION_BYTES + layout.J_CYCLE, cycleTicks, true);
  }
  writeRoutes(view, starts, city, exitSpeedsOf(city, profiles, speeds));
  for (const [i, zone] of city.zones.entries()) {
    writeZone(view, starts.zones + i * layout.ZONE_BYTES, zone);
  }
  for (const [i, each] of spotted.entries()) {
    writeBlock(view, starts.blocks + i * layout.BLOCK_BYTES, each);
  }
  writeBlockGrid(view, starts.grid, grid);
  writeGridBoxes(view, starts.gridBoxes, grid, blocks);
  writeLights(view, starts.lights, city);
  writeHazards(view, starts.hazards, starts.paths, city);
  writeRoadside(view, starts.roadside, roadside);
  return view.buffer;
}

/** Bytes of each section, in their order in the table. */
const sizesOf = (
  city: City,
  profiles: readonly LaneProfile[],
  blockCount: number,
  grid: BlockGrid,
) => ({
  lanes: city.lanes.length * layout.LANE_BYTES,
  points: profiles.reduce((count, { points }) => count + points.length, 0) * layout.POINT_BYTES,
  junctions: city.junctions.length * layout.JUNCTION_BYTES,
  routes: layout.CAR_COUNT * ROUTE_BYTES,
  routeLanes: city.routes.flat().length * layout.ROUTE_LANE_BYTES,
  blocks: blockCount * layout.BLOCK_BYTES,
  lights: city.lights.length * layout.LIGHT_BYTES,
  hazards: city.hazards.length * layout.HAZARD_SPOT_BYTES,
  zones: city.zones.length * layout.ZONE_BYTES,
  conflicts: city.lanes.flatMap(zonesOf).length * layout.CONFLICT_BYTES,
  paths: pathPointsOf(city) * layout.PATH_POINT_BYTES,
  grid: blockGridBytes(grid),
  gridBoxes: gridBoxesBytes(grid),
});

type Sections = ReturnType<typeof sizesOf> & { roadside: number };

/** The offset of each section, and where the last one ends. */
function layOut(sizes: Sections): { starts: Sections; end: number } {
  const starts = { ...sizes };
  let end = layout.T_HEADER_BYTES;
  for (const name of Object.keys(sizes) as (keyof Sections)[]) {
    starts[name] = end;
    end = Math.ceil((end + sizes[name]) / layout.SLAB_ALIGN) * layout.SLAB_ALIGN;
  }
  return { starts, end };
}

function writeHeader(view: DataView, city: City, blockCount: number, starts: Sections): void {
  const header: readonly (readonly [offset: number, value: number])[] = [
    [layout.T_LANE_COUNT, city.lanes.length],
    [layout.T_LANES, starts.lanes],
    [layout.T_POINTS, starts.points],
    [layout.T_JUNCTION_COUNT, city.junctions.length],
    [layout.T_JUNCTIONS, starts.junctions],
    [layout.T_ROUTES, starts.routes],
    [layout.T_ROUTE_LANES, starts.routeLanes],
    [layout.T_BLOCK_COUNT, blockCount],
    [layout.T_BLOCKS, starts.blocks],
    [layout.T_LIGHT_COUNT, city.lights.length],
    [layout.T_LIGHTS, starts.lights],
    [layout.T_HAZARD_COUNT, city.hazards.length],
    [layout.T_HAZARDS, starts.hazards],
    [layout.T_ZONE_COUNT, city.zones.length],
    [layout.T_ZONES, starts.zones],
    [layout.T_CONFLICTS, starts.conflicts],
    [layout.T_PATHS, starts.paths],
    [layout.T_GRID, starts.grid],
    [layout.T_GRID_BOXES, starts.gridBoxes],
    [layout.T_ROADSIDE, starts.roadside],
  ];
  for (const [offset, value] of header) view.setInt32(offset, value, true);
}

function writeLanes(
  view: DataView,
  start: number,
  city: City,
  profiles: readonly LaneProfile[],
): void {
  const connectorBits = connectorBitsOf(city);
  let firstPoint = 0;
  let firstConflict = 0;
  for (const [i, profile] of profiles.entries()) {
    const lane = at(city.lanes, i);
    const offset = start + i * layout.LANE_BYTES;
    const { connector } = lane;
    view.setInt32(offset + layout.L_POINT_FIRST, firstPoint, true);
    view.setInt32(offset + layout.L_POINT_COUNT, profile.points.length, true);
    view.setInt32(offset + layout.L_JUNCTION, lane.junction, true);
    view.setInt32(offset + layout.L_CONNECTOR, connectorBits[i] ?? -1, true);
    const { conflicts = [], yieldsTo = [] } = connector ?? {};
    view.setUint32(offset + layout.L_CONFLICTS, maskOf(lane, conflicts, connectorBits), true);
    view.setUint32(offset + layout.L_YIELDS, maskOf(lane, yieldsTo, connectorBits), true);
    view.setUint32(offset + layout.L_ZONES, zonesBeside(profile, city.zones), true);
    const slippery = city.zones.filter(({ friction }) => friction < layout.DRY_FRICTION);
    writeRange(view, offset + layout.L_SLIP_FROM, partInReach(profile, slippery));
    writeRange(view, offset + layout.L_ZONE_FROM, partInReach(profile, city.zones));
    view.setInt32(offset + layout.L_LIGHT, connector?.light ?? -1, true);
    view.setInt32(offset + layout.L_CONFLICT_FIRST, firstConflict, true);
    view.setInt32(offset + layout.L_ROAD, lane.road, true);
    view.setFloat64(offset + layout.L_LENGTH, profile.lengthM, true);
    view.setFloat64(offset + layout.L_SPACING, profile.spacingM, true);
    view.setFloat64(offset + layout.L_POINTS_PER_M, 1 / profile.spacingM, true);
    view.setFloat64(offset + layout.L_SPEED_LIMIT, lane.speedLimitMps, true);
    view.setFloat64(offset + layout.L_HALF_WIDTH, lane.widthM / 2, true);
    view.setInt32(offset + layout.L_MUST_STOP, connector?.mustStop ? 1 : 0, true);
    const slope = slopeOf(city, i, profiles);
    view.setFloat32(offset + layout.L_GRADE, slope.grade, true);
    view.setFloat32(offset + layout.L_GRADE_FROM, slope.fromM, true);
    view.setFloat32(offset + layout.L_GRADE_TO, slope.toM, true);
    firstPoint += profile.points.length;
    firstConflict += conflicts.length;
  }
}

const LEVEL = { grade: 0, fromM: 0, toM: 0 };

/** The sloping part of a lane: before the conflict point of a spot on a slope. */
function slopeOf({ hazards }: City, lane: number, profiles: readonly LaneProfile[]): typeof LEVEL {
  for (const { site } of hazards) {
    const place = site.lanes.indexOf(lane);
    if (site.grade === 0 || place < 0) continue;
    const lengthM = profiles[lane]?.lengthM ?? 0;
    const betweenM = site.lanes
      .slice(place, -1)
      .reduce((sumM, each) => sumM + (profiles[each]?.lengthM ?? 0), 0);
    const conflictM = betweenM + site.stationM;
    const [fromM, toM] = [conflictM - SLOPE_M, Math.min(conflictM, lengthM)];
    if (toM > fromM) return { grade: site.grade, fromM, toM };
  }
  return LEVEL;
}

function writeConflicts(view: DataView, start: number, city: City): void {
  for (const [i, { fromM, toM }] of city.lanes.flatMap(zonesOf).entries()) {
    view.setFloat32(start + i * layout.CONFLICT_BYTES + layout.CF_FROM, fromM, true);
    view.setFloat32(start + i * layout.CONFLICT_BYTES + layout.CF_TO, toM, true);
  }
}

/** In ascending order of the other lane, as the bits of conflicts are. */
const zonesOf = ({ connector }: Lane) => connector?.conflictZones ?? [];

/** The number of each connector within its junction; −1 for lanes of roads. */
function connectorBitsOf(city: City): number[] {
  const counts = city.junctions.map(() => 0);
  return city.lanes.map(({ junction }) => {
    const bit = counts[junction];
    if (bit === undefined) return -1;
    counts[junction] = bit + 1;
    return bit;
  });
}

/** The bits of connectors of the lane's junction. */
function maskOf({ id }: Lane, others: readonly number[], connectorBits: readonly number[]): number {
  let mask = 0;
  for (const other of others) {
    const bit = connectorBits[other] ?? -1;
    if (bit < 0) throw new RangeError(`lane ${id} conflicts with ${other}, which is no connector`);
    mask |= 1 << bit;
  }
  return mask >>> 0;
}

/** Bit i: zone i is within `ZONE_REACH_M` of the lane. */
function zonesBeside({ points }: LaneProfile, zones: readonly Zone[]): number {
  let mask = 0;
  for (const [i, { polygon }] of zones.entries()) {
    const box = boundsOf(polygon);
    if (points.some(({ position }) => isNearBounds(position, box, ZONE_REACH_M))) mask |= 1 << i;
  }
  return mask >>> 0;
}

interface Range {
  fromM: number;
  toM: number;
}

/** The part of the lane beside which a car can be in one of some zones, with all of its body. */
function partInReach({ points, spacingM }: LaneProfile, zones: readonly Zone[]): Range {
  const boxes = zones.map(({ polygon }) => boundsOf(polygon));
  const isNear = ({ position }: LaneProfile['points'][number]) =>
    boxes.some((box) => isNearBounds(position, box, PART_REACH_M));
  const first = points.findIndex(isNear);
  if (first < 0) return { fromM: -1, toM: -1 };
  const spareM = spacingM + PART_SPARE_M;
  return {
    fromM: first * spacingM - spareM,
    toM: points.findLastIndex(isNear) * spacingM + spareM,
  };
}

function writeRange(view: DataView, offset: number, { fromM, toM }: Range): void {
  view.setFloat32(offset, fromM, true);
  view.setFloat32(offset + 4, toM, true);
}

function writePoints(
  view: DataView,
  start: number,
  profiles: readonly LaneProfile[],
  speeds: readonly (readonly number[])[],
  obstructions: readonly Obstruction[],
): void {
  let offset = start;
  for (const [lane, profile] of profiles.entries()) {
    const views = openViewsOf(profile, obstructions).map(({ lengthM }) => lengthM);
    const columns = [speeds[lane], straightRunsOf(profile), views];
    for (const [i, { position, tangent, curvature }] of profile.points.entries()) {
      const fields = [...position, ...tangent, curvature, ...columns.map((each) => each?.[i] ?? 0)];
      for (const [field, value] of fields.entries()) {
        view.setFloat32(offset + field * 4, value, true);
      }
      offset += layout.POINT_BYTES;
    }
  }
}

function writeRoutes(
  view: DataView,
  starts: Sections,
  city: City,
  exitSpeeds: readonly (readonly number[])[],
): void {
  let entry = 0;
  for (const [car, route] of city.routes.entries()) {
    view.setInt32(starts.routes + car * ROUTE_BYTES, entry, true);
    view.setInt32(starts.routes + car * ROUTE_BYTES + 4, route.length, true);
    for (const [i, lane] of route.entries()) {
      const offset = starts.routeLanes + entry * layout.ROUTE_LANE_BYTES;
      view.setInt32(offset + layout.RL_LANE, lane, true);
      view.setFloat32(offset + layout.RL_EXIT_SPEED, exitSpeeds[car]?.[i] ?? 0, true);
      entry += 1;
    }
  }
}

function writeBlock(view: DataView, start: number, { block, spot }: SpottedBlock): void {
  const { polygon, solid } = block;
  writeFloats(view, start + layout.B_MIN_X, cornersOf(boundsOf(polygon)));
  view.setInt32(start + layout.B_CORNERS, polygon.length, true);
  view.setInt32(start + layout.B_SOLID, solid ? 1 : 0, true);
  view.setInt32(start + layout.B_HAZARD, spot, true);
  writeFloats(view, start + layout.B_CORNER, polygon.flat());
}

function writeZone(view: DataView, start: number, zone: Zone): void {
  const { kind, polygon, friction, spot = -1 } = zone;
  writeFloats(view, start + layout.Z_MIN_X, cornersOf(boundsOf(polygon)));
  view.setInt32(start + layout.Z_CORNERS, polygon.length, true);
  view.setInt32(start + layout.Z_KIND, ZONE_KINDS[kind], true);
  writeFloats(view, start + layout.Z_CORNER, polygon.flat());
  view.setFloat64(start + layout.Z_FRICTION, friction, true);
  view.setInt32(start + layout.Z_SPOT, spot, true);
}

/** Minima, then maxima, as the memory map has them. */
const cornersOf = ({ minX, minY, maxX, maxY }: Box): number[] => [minX, minY, maxX, maxY];

function writeFloats(view: DataView, start: number, values: readonly number[]): void {
  for (const [i, value] of values.entries()) view.setFloat64(start + i * 8, value, true);
}

function writeLights(view: DataView, start: number, city: City): void {
  for (const [i, light] of city.lights.entries()) {
    const offset = start + i * layout.LIGHT_BYTES;
    view.setInt32(offset + layout.LT_JUNCTION, light.junction, true);
    view.setInt32(offset + layout.LT_GREEN_FROM, light.greenFromTick, true);
    view.setInt32(offset + layout.LT_GREEN, light.greenTicks, true);
    view.setInt32(offset + layout.LT_AMBER, light.amberTicks, true);
    view.setInt32(offset + layout.LT_RED_AMBER, light.redAmberTicks, true);
  }
}

function checkLimits(city: City): void {
  const connectorCounts = city.junctions.map(
    (_, junction) => city.lanes.filter((lane) => lane.junction === junction).length,
  );
  atMost('junctions', city.junctions.length, layout.JUNCTION_MAX);
  atMost('lanes', city.lanes.length, layout.LANE_MAX);
  atMost('lights', city.lights.length, layout.LIGHT_MAX);
  atMost('hazard spots', city.hazards.length, layout.HAZARD_MAX);
  atMost('connectors of a junction', Math.max(0, ...connectorCounts), layout.CONNECTOR_MAX);
  atMost('zones', city.zones.length, layout.ZONE_MAX);
  for (const { id, polygon } of [...city.zones, ...city.blocks]) {
    atMost(`corners of ${id}`, polygon.length, layout.BLOCK_CORNERS_MAX);
  }
  if (city.routes.length !== layout.CAR_COUNT || city.routes.some((route) => route.length === 0)) {
    throw new RangeError(`a city needs ${layout.CAR_COUNT} routes with lanes`);
  }
  const unknown = city.routes.flat().find((lane) => !(lane in city.lanes));
  if (unknown !== undefined) throw new RangeError(`no lane ${unknown}, which a route uses`);
}

function atMost(what: string, count: number, max: number): void {
  if (count > max) throw new RangeError(`${count} ${what} where the kernel takes ${max}`);
}
