import {
  B_CORNER,
  B_CORNERS,
  B_HAZARD,
  B_MAX_X,
  B_MAX_Y,
  B_MIN_X,
  B_MIN_Y,
  B_SOLID,
  BLOCK_BYTES,
  BLOCK_CORNERS_MAX,
  CAR_COUNT,
  CF_FROM,
  CF_TO,
  CONFLICT_BYTES,
  CONNECTOR_MAX,
  HAZARD_MAX,
  HAZARD_SPOT_BYTES,
  J_CYCLE,
  JUNCTION_BYTES,
  JUNCTION_MAX,
  L_CONFLICT_FIRST,
  L_CONFLICTS,
  L_CONNECTOR,
  L_GRADE,
  L_GRADE_FROM,
  L_GRADE_TO,
  L_HALF_WIDTH,
  L_JUNCTION,
  L_LENGTH,
  L_LIGHT,
  L_MUST_STOP,
  L_POINT_COUNT,
  L_POINT_FIRST,
  L_POINTS_PER_M,
  L_ROAD,
  L_SPACING,
  L_SPEED_LIMIT,
  L_YIELDS,
  L_ZONES,
  LANE_BYTES,
  LANE_MAX,
  LIGHT_BYTES,
  LIGHT_MAX,
  LT_AMBER,
  LT_GREEN,
  LT_GREEN_FROM,
  LT_JUNCTION,
  LT_RED_AMBER,
  PATH_POINT_BYTES,
  POINT_BYTES,
  RL_EXIT_SPEED,
  RL_LANE,
  ROUTE_LANE_BYTES,
  SLAB_ALIGN,
  T_BLOCK_COUNT,
  T_BLOCKS,
  T_CONFLICTS,
  T_GRID,
  T_GRID_BOXES,
  T_HAZARD_COUNT,
  T_HAZARDS,
  T_HEADER_BYTES,
  T_JUNCTION_COUNT,
  T_JUNCTIONS,
  T_LANE_COUNT,
  T_LANES,
  T_LIGHT_COUNT,
  T_LIGHTS,
  T_PATHS,
  T_POINTS,
  T_ROUTE_LANES,
  T_ROUTES,
  T_ZONE_COUNT,
  T_ZONES,
  Z_CORNER,
  Z_CORNERS,
  Z_FRICTION,
  Z_KIND,
  Z_MAX_X,
  Z_MAX_Y,
  Z_MIN_X,
  Z_MIN_Y,
  ZONE_BYTES,
  ZONE_DUSK,
  ZONE_FOG,
  ZONE_ICE,
  ZONE_MAX,
  ZONE_WET,
} from '../../../assembly/layout.ts';
import { at, boundsOf } from '../../city/geometry.ts';
import type { City, Lane, Point, Zone } from '../../city/types.ts';
import { isNearBounds } from '../hazards/ground.ts';
import {
  blockGridBytes,
  blockGridOf,
  gridBoxesBytes,
  writeBlockGrid,
  writeGridBoxes,
} from './block-grid.ts';
import { bodyBlocksOf, pathPointsOf, type SpottedBlock, writeHazards } from './hazard-table.ts';
import { type LaneProfile, profilesOf } from './lane-profile.ts';
import { type Obstruction, obstructionsOf, openViewsOf } from './open-view.ts';
import { exitSpeedsOf, speedsOf } from './speed-profile.ts';
import { straightRunsOf } from './straight-runs.ts';

const ROUTE_BYTES = 8;
/** Length of the slope before the conflict point of its spot. */
const SLOPE_M = 60;
const ZONE_KINDS: Readonly<Record<Zone['kind'], number>> = {
  ice: ZONE_ICE,
  wet: ZONE_WET,
  fog: ZONE_FOG,
  dusk: ZONE_DUSK,
};
/** Greatest distance of an axle of a car on the lane from the lane's centre line. */
const ZONE_REACH_M = 10;

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
  const { starts, end } = layOut({
    lanes: city.lanes.length * LANE_BYTES,
    points: profiles.reduce((count, { points }) => count + points.length, 0) * POINT_BYTES,
    junctions: city.junctions.length * JUNCTION_BYTES,
    routes: CAR_COUNT * ROUTE_BYTES,
    routeLanes: city.routes.flat().length * ROUTE_LANE_BYTES,
    blocks: blocks.length * BLOCK_BYTES,
    lights: city.lights.length * LIGHT_BYTES,
    hazards: city.hazards.length * HAZARD_SPOT_BYTES,
    zones: city.zones.length * ZONE_BYTES,
    conflicts: city.lanes.flatMap(zonesOf).length * CONFLICT_BYTES,
    paths: pathPointsOf(city) * PATH_POINT_BYTES,
    grid: blockGridBytes(grid),
    gridBoxes: gridBoxesBytes(grid),
  });
  const view = new DataView(new ArrayBuffer(end));
  writeHeader(view, city, blocks.length, starts);
  writeLanes(view, starts.lanes, city, profiles);
  writeConflicts(view, starts.conflicts, city);
  writePoints(view, starts.points, profiles, speeds, obstructionsOf(blocks));
  for (const [i, { cycleTicks }] of city.junctions.entries()) {
    view.setInt32(starts.junctions + i * JUNCTION_BYTES + J_CYCLE, cycleTicks, true);
  }
  writeRoutes(view, starts, city, exitSpeedsOf(city, profiles, speeds));
  for (const [i, zone] of city.zones.entries())
    writeZone(view, starts.zones + i * ZONE_BYTES, zone);
  for (const [i, each] of spotted.entries()) {
    writeBlock(view, starts.blocks + i * BLOCK_BYTES, each);
  }
  writeBlockGrid(view, starts.grid, grid);
  writeGridBoxes(view, starts.gridBoxes, grid, blocks);
  writeLights(view, starts.lights, city);
  writeHazards(view, starts.hazards, starts.paths, city);
  return view.buffer;
}

type Section =
  | 'lanes'
  | 'points'
  | 'junctions'
  | 'routes'
  | 'routeLanes'
  | 'blocks'
  | 'lights'
  | 'hazards'
  | 'zones'
  | 'conflicts'
  | 'paths'
  | 'grid'
  | 'gridBoxes';
type Starts = Record<Section, number>;

/** The offset of each section from its size, in the order of the argument. */
function layOut(sizes: Record<Section, number>): { starts: Starts; end: number } {
  const starts = { ...sizes };
  let end = T_HEADER_BYTES;
  for (const name of Object.keys(sizes) as Section[]) {
    starts[name] = end;
    end = Math.ceil((end + sizes[name]) / SLAB_ALIGN) * SLAB_ALIGN;
  }
  return { starts, end };
}

function writeHeader(view: DataView, city: City, blockCount: number, starts: Starts): void {
  const header: readonly (readonly [offset: number, value: number])[] = [
    [T_LANE_COUNT, city.lanes.length],
    [T_LANES, starts.lanes],
    [T_POINTS, starts.points],
    [T_JUNCTION_COUNT, city.junctions.length],
    [T_JUNCTIONS, starts.junctions],
    [T_ROUTES, starts.routes],
    [T_ROUTE_LANES, starts.routeLanes],
    [T_BLOCK_COUNT, blockCount],
    [T_BLOCKS, starts.blocks],
    [T_LIGHT_COUNT, city.lights.length],
    [T_LIGHTS, starts.lights],
    [T_HAZARD_COUNT, city.hazards.length],
    [T_HAZARDS, starts.hazards],
    [T_ZONE_COUNT, city.zones.length],
    [T_ZONES, starts.zones],
    [T_CONFLICTS, starts.conflicts],
    [T_PATHS, starts.paths],
    [T_GRID, starts.grid],
    [T_GRID_BOXES, starts.gridBoxes],
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
    const offset = start + i * LANE_BYTES;
    const { connector } = lane;
    view.setInt32(offset + L_POINT_FIRST, firstPoint, true);
    view.setInt32(offset + L_POINT_COUNT, profile.points.length, true);
    view.setInt32(offset + L_JUNCTION, lane.junction, true);
    view.setInt32(offset + L_CONNECTOR, connectorBits[i] ?? -1, true);
    const { conflicts = [], yieldsTo = [] } = connector ?? {};
    view.setUint32(offset + L_CONFLICTS, maskOf(lane, conflicts, connectorBits), true);
    view.setUint32(offset + L_YIELDS, maskOf(lane, yieldsTo, connectorBits), true);
    view.setUint32(offset + L_ZONES, zonesBeside(profile, city.zones), true);
    view.setInt32(offset + L_LIGHT, connector?.light ?? -1, true);
    view.setInt32(offset + L_CONFLICT_FIRST, firstConflict, true);
    view.setInt32(offset + L_ROAD, lane.road, true);
    view.setFloat64(offset + L_LENGTH, profile.lengthM, true);
    view.setFloat64(offset + L_SPACING, profile.spacingM, true);
    view.setFloat64(offset + L_POINTS_PER_M, 1 / profile.spacingM, true);
    view.setFloat64(offset + L_SPEED_LIMIT, lane.speedLimitMps, true);
    view.setFloat64(offset + L_HALF_WIDTH, lane.widthM / 2, true);
    view.setInt32(offset + L_MUST_STOP, connector?.mustStop ? 1 : 0, true);
    const slope = slopeOf(city, i, profiles);
    view.setFloat32(offset + L_GRADE, slope.grade, true);
    view.setFloat32(offset + L_GRADE_FROM, slope.fromM, true);
    view.setFloat32(offset + L_GRADE_TO, slope.toM, true);
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
    view.setFloat32(start + i * CONFLICT_BYTES + CF_FROM, fromM, true);
    view.setFloat32(start + i * CONFLICT_BYTES + CF_TO, toM, true);
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

function writePoints(
  view: DataView,
  start: number,
  profiles: readonly LaneProfile[],
  speeds: readonly (readonly number[])[],
  obstructions: readonly Obstruction[],
): void {
  let offset = start;
  for (const [lane, profile] of profiles.entries()) {
    const columns = [speeds[lane], straightRunsOf(profile), openViewsOf(profile, obstructions)];
    for (const [i, { position, tangent, curvature }] of profile.points.entries()) {
      const fields = [...position, ...tangent, curvature, ...columns.map((each) => each?.[i] ?? 0)];
      for (const [field, value] of fields.entries()) {
        view.setFloat32(offset + field * 4, value, true);
      }
      offset += POINT_BYTES;
    }
  }
}

function writeRoutes(
  view: DataView,
  starts: Starts,
  city: City,
  exitSpeeds: readonly (readonly number[])[],
): void {
  let entry = 0;
  for (const [car, route] of city.routes.entries()) {
    view.setInt32(starts.routes + car * ROUTE_BYTES, entry, true);
    view.setInt32(starts.routes + car * ROUTE_BYTES + 4, route.length, true);
    for (const [i, lane] of route.entries()) {
      const offset = starts.routeLanes + entry * ROUTE_LANE_BYTES;
      view.setInt32(offset + RL_LANE, lane, true);
      view.setFloat32(offset + RL_EXIT_SPEED, exitSpeeds[car]?.[i] ?? 0, true);
      entry += 1;
    }
  }
}

function writeBlock(view: DataView, start: number, { block, spot }: SpottedBlock): void {
  const { polygon, solid } = block;
  writeBounds(view, [start + B_MIN_X, start + B_MIN_Y, start + B_MAX_X, start + B_MAX_Y], polygon);
  view.setInt32(start + B_CORNERS, polygon.length, true);
  view.setInt32(start + B_SOLID, solid ? 1 : 0, true);
  view.setInt32(start + B_HAZARD, spot, true);
  writeCorners(view, start + B_CORNER, polygon);
}

function writeZone(view: DataView, start: number, { kind, polygon, friction }: Zone): void {
  writeBounds(view, [start + Z_MIN_X, start + Z_MIN_Y, start + Z_MAX_X, start + Z_MAX_Y], polygon);
  view.setInt32(start + Z_CORNERS, polygon.length, true);
  view.setInt32(start + Z_KIND, ZONE_KINDS[kind], true);
  writeCorners(view, start + Z_CORNER, polygon);
  view.setFloat64(start + Z_FRICTION, friction, true);
}

function writeBounds(view: DataView, offsets: readonly number[], polygon: readonly Point[]): void {
  const { minX, minY, maxX, maxY } = boundsOf(polygon);
  for (const [i, value] of [minX, minY, maxX, maxY].entries()) {
    view.setFloat64(at(offsets, i), value, true);
  }
}

function writeCorners(view: DataView, start: number, polygon: readonly Point[]): void {
  for (const [i, value] of polygon.flat().entries()) view.setFloat64(start + i * 8, value, true);
}

function writeLights(view: DataView, start: number, city: City): void {
  for (const [i, light] of city.lights.entries()) {
    const offset = start + i * LIGHT_BYTES;
    view.setInt32(offset + LT_JUNCTION, light.junction, true);
    view.setInt32(offset + LT_GREEN_FROM, light.greenFromTick, true);
    view.setInt32(offset + LT_GREEN, light.greenTicks, true);
    view.setInt32(offset + LT_AMBER, light.amberTicks, true);
    view.setInt32(offset + LT_RED_AMBER, light.redAmberTicks, true);
  }
}

function checkLimits(city: City): void {
  const connectorCounts = city.junctions.map(
    (_, junction) => city.lanes.filter((lane) => lane.junction === junction).length,
  );
  atMost('junctions', city.junctions.length, JUNCTION_MAX);
  atMost('lanes', city.lanes.length, LANE_MAX);
  atMost('lights', city.lights.length, LIGHT_MAX);
  atMost('hazard spots', city.hazards.length, HAZARD_MAX);
  atMost('connectors of a junction', Math.max(0, ...connectorCounts), CONNECTOR_MAX);
  atMost('zones', city.zones.length, ZONE_MAX);
  for (const { id, polygon } of city.zones) {
    atMost(`corners of zone ${id}`, polygon.length, BLOCK_CORNERS_MAX);
  }
  for (const { id, polygon } of city.blocks) {
    atMost(`corners of block ${id}`, polygon.length, BLOCK_CORNERS_MAX);
  }
  if (city.routes.length !== CAR_COUNT || city.routes.some((route) => route.length === 0)) {
    throw new RangeError(`a city needs ${CAR_COUNT} routes with lanes`);
  }
  const unknown = city.routes.flat().find((lane) => !(lane in city.lanes));
  if (unknown !== undefined)
    throw new RangeError(`a route uses lane ${unknown}, which does not exist`);
}

function atMost(what: string, count: number, max: number): void {
  if (count > max) throw new RangeError(`${count} ${what} where the kernel takes ${max}`);
}
