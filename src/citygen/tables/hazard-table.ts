import * as layout from '../../../assembly/layout.ts';
import { direction, lengthOf } from '../../city/geometry.ts';
import { bodyId } from '../../city/map.ts';
import type { Actor, Block, City, HazardKind, HazardSpot, Point } from '../../city/types.ts';
import { besideRoadAt } from '../../twin/beside-road.ts';

const KIND_NUMBERS: Readonly<Record<HazardKind, number>> = {
  parked_row_child: layout.HAZARD_PARKED_ROW_CHILD,
  sudden_stop: layout.HAZARD_SUDDEN_STOP,
  fog_stall: layout.HAZARD_FOG_STALL,
  deer_crossing: layout.HAZARD_DEER_CROSSING,
  red_light_lorry: layout.HAZARD_RED_LIGHT_LORRY,
  blind_crossing: layout.HAZARD_BLIND_CROSSING,
  left_turn_oncoming: layout.HAZARD_LEFT_TURN_ONCOMING,
  wet_crest: layout.HAZARD_WET_CREST,
  ice_bend: layout.HAZARD_ICE_BEND,
  sharp_bend: layout.HAZARD_SHARP_BEND,
  downhill_stop: layout.HAZARD_DOWNHILL_STOP,
  blind_stall: layout.HAZARD_BLIND_STALL,
  tram_crossing: layout.HAZARD_TRAM_CROSSING,
  dark_zebra: layout.HAZARD_DARK_ZEBRA,
  cut_in: layout.HAZARD_CUT_IN,
};
const CLASSES: Readonly<Record<Actor['kind'], number>> = {
  vehicle: layout.CONTACT_VEHICLE,
  person: layout.CONTACT_PERSON,
  animal: layout.CONTACT_ANIMAL,
  obstacle: layout.CONTACT_OBSTACLE,
};

/** Number of points of all actors' paths. */
export const pathPointsOf = ({ hazards }: City): number =>
  hazards.reduce((count, { site }) => count + site.actorPath.length, 0);

/** A block and the index of its hazard spot, −1 for a block of the city. */
export interface SpottedBlock {
  block: Block;
  spot: number;
}

/** The permanent bodies of the spots as solid blocks. */
export function bodyBlocksOf({ hazards }: City): SpottedBlock[] {
  return hazards.flatMap(({ id, kind, site }, spot) =>
    site.bodies.map(({ x, y, heading: [hx, hy], lengthM, widthM }, i) => {
      const corner = (ahead: number, left: number): Point => [
        x + (hx * ahead * lengthM - hy * left * widthM) / 2,
        y + (hy * ahead * lengthM + hx * left * widthM) / 2,
      ];
      const polygon = [corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)];
      const { heightM } = besideRoadAt(kind);
      const block = { id: bodyId(id, i), kind: 'wall', polygon, heightM, solid: true } as const;
      return { block, spot };
    }),
  );
}

/** Writes the spots from `start`, and the points of their actors' paths from `paths`. */
export function writeHazards(
  view: DataView,
  start: number,
  paths: number,
  { hazards }: City,
): void {
  let firstPoint = 0;
  for (const [i, spot] of hazards.entries()) {
    writeSpot(view, start + i * layout.HAZARD_SPOT_BYTES, spot, firstPoint);
    writePath(view, paths + firstPoint * layout.PATH_POINT_BYTES, spot.site.actorPath);
    firstPoint += spot.site.actorPath.length;
  }
}

function writeSpot(view: DataView, start: number, spot: HazardSpot, firstPoint: number): void {
  const { site, kind } = spot;
  if (site.lanes.length > layout.HS_LANE_MAX)
    throw new RangeError(`spot ${spot.id} has too many lanes`);
  view.setInt32(start + layout.HS_KIND, KIND_NUMBERS[kind], true);
  view.setInt32(start + layout.HS_LANE_COUNT, site.lanes.length, true);
  for (const [i, lane] of site.lanes.entries())
    view.setInt32(start + layout.HS_LANES + i * 4, lane, true);
  view.setInt32(start + layout.HS_PATH_FIRST, firstPoint, true);
  view.setInt32(start + layout.HS_PATH_COUNT, site.actorPath.length, true);
  const { actor } = site;
  const { lengthM = actor?.lengthM ?? 0, widthM = actor?.widthM ?? 0 } = site.active[0] ?? {};
  const massKg = actor?.massKg ?? 0;
  const pose = startOf(spot);
  const fields: readonly (readonly [field: number, value: number])[] = [
    [layout.HS_X, spot.x],
    [layout.HS_Y, spot.y],
    [layout.HS_STATION, site.stationM],
    [layout.HS_ACTOR_STATION, site.actorStationM],
    [layout.HS_ACTOR_LENGTH, lengthOf(site.actorPath)],
    [layout.HS_START_X, pose.x],
    [layout.HS_START_Y, pose.y],
    [layout.HS_START_HX, pose.heading[0]],
    [layout.HS_START_HY, pose.heading[1]],
    [layout.HS_BODY_LENGTH, lengthM],
    [layout.HS_BODY_WIDTH, widthM],
    [layout.HS_MASS, massKg],
    [layout.HS_INERTIA, (massKg * (lengthM * lengthM + widthM * widthM)) / 12],
    [layout.HS_SIGHT, site.sightM],
    [layout.HS_GRADE, site.grade],
    [layout.HS_SPEED, actor?.speedMps ?? 0],
  ];
  for (const [field, value] of fields) view.setFloat64(start + field, value, true);
  view.setInt32(start + layout.HS_LIGHT, site.actorLight, true);
  view.setInt32(start + layout.HS_CLASS, actor ? CLASSES[actor.kind] : -1, true);
}

/** Where the actor stands or waits: its first active body, or the start of its path. */
function startOf({ x, y, site }: HazardSpot): { x: number; y: number; heading: Point } {
  const [body] = site.active;
  if (body) return body;
  const [first, second] = site.actorPath;
  if (!first || !second) return { x, y, heading: [1, 0] };
  return { x: first[0], y: first[1], heading: direction(first, second) };
}

function writePath(view: DataView, start: number, path: readonly Point[]): void {
  for (const [i, [x, y]] of path.entries()) {
    const point = start + i * layout.PATH_POINT_BYTES;
    view.setFloat64(point + layout.PP_X, x, true);
    view.setFloat64(point + layout.PP_Y, y, true);
    view.setFloat64(point + layout.PP_STATION, lengthOf(path.slice(0, i + 1)), true);
  }
}
