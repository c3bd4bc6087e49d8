import { at, distance } from '../../city/geometry.ts';
import type { Block, Body, HazardKind, HazardSpot, Point } from '../../city/types.ts';
import { pointAlong } from '../geometry.ts';
import type { Network } from '../network/network.ts';
import {
  type Ground,
  isClearOfLanes,
  isOutdoors,
  type Place,
  type SiteShape,
  surveyOf,
} from './ground.ts';
import { HAZARD_KINDS } from './kinds.ts';
import { endsOf } from './paths.ts';
import { PLACES } from './rules.ts';
import { type StretchPlan, timeAt, type Way, wayThrough } from './ways.ts';

/** Least distance between any two spots, m. */
const APART_M = 60;
/** Least time between two spots of a stretch for a car at the speed limit, s. */
const APART_S = 8;
/** Steps of the search along one stretch. */
const STEPS_MAX = 400_000;
/** Where actors stand beside the road: at the start of their path, where they wait, or at its end. */
const BESIDE_ROAD: Readonly<Partial<Record<HazardKind, readonly ('start' | 'end')[]>>> = {
  parked_row_child: ['start', 'end'],
  deer_crossing: ['start', 'end'],
  dark_zebra: ['start', 'end'],
  cut_in: ['start', 'end'],
  sudden_stop: ['start', 'end'],
  wet_crest: ['start'],
  fog_stall: ['end'],
  blind_stall: ['end'],
};
/** Kinds whose bodies may overlap houses. */
const BUILT_ON: ReadonlySet<HazardKind> = new Set(['blind_crossing']);

/**
 * Places a spot of each kind of each stretch where the stretch suits the kind: at least `APART_M`
 * from all other spots, at least `APART_S` from those of the stretch, at the lowest sum of
 * penalties.
 *
 * @throws RangeError if a stretch has no room for its spots
 */
export function placeHazardSpots(
  network: Network,
  blocks: readonly Block[],
  stretches: readonly StretchPlan[],
): HazardSpot[] {
  const ground = surveyOf(network, blocks);
  const taken: Fit[] = [];
  for (const { via, kinds } of stretches) {
    const way = wayThrough(network, via);
    const fits = kinds.map((kind) => fitsOn(ground, way, kind));
    const chosen = new StretchSearch(ground, taken).choose(fits);
    if (!chosen) throw new RangeError(`no room for ${kinds.join(', ')} along ${via.join(', ')}`);
    taken.push(...chosen);
  }
  return taken.map((fit, i) => spotOf(ground, fit, `h${i + 1}`));
}

/** A place for a spot of a kind. */
interface Fit {
  kind: HazardKind;
  place: Place;
  point: Point;
  /** When a car that drives along the stretch is there, s. */
  timeS: number;
}

/** The places of a kind on the way, the best first. */
function fitsOn(ground: Ground, { lanes, startsS }: Way, kind: HazardKind): Fit[] {
  return PLACES[kind](ground)
    .flatMap((place): Fit[] => {
      const first = lanes.indexOf(at(place.lanes, 0));
      const isOnWay = first >= 0 && place.lanes.every((lane, i) => lanes[first + i] === lane);
      if (!isOnWay) return [];
      const last = at(place.lanes, -1);
      const startS = at(startsS, first + place.lanes.length - 1);
      const timeS = timeAt(at(ground.lanes, last), startS, place.stationM);
      return [{ kind, place, point: pointOf(ground, place), timeS }];
    })
    .sort((a, b) => a.place.penalty - b.place.penalty);
}

/** Chooses one place of each kind along a stretch, by branch and bound. */
class StretchSearch {
  readonly #ground: Ground;
  readonly #taken: readonly Fit[];
  readonly #shapes = new Map<Place, SiteShape | undefined>();
  #best: Fit[] | undefined;
  #bestPenalty = Number.POSITIVE_INFINITY;
  #steps = 0;

  constructor(ground: Ground, taken: readonly Fit[]) {
    this.#ground = ground;
    this.#taken = taken;
  }

  /** In the order of `kinds`; undefined if there is no room. */
  choose(kinds: readonly (readonly Fit[])[]): Fit[] | undefined {
    const order = [...kinds.keys()].sort((a, b) => at(kinds, a).length - at(kinds, b).length);
    this.#search(
      order.map((index) => at(kinds, index)),
      [],
      0,
    );
    const best = this.#best;
    return best && [...kinds.keys()].map((kind) => at(best, order.indexOf(kind)));
  }

  #search(kinds: readonly (readonly Fit[])[], chosen: readonly Fit[], penalty: number): void {
    const fits = kinds[chosen.length];
    if (!fits) {
      this.#best = [...chosen];
      this.#bestPenalty = penalty;
      return;
    }
    const later = kinds.slice(chosen.length + 1);
    const bound = later.reduce((sum, [best]) => sum + (best?.place.penalty ?? 0), 0);
    for (const fit of fits) {
      const total = penalty + fit.place.penalty;
      if (total + bound >= this.#bestPenalty) return;
      if (this.#steps++ > STEPS_MAX) throw new RangeError('the search for spots takes too long');
      if (this.#isApart(fit, chosen) && shapeOf(this.#ground, fit, this.#shapes)) {
        this.#search(kinds, [...chosen, fit], total);
      }
    }
  }

  #isApart({ point, timeS }: Fit, chosen: readonly Fit[]): boolean {
    return (
      [...this.#taken, ...chosen].every((other) => distance(point, other.point) >= APART_M) &&
      chosen.every((other) => Math.abs(timeS - other.timeS) >= APART_S)
    );
  }
}

/** Undefined for a place that cannot be built on. */
function shapeOf(
  ground: Ground,
  { kind, place }: Fit,
  known = new Map<Place, SiteShape | undefined>(),
): SiteShape | undefined {
  if (!known.has(place)) {
    const shape = place.build();
    known.set(place, isBuildable(ground, kind, shape) ? shape : undefined);
  }
  return known.get(place);
}

function spotOf(ground: Ground, { kind, place, point }: Fit, id: string): HazardSpot {
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
      ...place.build(),
    },
  };
}

const pointOf = ({ lanes }: Ground, { lanes: own, stationM }: Place): Point =>
  pointAlong(at(lanes, at(own, -1)).polyline, stationM);

/** Permanent bodies and actors that stand beside the road block no lane and are outdoors. */
function isBuildable(ground: Ground, kind: HazardKind, shape: SiteShape): boolean {
  const bodies = [...(shape.bodies ?? []), ...standingBodies(kind, shape)];
  if (!bodies.every((body) => isClearOfLanes(ground, body))) return false;
  return BUILT_ON.has(kind) || bodies.every((body) => isOutdoors(ground, body));
}

/** The actor where it stands beside the road, and what stands beside it there. */
function standingBodies(kind: HazardKind, { actorPath = [], active = [] }: SiteShape): Body[] {
  const ends = BESIDE_ROAD[kind];
  const { actor } = HAZARD_KINDS[kind];
  if (!ends || !actor) return [];
  const box = active[0] ?? actor;
  const { start, end } = endsOf(actorPath, box);
  const [, ...others] = active;
  return [
    ...others,
    ...(ends.includes('start') ? [start] : []),
    ...(ends.includes('end') ? [end] : []),
  ];
}
