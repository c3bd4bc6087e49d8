import { at, distance } from '../../city/geometry.ts';
import type { Block, Body, HazardKind, HazardSpot, Point } from '../../city/types.ts';
import { areaOf, intersectConvex, isNearBounds, meanOf, pointAlong } from '../geometry.ts';
import type { Network } from '../network/network.ts';
import type { Loop } from '../routes/loops.ts';
import { type Ground, type Place, type SiteShape, surveyOf } from './ground.ts';
import { HAZARD_KINDS } from './kinds.ts';
import { LoopSharing } from './loop-sharing.ts';
import { cornersOf, isClearOf } from './paths.ts';
import { SITE_RULES } from './rules.ts';

/** Twenty short loops would not pass more spots often enough. */
const SPOT_COUNT_MAX = 11;
/** Least distance between any two spots, m. */
const APART_M = 60;
/** A car at 50 km/h needs 8 s for this distance. */
const WELL_APART_M = 112;
/** Penalties for each metre less than that, and for each metre from the middle of the city. */
const CLOSE_PENALTY = 0.5;
const OFF_MIDDLE_PENALTY = 0.15;
/** Bonus, since few kinds need steering. */
const SHARP_BEND_WORTH = 300;
/** Rounds in which each spot moves to its best place, given all others. */
const MOVE_ROUNDS = 2;
/** Greatest overlap of a body with a house. */
const INSIDE_HOUSE_MAX_M2 = 0.5;
/** Kinds whose active bodies stand beside the lane. */
const BESIDE_LANE: ReadonlySet<HazardKind> = new Set(['cut_in', 'sudden_stop', 'wet_crest']);
/** Kinds whose bodies may overlap houses. */
const BUILT_ON: ReadonlySet<HazardKind> = new Set(['blind_crossing']);

/**
 * Places spots of different kinds (of some kinds two) at least `APART_M` apart, where the place
 * suits the kind and the `loops` over it pass many other spots. The needed kinds come first, in the
 * order of the rules, then the others by lowest penalty.
 */
export function placeHazardSpots(
  network: Network,
  blocks: readonly Block[],
  loops: readonly Loop[],
): HazardSpot[] {
  const ground = surveyOf(network, blocks);
  const search = new SpotSearch(ground, loops);
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
    const best = fits.reduce((a, b) => (scoreOf(b) > scoreOf(a) ? b : a));
    search.take(best);
    optional.delete(best.kind);
  }
  for (let round = 0; round < MOVE_ROUNDS; round++) {
    for (const fit of [...search.taken]) {
      search.release(fit);
      search.take(search.bestOf(fit.kind, placesOf.get(fit.kind) ?? []) ?? fit);
    }
  }
  return search.taken.map((fit, i) => spotOf(ground, fit, `h${i + 1}`));
}

const scoreOf = ({ kind, penalty }: Fit): number =>
  (kind === 'sharp_bend' ? SHARP_BEND_WORTH : 0) - penalty;

/** A place for a spot of a kind. */
interface Fit {
  kind: HazardKind;
  place: Place;
  shape: SiteShape;
  point: Point;
  penalty: number;
}

/** Chooses among places, given the spots that are taken. */
class SpotSearch {
  readonly taken: Fit[] = [];
  readonly #ground: Ground;
  readonly #middle: Point;
  readonly #sharing: LoopSharing;
  /** Undefined for a place that cannot be built on. */
  readonly #shapes = new Map<Place, SiteShape | undefined>();

  constructor(ground: Ground, loops: readonly Loop[]) {
    this.#ground = ground;
    this.#middle = meanOf(ground.junctions.map(({ x, y }) => [x, y]));
    this.#sharing = new LoopSharing(ground.lanes.length, loops);
  }

  take(fit: Fit): void {
    this.taken.push(fit);
    this.#sharing.add(at(fit.place.lanes, -1));
  }

  release(fit: Fit): void {
    this.taken.splice(this.taken.indexOf(fit), 1);
    this.#sharing.remove(at(fit.place.lanes, -1));
  }

  bestOf(kind: HazardKind, places: readonly Place[]): Fit | undefined {
    const ranked = places
      .map((place) => {
        const point = pointOf(this.#ground, place);
        return { place, point, penalty: this.#penaltyOf(place, point) };
      })
      .filter(({ penalty }) => penalty < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.penalty - b.penalty);
    for (const one of ranked) {
      const shape = this.#shapeOf(kind, one.place);
      if (shape) return { kind, shape, ...one };
    }
    return undefined;
  }

  #shapeOf(kind: HazardKind, place: Place): SiteShape | undefined {
    if (!this.#shapes.has(place)) {
      const shape = place.build();
      const isUsable = isBuildable(this.#ground, kind, place, shape);
      this.#shapes.set(place, isUsable ? shape : undefined);
    }
    return this.#shapes.get(place);
  }

  #penaltyOf({ lanes, penalty }: Place, point: Point): number {
    return (
      penalty +
      closenessTo(this.taken, point, at(lanes, 0)) * CLOSE_PENALTY +
      distance(point, this.#middle) * OFF_MIDDLE_PENALTY -
      this.#sharing.worthOf(at(lanes, -1))
    );
  }
}

function spotOf(ground: Ground, { kind, place, shape, point }: Fit, id: string): HazardSpot {
  const { radiusM, description, actor } = HAZARD_KINDS[kind];
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
      actor: actor ?? null,
      ...shape,
    },
  };
}

const pointOf = ({ lanes }: Ground, { lanes: own, stationM }: Place): Point =>
  pointAlong(at(lanes, at(own, -1)).polyline, stationM);

/** Metres that the nearest spot is closer than `WELL_APART_M`; infinite if too close. */
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

/** Permanent bodies block no lane; active bodies beside their lane block no other lane. */
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
