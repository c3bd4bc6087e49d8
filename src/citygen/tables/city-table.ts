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
import type { City, Lane, Zone } from '../../city/types.ts';
import {
  blockGridBytes,
  blockGridOf,
  boxOf,
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
/** A slope begins so far before the conflict point of its spot, m. */
const SLOPE_M = 60;
const ZONE_KINDS: Readonly<Record<Zone['kind'], number>> = {
  ice: ZONE_ICE,
  wet: ZONE_WET,
  fog: ZONE_FOG,
  dusk: ZONE_DUSK,
};
/** A car on the lane may have an axle so far from the lane's centre line, m. */
const ZONE_REACH_M = 10;

/**
 * The city as the kernel reads it: the binary table that `assembly/layout.ts` describes, sections
 * aligned to `SLAB_ALIGN`, little-endian as WebAssembly is.
 *
 * @throws RangeError where the city exceeds a limit of the memory map or contradicts itself
 */
export function packCity(city: City): ArrayBuffer {
  checkLimits(city);
  const profiles = profilesOf(city);
  const speeds = profiles.map((profile, i) => speedsOf(profile, laneOf(city, i).speedLimitMps));
  const pointCount = profiles.reduce((count, { points }) => count + points.length, 0);
  const routeLanes = city.routes.flat();

  let end = T_HEADER_BYTES;
  const section = (bytes: number): number => {
    const start = end;
    end = Math.ceil((start + bytes) / SLAB_ALIGN) * SLAB_ALIGN;
    return start;
  };
  const lanes = section(city.lanes.length * LANE_BYTES);
  const points = section(pointCount * POINT_BYTES);
  const junctions = section(city.junctions.length * JUNCTION_BYTES);
  const routes = section(CAR_COUNT * ROUTE_BYTES);
  const routeLaneList = section(routeLanes.length * ROUTE_LANE_BYTES);
  const spotted = [...city.blocks.map((block) => ({ block, spot: -1 })), ...bodyBlocksOf(city)];
  const allBlocks = spotted.map(({ block }) => block);
  const blocks = section(allBlocks.length * BLOCK_BYTES);
  const lights = section(city.lights.length * LIGHT_BYTES);
  const hazards = section(city.hazards.length * HAZARD_SPOT_BYTES);
  const zones = section(city.zones.length * ZONE_BYTES);
  const conflicts = section(city.lanes.flatMap(zonesOf).length * CONFLICT_BYTES);
  const paths = section(pathPointsOf(city) * PATH_POINT_BYTES);
  const grid = blockGridOf(allBlocks);
  const gridStart = section(blockGridBytes(grid));
  const gridBoxes = section(gridBoxesBytes(grid));

  const view = new DataView(new ArrayBuffer(end));
  const header: readonly (readonly [offset: number, value: number])[] = [
    [T_LANE_COUNT, city.lanes.length],
    [T_LANES, lanes],
    [T_POINTS, points],
    [T_JUNCTION_COUNT, city.junctions.length],
    [T_JUNCTIONS, junctions],
    [T_ROUTES, routes],
    [T_ROUTE_LANES, routeLaneList],
    [T_BLOCK_COUNT, allBlocks.length],
    [T_BLOCKS, blocks],
    [T_LIGHT_COUNT, city.lights.length],
    [T_LIGHTS, lights],
    [T_HAZARD_COUNT, city.hazards.length],
    [T_HAZARDS, hazards],
    [T_ZONE_COUNT, city.zones.length],
    [T_ZONES, zones],
    [T_CONFLICTS, conflicts],
    [T_PATHS, paths],
    [T_GRID, gridStart],
    [T_GRID_BOXES, gridBoxes],
  ];
  for (const [offset, value] of header) view.setInt32(offset, value, true);
  writeLanes(view, lanes, city, profiles);
  writeConflicts(view, conflicts, city);
  writePoints(view, points, profiles, speeds, obstructionsOf(allBlocks));
  for (const [i, { cycleTicks }] of city.junctions.entries()) {
    view.setInt32(junctions + i * JUNCTION_BYTES + J_CYCLE, cycleTicks, true);
  }
  writeRoutes(view, routes, routeLaneList, city, exitSpeedsOf(city, profiles, speeds));
  for (const [i, zone] of city.zones.entries()) writeZone(view, zones + i * ZONE_BYTES, zone);
  for (const [i, block] of spotted.entries()) writeBlock(view, blocks + i * BLOCK_BYTES, block);
  writeBlockGrid(view, gridStart, grid);
  writeGridBoxes(view, gridBoxes, grid, allBlocks);
  writeLights(view, lights, city);
  writeHazards(view, hazards, paths, city, HAZARD_SPOT_BYTES);
  return view.buffer;
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
    const lane = laneOf(city, i);
    const at = start + i * LANE_BYTES;
    const { connector } = lane;
    view.setInt32(at + L_POINT_FIRST, firstPoint, true);
    view.setInt32(at + L_POINT_COUNT, profile.points.length, true);
    view.setInt32(at + L_JUNCTION, lane.junction, true);
    view.setInt32(at + L_CONNECTOR, connectorBits[i] ?? -1, true);
    const { conflicts = [], yieldsTo = [] } = connector ?? {};
    view.setUint32(at + L_CONFLICTS, maskOf(lane, conflicts, connectorBits), true);
    view.setUint32(at + L_YIELDS, maskOf(lane, yieldsTo, connectorBits), true);
    view.setUint32(at + L_ZONES, zonesBeside(profile, city.zones), true);
    view.setInt32(at + L_LIGHT, connector?.light ?? -1, true);
    view.setInt32(at + L_CONFLICT_FIRST, firstConflict, true);
    view.setInt32(at + L_ROAD, lane.road, true);
    view.setFloat64(at + L_LENGTH, profile.lengthM, true);
    view.setFloat64(at + L_SPACING, profile.spacingM, true);
    view.setFloat64(at + L_POINTS_PER_M, 1 / profile.spacingM, true);
    view.setFloat64(at + L_SPEED_LIMIT, lane.speedLimitMps, true);
    view.setFloat64(at + L_HALF_WIDTH, lane.widthM / 2, true);
    view.setInt32(at + L_MUST_STOP, connector?.mustStop ? 1 : 0, true);
    const slope = slopeOf(city, i, profiles);
    view.setFloat32(at + L_GRADE, slope.grade, true);
    view.setFloat32(at + L_GRADE_FROM, slope.fromM, true);
    view.setFloat32(at + L_GRADE_TO, slope.toM, true);
    firstPoint += profile.points.length;
    firstConflict += conflicts.length;
  }
}

const LEVEL = { grade: 0, fromM: 0, toM: 0 };

/** The part of a lane that is not level: before the conflict point of a spot that lies on a slope. */
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

/** Conflicts have their bits in ascending order of lanes, so their zones have too. */
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

function laneOf(city: City, index: number): Lane {
  const lane = city.lanes[index];
  if (!lane) throw new RangeError(`no lane ${index}`);
  return lane;
}

/** The bits of some connectors of the lane's junction. */
function maskOf({ id }: Lane, others: readonly number[], connectorBits: readonly number[]): number {
  let mask = 0;
  for (const other of others) {
    const bit = connectorBits[other] ?? -1;
    if (bit < 0) throw new RangeError(`lane ${id} has to do with ${other}, which is no connector`);
    mask |= 1 << bit;
  }
  return mask >>> 0;
}

/** Bit i: zone i comes within `ZONE_REACH_M` of the lane. */
function zonesBeside({ points }: LaneProfile, zones: readonly Zone[]): number {
  let mask = 0;
  for (const [i, { polygon }] of zones.entries()) {
    const box = boxOf(polygon);
    const isNear = points.some(
      ({ position: [x, y] }) =>
        x > box.minX - ZONE_REACH_M &&
        x < box.maxX + ZONE_REACH_M &&
        y > box.minY - ZONE_REACH_M &&
        y < box.maxY + ZONE_REACH_M,
    );
    if (isNear) mask |= 1 << i;
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
  let at = start;
  for (const [lane, profile] of profiles.entries()) {
    const columns = [speeds[lane], straightRunsOf(profile), openViewsOf(profile, obstructions)];
    for (const [i, { position, tangent, curvature }] of profile.points.entries()) {
      const fields = [...position, ...tangent, curvature, ...columns.map((each) => each?.[i] ?? 0)];
      for (const [field, value] of fields.entries()) {
        view.setFloat32(at + field * 4, value, true);
      }
      at += POINT_BYTES;
    }
  }
}

function writeRoutes(
  view: DataView,
  start: number,
  listStart: number,
  city: City,
  exitSpeeds: readonly (readonly number[])[],
): void {
  let entry = 0;
  for (const [car, route] of city.routes.entries()) {
    view.setInt32(start + car * ROUTE_BYTES, entry, true);
    view.setInt32(start + car * ROUTE_BYTES + 4, route.length, true);
    for (const [i, lane] of route.entries()) {
      const at = listStart + entry * ROUTE_LANE_BYTES;
      view.setInt32(at + RL_LANE, lane, true);
      view.setFloat32(at + RL_EXIT_SPEED, exitSpeeds[car]?.[i] ?? 0, true);
      entry += 1;
    }
  }
}

function writeBlock(view: DataView, at: number, { block, spot }: SpottedBlock): void {
  const { polygon, solid } = block;
  const box = boxOf(polygon);
  view.setFloat64(at + B_MIN_X, box.minX, true);
  view.setFloat64(at + B_MIN_Y, box.minY, true);
  view.setFloat64(at + B_MAX_X, box.maxX, true);
  view.setFloat64(at + B_MAX_Y, box.maxY, true);
  view.setInt32(at + B_CORNERS, polygon.length, true);
  view.setInt32(at + B_SOLID, solid ? 1 : 0, true);
  view.setInt32(at + B_HAZARD, spot, true);
  for (const [i, [x, y]] of polygon.entries()) {
    view.setFloat64(at + B_CORNER + i * 16, x, true);
    view.setFloat64(at + B_CORNER + i * 16 + 8, y, true);
  }
}

function writeZone(view: DataView, at: number, { kind, polygon, friction }: Zone): void {
  const box = boxOf(polygon);
  view.setFloat64(at + Z_MIN_X, box.minX, true);
  view.setFloat64(at + Z_MIN_Y, box.minY, true);
  view.setFloat64(at + Z_MAX_X, box.maxX, true);
  view.setFloat64(at + Z_MAX_Y, box.maxY, true);
  view.setInt32(at + Z_CORNERS, polygon.length, true);
  view.setInt32(at + Z_KIND, ZONE_KINDS[kind], true);
  for (const [i, [x, y]] of polygon.entries()) {
    view.setFloat64(at + Z_CORNER + i * 16, x, true);
    view.setFloat64(at + Z_CORNER + i * 16 + 8, y, true);
  }
  view.setFloat64(at + Z_FRICTION, friction, true);
}

function writeLights(view: DataView, start: number, city: City): void {
  for (const [i, light] of city.lights.entries()) {
    const at = start + i * LIGHT_BYTES;
    view.setInt32(at + LT_JUNCTION, light.junction, true);
    view.setInt32(at + LT_GREEN_FROM, light.greenFromTick, true);
    view.setInt32(at + LT_GREEN, light.greenTicks, true);
    view.setInt32(at + LT_AMBER, light.amberTicks, true);
    view.setInt32(at + LT_RED_AMBER, light.redAmberTicks, true);
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
  if (unknown !== undefined) throw new RangeError(`a route uses lane ${unknown} of no city`);
}

function atMost(what: string, count: number, max: number): void {
  if (count > max) throw new RangeError(`${count} ${what} where the kernel takes ${max}`);
}
