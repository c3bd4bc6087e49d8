import { at, lengthOf } from '../../city/geometry.ts';
import type { HazardSpot, Point, Zone, ZoneKind } from '../../city/types.ts';
import { convexHull } from '../geometry.ts';
import type { Network } from '../network/network.ts';
import { HAZARD_KINDS, type ZoneRule } from './kinds.ts';
import { beside, frameAt, joined } from './paths.ts';

/** Kinds that count only while their spot is active. */
const COMES_AND_GOES: ReadonlySet<ZoneKind> = new Set(['ice', 'fog']);

/** The icy, wet, foggy or dark areas around the spots of kinds that need one. */
export function zonesAround(network: Network, spots: readonly HazardSpot[]): Zone[] {
  const zones = spots.flatMap((spot, index) => {
    const rule = HAZARD_KINDS[spot.kind].zone;
    if (!rule) return [];
    const { kind, friction } = rule;
    const comesAndGoes = COMES_AND_GOES.has(kind) ? { spot: index } : {};
    return { kind, friction, polygon: polygonOf(network, spot, rule), ...comesAndGoes };
  });
  return zones.map((zone, i) => ({ id: `z${i + 1}`, ...zone }));
}

/** Cuts across the path. Four have eight end points, as many corners as a zone may have. */
const CUT_COUNT = 4;

function polygonOf({ lanes }: Network, { site }: HazardSpot, rule: ZoneRule): Point[] {
  const last = at(lanes, at(site.lanes, -1));
  const lead = site.lanes.slice(0, -1).map((index) => at(lanes, index).polyline);
  const following = last.connector ? [at(lanes, last.connector.to).polyline] : [];
  const path = joined([...lead, last.polyline, ...following]);
  const leadM = lead.reduce((sum, polyline) => sum + lengthOf(polyline), 0);
  const fromM = Math.max(0, leadM + site.stationM - rule.beforeM);
  const toM = Math.min(lengthOf(path), leadM + site.stationM + rule.afterM);
  const corners = Array.from({ length: CUT_COUNT }, (_, i) => {
    const frame = frameAt(path, fromM + ((toM - fromM) * i) / (CUT_COUNT - 1));
    return [beside(frame, 0, rule.rightM), beside(frame, 0, -rule.leftM)];
  });
  return convexHull(corners.flat());
}
