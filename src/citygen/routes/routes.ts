import { at, distanceToPath, lengthOf } from '../../city/geometry.ts';
import type { HazardSite, HazardSpot, Route } from '../../city/types.ts';
import { FAILS_WITHOUT } from '../../twin/spot-features.ts';
import { pointAlong } from '../geometry.ts';
import { STAKES } from '../hazards/stakes.ts';
import type { Network } from '../network/network.ts';
import type { RandomStream } from '../random-stream.ts';
import { type Candidate, choose, matched } from './choice.ts';
import { FIRST_LANE_MIN_M, type Loop, loopsOver } from './loops.ts';

const ROUTE_COUNT = 20;
const LENGTH_MIN_M = 800;
/** Candidates for each site, and for each light or road. */
const KEPT_PER_SITE = 60;
const KEPT_PER_LIGHT = 15;
/** Cars that begin on one lane keep this distance. */
const START_APART_M = 30;
/** Routes that may begin on one lane, however long it is. */
const STARTS_PER_LANE = 8;

/** Greatest distance between a lane and a path along it. */
const ALONG_M = 1;

/**
 * Twenty closed loops, none with a lane twice, that begin in different places. Each passes
 * everything that is to be at stake, and a light.
 *
 * @throws RangeError if the network has no such loops
 */
export function planRoutes(
  network: Network,
  hazards: readonly HazardSpot[],
  lengthMaxM: number,
  random: RandomStream,
): Route[] {
  const sites = hazards.map(({ site }) => site);
  const goals = sites.map(({ lanes }) => lanes);
  const starts = new Set(goals.map((goal) => at(goal, 0)));
  const lengthsM = network.lanes.map(({ polyline }) => lengthOf(polyline));
  const streets: Streets = { ...network, lengthsM };
  const lengths = { lengthMinM: LENGTH_MIN_M, lengthMaxM };
  const candidates = loopsOver(network.lanes, goals, [...starts], lengths, random)
    .map((loop) => appraise(streets, sites, loop))
    .filter(({ starts }) => starts.length > 0)
    .filter((candidate) => hasStakes(hazards, candidate));
  if (candidates.length === 0) {
    throw new RangeError('the network has no loops of the wanted length past all stakes');
  }
  const chosen = choose(network, sites.length, worthwhile(candidates), ROUTE_COUNT, random);
  return withStarts(streets, chosen, stallLanes(streets, hazards));
}

function hasStakes(hazards: readonly HazardSpot[], { sites, lights }: Candidate): boolean {
  const kinds = new Set(sites.map((index) => at(hazards, index).kind));
  return lights.length > 0 && STAKES.every((group) => group.some((kind) => kinds.has(kind)));
}

/** The lanes on which an actor can hit a stalled car from behind. */
function stallLanes({ lanes, lengthsM }: Streets, hazards: readonly HazardSpot[]): Set<number> {
  const isOn = (lane: number, way: HazardSite['actorPath']): boolean =>
    [0.5, 1].every((share) => {
      const point = pointAlong(at(lanes, lane).polyline, share * at(lengthsM, lane));
      return distanceToPath(point, way) < ALONG_M;
    });
  const ways = hazards
    .filter(({ kind }) => FAILS_WITHOUT[kind].includes('throttle'))
    .map(({ site }) => site.actorPath);
  return new Set([...lanes.keys()].filter((lane) => ways.some((way) => isOn(lane, way))));
}

interface Streets extends Network {
  /** Lengths of the lanes. */
  lengthsM: readonly number[];
}

/** For each site, light and road, the shortest loops over it. */
function worthwhile(candidates: readonly Candidate[]): Candidate[] {
  const kept = new Set<Candidate>();
  const counts = new Map<string, number>();
  const sorted = candidates.toSorted((a, b) => a.loop.lengthM - b.loop.lengthM);
  for (const candidate of sorted) {
    const { sites, lights, roads } = candidate;
    const keep = (what: string, indices: readonly number[], most: number) => {
      for (const index of indices) {
        const key = `${what}${index}`;
        const count = counts.get(key) ?? 0;
        if (count >= most) continue;
        counts.set(key, count + 1);
        kept.add(candidate);
      }
    };
    keep('site', sites, KEPT_PER_SITE);
    keep('light', lights, KEPT_PER_LIGHT);
    keep('road', roads, KEPT_PER_LIGHT);
  }
  return [...kept];
}

function appraise(streets: Streets, sites: readonly HazardSite[], loop: Loop): Candidate {
  const { lanes, lights } = streets;
  const own = new Set(loop.lanes);
  const passed = [...sites.keys()].filter((index) =>
    at(sites, index).lanes.every((lane) => own.has(lane)),
  );
  const roadLanes = loop.lanes.filter((lane) => at(lanes, lane).road >= 0);
  return {
    loop,
    starts: startsOf(streets, loop.lanes),
    sites: passed,
    lights: lights.flatMap((light, index) =>
      light.lanes.some((lane) => own.has(lane)) ? [index] : [],
    ),
    roads: [...new Set(roadLanes.map((lane) => at(lanes, lane).road))],
    roadLanes,
    junctions: loop.lanes.map((lane) => at(lanes, lane).junction).filter((index) => index >= 0),
  };
}

/** Places where a route can begin, one for each `START_APART_M` of a lane that is long enough. */
const startsOf = ({ lanes, lengthsM }: Streets, loop: readonly number[]): number[] =>
  loop.flatMap((lane) => {
    const lengthM = at(lengthsM, lane);
    if (at(lanes, lane).road < 0 || lengthM < FIRST_LANE_MIN_M) return [];
    const length = Math.min(STARTS_PER_LANE, Math.floor(lengthM / START_APART_M));
    return Array.from({ length }, (_, i) => lane * STARTS_PER_LANE + i);
  });

const laneOfStart = (start: number): number => Math.floor(start / STARTS_PER_LANE);

/**
 * Rotates the loops so that they begin in different places, if possible at the beginning of a long
 * stretch of `stallLanes`: a car without throttle does not get far.
 */
function withStarts(
  { lengthsM }: Streets,
  chosen: readonly Candidate[],
  stallLanes: ReadonlySet<number>,
): Route[] {
  const stretchM = (loop: readonly number[], start: number): number => {
    const first = loop.indexOf(laneOfStart(start));
    const turned = [...loop.slice(first), ...loop.slice(0, first)];
    const end = turned.findIndex((each) => !stallLanes.has(each));
    return turned.slice(0, end).reduce((sum, each) => sum + at(lengthsM, each), 0);
  };
  const wishes = chosen.map(({ starts, loop: { lanes } }) =>
    starts.toSorted((a, b) => stretchM(lanes, b) - stretchM(lanes, a)),
  );
  const firsts = matched(wishes) ?? [];
  return chosen.map(({ loop: { lanes } }, index) => {
    const first = lanes.indexOf(laneOfStart(at(firsts, index)));
    return [...lanes.slice(first), ...lanes.slice(0, first)];
  });
}
