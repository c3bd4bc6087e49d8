import { at, lengthOf } from '../../city/geometry.ts';
import type { HazardKind, HazardSpot, Point, Zone } from '../../city/types.ts';
import { convexHull } from '../geometry.ts';
import type { Network } from '../network/network.ts';
import { beside, frameAt, joined } from './paths.ts';

/** Peak friction of asphalt, dry and under a film of water (Robert Bosch GmbH, Automotive Handbook). */
const DRY_FRICTION = 0.95;
const WET_FRICTION = 0.55;
/**
 * Of a slushy sheet of ice: bends are driven by 2 m/s², so they ask for all of it. Less, and nobody could
 * hold a car in its lane; more, and nobody would need help.
 */
const ICE_FRICTION = 0.2;

/** How far a zone reaches from a spot, along the road and to either side of its lane, m. */
interface ZoneRule {
  kind: Zone['kind'];
  friction: number;
  beforeM: number;
  afterM: number;
  leftM: number;
  rightM: number;
}

const ZONE_RULES: Partial<Record<HazardKind, ZoneRule>> = {
  ice_bend: {
    kind: 'ice',
    friction: ICE_FRICTION,
    beforeM: 12.5,
    afterM: 12.5,
    leftM: 1.75,
    rightM: 3,
  },
  wet_crest: {
    kind: 'wet',
    friction: WET_FRICTION,
    beforeM: 45,
    afterM: 20,
    leftM: 6,
    rightM: 3,
  },
  fog_stall: {
    kind: 'fog',
    friction: DRY_FRICTION,
    beforeM: 60,
    afterM: 25,
    leftM: 14,
    rightM: 12,
  },
  deer_crossing: {
    kind: 'dusk',
    friction: DRY_FRICTION,
    beforeM: 50,
    afterM: 20,
    leftM: 9,
    rightM: 14,
  },
  dark_zebra: {
    kind: 'dusk',
    friction: DRY_FRICTION,
    beforeM: 45,
    afterM: 15,
    leftM: 9,
    rightM: 6,
  },
};

/** Where it is icy, wet, foggy or dark: around the spots whose hazards live on that. */
export function zonesAround(network: Network, spots: readonly HazardSpot[]): Zone[] {
  const zones: Zone[] = [];
  for (const spot of spots) {
    const rule = ZONE_RULES[spot.kind];
    if (!rule) continue;
    const { kind, friction } = rule;
    zones.push({
      id: `z${zones.length + 1}`,
      kind,
      friction,
      polygon: polygonOf(network, spot, rule),
    });
  }
  return zones;
}

/** Across the path at its two ends and twice between, so that the hull has eight corners at most. */
const CUT_COUNT = 4;

function polygonOf({ lanes }: Network, { site }: HazardSpot, rule: ZoneRule): Point[] {
  const last = at(lanes, at(site.lanes, -1));
  const lead = site.lanes.slice(0, -1).map((index) => at(lanes, index).polyline);
  const following = last.connector ? [at(lanes, last.connector.to).polyline] : [];
  const path = joined([...lead, last.polyline, ...following]);
  const leadM = lead.reduce((sum, polyline) => sum + lengthOf(polyline), 0);
  const fromM = Math.max(0, leadM + site.stationM - rule.beforeM);
  const toM = Math.min(lengthOf(path), leadM + site.stationM + rule.afterM);
  const corners: Point[] = [];
  for (let i = 0; i < CUT_COUNT; i++) {
    const frame = frameAt(path, fromM + ((toM - fromM) * i) / (CUT_COUNT - 1));
    corners.push(beside(frame, 0, rule.rightM), beside(frame, 0, -rule.leftM));
  }
  return convexHull(corners);
}
