import { at, distance } from '../../city/geometry.ts';
import type { Block, Body, HazardKind, HazardSpot, Point } from '../../city/types.ts';
import { areaOf, intersectConvex, pointAlong } from '../geometry.ts';
import type { Network } from '../network/network.ts';
import type { Loop } from '../routes/loops.ts';
import { HAZARD_ACTORS } from './actors.ts';
import { createCompany } from './company.ts';
import { type Ground, isNearBounds, type Place, type SiteShape, surveyOf } from './ground.ts';
import { HAZARD_KINDS } from './kinds.ts';
import { cornersOf, isClearOf } from './paths.ts';
import { SITE_RULES } from './rules.ts';

/** More would be so many that twenty short loops do not come by each often enough. */
const SPOT_COUNT_MAX = 11;
/** Between any two spots. */
const APART_M = 60;
/** Closer than this a car may come from one to the next in less than 8 s at 50 km/h. */
const WELL_APART_M = 112;
/** What a metre less than that is worth, and one farther from the city's middle; m of detour. */
const CLOSE_MISFIT = 0.5;
const OFF_MIDDLE_MISFIT = 0.15;
/** Few kinds show what a car without steering does. */
const SHARP_BEND_WORTH = 300;
/** Times that each spot is moved to where it suits best beside all others. */
const MOVE_ROUNDS = 2;
/** What stands beside the road stands there, so not inside a house, more than so much. */
const INSIDE_HOUSE_MAX_M2 = 0.5;
/** Kinds whose active body is on or beside the road's edge. */
const BESIDE_LANE: ReadonlySet<HazardKind> = new Set(['cut_in', 'sudden_stop', 'wet_crest']);
/** Kinds whose bodies belong to the houses. */
const BUILT_ON: ReadonlySet<HazardKind> = new Set(['blind_crossing']);

/**
 * Spots of different kinds, but for those that a city has two of, `APART_M` from each other at least, at
 * places that suit the kind and that lie on `loops` which come by many other spots. Kinds that a city
 * cannot do without come first, in the order of the rules; then those that fit in best.
 */
export function placeHazardSpots(
  network: Network,
  blocks: readonly Block[],
  loops: readonly Loop[],
): HazardSpot[] {
  const ground = surveyOf(network, blocks);
  const search = createSearch(ground, loops);
  const placesOf = new Map(SITE_RULES.map(({ kind, places }) => [kind, places(ground)]));
  const optional = new Map(placesOf);
  for (const { kind, isNeeded, count = 1 } of SITE_RULES) {
    if (!isNeeded) continue;
    for (let i = 0; i < count; i++) {
      const fit = search.bestOf(kind, placesOf.get(kind) ?? []);
      if (fit) search.take(fit);
    }
    optional.delete(kind);
  }
  while (search.taken.length < SPOT_COUNT_MAX) {
    const fits = [...optional].flatMap(([kind, all]) => search.bestOf(kind, all) ?? []);
    if (fits.length === 0) break;
    const best = fits.reduce((a, b) => (charmOf(b) > charmOf(a) ? b : a));
    search.take(best);
    optional.delete(best.kind);
  }
  for (let round = 0; round < MOVE_ROUNDS; round++) {
    for (const fit of [...search.taken]) {
      search.giveUp(fit);
      search.take(search.bestOf(fit.kind, placesOf.get(fit.kind) ?? []) ?? fit);
    }
  }
  return search.taken.map((fit, i) => spotOf(ground, fit, `h${i + 1}`));
}

const charmOf = ({ kind, misfit }: Fit): number =>
  (kind === 'sharp_bend' ? SHARP_BEND_WORTH : 0) - misfit;

interface Fit {
  kind: HazardKind;
  place: Place;
  shape: SiteShape;
  point: Point;
  misfit: number;
}

/** The choice among places, beside the spots that are taken. */
interface Search {
  readonly taken: readonly Fit[];
  take(fit: Fit): void;
  giveUp(fit: Fit): void;
  bestOf(kind: HazardKind, places: readonly Place[]): Fit | undefined;
}

function createSearch(ground: Ground, loops: readonly Loop[]): Search {
  const taken: Fit[] = [];
  const company = createCompany(ground.lanes.length, loops);
  const shapes = new Map<Place, SiteShape | undefined>();
  const shapeOf = (kind: HazardKind, place: Place): SiteShape | undefined => {
    if (!shapes.has(place)) {
      const shape = place.build();
      shapes.set(place, isBuildable(ground, kind, place, shape) ? shape : undefined);
    }
    return shapes.get(place);
  };
  const middle = middleOf(ground);
  const misfitOf = ({ lanes, misfit }: Place, point: Point): number =>
    misfit +
    closenessTo(taken, point, at(lanes, 0)) * CLOSE_MISFIT +
    distance(point, middle) * OFF_MIDDLE_MISFIT -
    company.worthOf(at(lanes, -1));
  return {
    taken,
    take: (fit) => {
      taken.push(fit);
      company.join(at(fit.place.lanes, -1));
    },
    giveUp: (fit) => {
      taken.splice(taken.indexOf(fit), 1);
      company.leave(at(fit.place.lanes, -1));
    },
    bestOf: (kind, places) => {
      const ranked = places
        .map((place) => ({ place, point: pointOf(ground, place) }))
        .map(({ place, point }) => ({ place, point, misfit: misfitOf(place, point) }))
        .filter(({ misfit }) => misfit < Number.POSITIVE_INFINITY)
        .sort((a, b) => a.misfit - b.misfit);
      for (const one of ranked) {
        const shape = shapeOf(kind, one.place);
        if (shape) return { kind, shape, ...one };
      }
      return undefined;
    },
  };
}

function spotOf(ground: Ground, { kind, place, shape, point }: Fit, id: string): HazardSpot {
  const { radiusM, description } = HAZARD_KINDS[kind];
  return {
    id,
    kind,
    x: point[0],
    y: point[1],
    radiusM,
    road: at(ground.lanes, at(place.lanes, 0)).road,
    description,
    site: {
      lanes: place.lanes,
      stationM: place.stationM,
      actorPath: [],
      actorStationM: 0,
      actorLight: -1,
      bodies: [],
      active: [],
      sightM: 0,
      grade: 0,
      actor: HAZARD_ACTORS[kind] ?? null,
      ...shape,
    },
  };
}

const pointOf = ({ lanes }: Ground, { lanes: own, stationM }: Place): Point =>
  pointAlong(at(lanes, at(own, -1)).polyline, stationM);

/** How far from `WELL_APART_M` the nearest spot is; infinite where that cannot be. */
function closenessTo(taken: readonly Fit[], point: Point, lane: number): number {
  let nearestM = WELL_APART_M;
  for (const other of taken) {
    const apartM = distance(point, other.point);
    const isOnLane = other.place.lanes.includes(lane);
    if (apartM < (isOnLane ? WELL_APART_M : APART_M)) return Number.POSITIVE_INFINITY;
    nearestM = Math.min(nearestM, apartM);
  }
  return WELL_APART_M - nearestM;
}

function middleOf({ junctions }: Ground): Point {
  const x = junctions.reduce((sum, junction) => sum + junction.x, 0) / junctions.length;
  const y = junctions.reduce((sum, junction) => sum + junction.y, 0) / junctions.length;
  return [x, y];
}

/** What stands there always is in nobody's way; what waits or lies beside its lane in nobody else's. */
function isBuildable(ground: Ground, kind: HazardKind, place: Place, shape: SiteShape): boolean {
  const { bodies = [], active = [] } = shape;
  const isClear = (body: Body, except: readonly number[]) =>
    ground.lanes.every(
      (lane, index) =>
        !isNearBounds([body.x, body.y], at(ground.laneBounds, index), body.lengthM + lane.widthM) ||
        except.includes(index) ||
        isClearOf(body, lane),
    );
  if (!bodies.every((body) => isClear(body, []))) return false;
  const beside = BESIDE_LANE.has(kind) ? active : [];
  if (!beside.every((body) => isClear(body, place.lanes))) return false;
  return BUILT_ON.has(kind) || [...bodies, ...beside].every((body) => isOutdoors(ground, body));
}

function isOutdoors({ blocks, blockBounds }: Ground, body: Body): boolean {
  const corners = cornersOf(body);
  return blocks.every(
    ({ solid, polygon }, i) =>
      !solid ||
      !isNearBounds([body.x, body.y], at(blockBounds, i), body.lengthM) ||
      areaOf(intersectConvex(corners, polygon)) <= INSIDE_HOUSE_MAX_M2,
  );
}
