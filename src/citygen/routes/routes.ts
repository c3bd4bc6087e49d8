import { at, distanceToPath, lengthOf } from '../../city/geometry.ts';
import type { HazardSite, HazardSpot, Route } from '../../city/types.ts';
import { FAILS_WITHOUT } from '../../twin/spot-features.ts';
import { pointAlong } from '../geometry.ts';
import type { Network } from '../network/network.ts';
import type { RandomStream } from '../random-stream.ts';
import { type Candidate, choose, matched } from './choice.ts';
import { FIRST_LANE_MIN_M, type Loop, loopsOver } from './loops.ts';

const ROUTE_COUNT = 20;
/** Most routes are short, so that a car is back within three minutes. */
const SHORT = { lengthMinM: 800, lengthMaxM: 1250 } as const;
/** A few long ones pass many lights, so that the others can pass the sites. */
const LONG = { lengthMinM: 1300, lengthMaxM: 2450 } as const;
const RARE_LIGHTS_MAX = 30;
const LONG_STARTS_MAX = 8;
/** Candidates for each site, and for each light or road. */
const KEPT_PER_SITE = 60;
const KEPT_PER_LIGHT = 15;
const LIGHT_WORTH = 0.1;

/** Greatest distance between a lane and a path along it. */
const ALONG_M = 1;

/** Three minutes at 21 km/h, somewhat less than the mean speed of traffic. */
const REACH_M = 1050;
/** Least time between two sites at the speed limit. */
const SITES_APART_S = 8;

/**
 * Twenty closed loops, none with a lane twice, each beginning on a different lane. Together they
 * pass every light, and each site often enough, and crowd no lane.
 *
 * @throws RangeError if the network has no such loops
 */
export function planRoutes(
  network: Network,
  hazards: readonly HazardSpot[],
  random: RandomStream,
): Route[] {
  const sites = hazards.map(({ site }) => site);
  const goals = sites.map(({ lanes }) => lanes);
  const starts = [
    ...goals.map((goal) => at(goal, 0)),
    ...network.lights.flatMap(({ lanes }) => lanes),
    ...network.roads.flatMap(({ lanes }) => [at(lanes, 0), at(lanes, -1)]),
  ];
  const short = loopsOver(network.lanes, goals, [...new Set(starts)], SHORT, random);
  const loops = [...short, ...loopsOverLights(network, short, random)];
  const lengthsM = network.lanes.map(({ polyline }) => lengthOf(polyline));
  const streets: Streets = { ...network, lengthsM };
  const candidates = loops
    .map((loop) => appraise(streets, sites, loop))
    .filter(({ starts }) => starts.length > 0);
  if (candidates.length < ROUTE_COUNT) {
    throw new RangeError('the network has no loops of the wanted length');
  }
  const chosen = choose(network, sites.length, worthwhile(candidates), ROUTE_COUNT, random);
  return withStarts(streets, chosen, stallLanes(streets, hazards));
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

/** For each site, light and road, those loops over it that pass most sites. */
function worthwhile(candidates: readonly Candidate[]): Candidate[] {
  const kept = new Set<Candidate>();
  const counts = new Map<string, number>();
  const sorted = candidates.toSorted((a, b) => worthOf(b) - worthOf(a));
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

const worthOf = ({ sites, lights, passWorth }: Candidate): number =>
  sites.length * passWorth + lights.length * LIGHT_WORTH;

/** Long loops over the lights that the fewest other loops pass. */
function loopsOverLights(network: Network, others: readonly Loop[], random: RandomStream): Loop[] {
  const uses = network.lanes.map(() => 0);
  for (const { lanes } of others) for (const lane of lanes) uses[lane] = at(uses, lane) + 1;
  const rare = network.lights
    .map(({ lanes }) => ({ lanes, uses: lanes.reduce((sum, lane) => sum + at(uses, lane), 0) }))
    .sort((a, b) => a.uses - b.uses)
    .slice(0, RARE_LIGHTS_MAX)
    .map(({ lanes }) => at(lanes, 0));
  const goals = rare.map((lane) => [lane]);
  return loopsOver(network.lanes, goals, rare.slice(0, LONG_STARTS_MAX), LONG, random);
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
    passWorth: Math.min(1, REACH_M / loop.lengthM) ** 2,
    hurriedSites: hurriedSitesOn(
      streets,
      loop,
      passed.map((index) => at(sites, index)),
    ),
  };
}

/** Sites that a car at the speed limit reaches less than `SITES_APART_S` after another. */
function hurriedSitesOn(
  { lanes, lengthsM }: Streets,
  loop: Loop,
  passed: readonly HazardSite[],
): number {
  if (passed.length < 2) return 0;
  const times: number[] = [];
  let totalS = 0;
  for (const index of loop.lanes) {
    const lane = at(lanes, index);
    for (const site of passed) {
      if (at(site.lanes, -1) === index) times.push(totalS + site.stationM / lane.speedLimitMps);
    }
    totalS += at(lengthsM, index) / lane.speedLimitMps;
  }
  times.sort((a, b) => a - b);
  return times.filter((timeS, i) => {
    const next = times[i + 1] ?? at(times, 0) + totalS;
    return next - timeS < SITES_APART_S;
  }).length;
}

const startsOf = ({ lanes, lengthsM }: Streets, loop: readonly number[]): number[] =>
  loop.filter((lane) => at(lanes, lane).road >= 0 && at(lengthsM, lane) >= FIRST_LANE_MIN_M);

/**
 * Rotates the loops so that each begins on a different lane, if possible at the beginning of a long
 * stretch of `stallLanes`: a car without throttle does not get far.
 */
function withStarts(
  { lengthsM }: Streets,
  chosen: readonly Candidate[],
  stallLanes: ReadonlySet<number>,
): Route[] {
  const stretchM = (loop: readonly number[], lane: number): number => {
    const first = loop.indexOf(lane);
    const turned = [...loop.slice(first), ...loop.slice(0, first)];
    const end = turned.findIndex((each) => !stallLanes.has(each));
    return turned.slice(0, end).reduce((sum, each) => sum + at(lengthsM, each), 0);
  };
  const wishes = chosen.map(({ starts, loop: { lanes } }) =>
    starts.toSorted((a, b) => stretchM(lanes, b) - stretchM(lanes, a)),
  );
  const firsts = matched(wishes) ?? [];
  return chosen.map(({ loop: { lanes } }, index) => {
    const first = lanes.indexOf(at(firsts, index));
    return [...lanes.slice(first), ...lanes.slice(0, first)];
  });
}
