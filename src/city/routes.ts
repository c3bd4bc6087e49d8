import { at, lengthOf } from './geometry.ts';
import type { Network } from './junctions.ts';
import { type Loop, loopsOver } from './loops.ts';
import type { Random } from './random.ts';
import type { HazardSite, Route } from './types.ts';

const ROUTE_COUNT = 20;
/** Most routes are short, so that cars come round in three minutes. */
const SHORT = { lengthMinM: 800, lengthMaxM: 1300 } as const;
/** A few long ones come by many lights, so that the others are free for the sites. */
const LONG = { lengthMinM: 1300, lengthMaxM: 2450 } as const;
const RARE_LIGHTS_MAX = 30;
const LONG_STARTS_MAX = 8;
/** A route begins on a lane long enough for a car to be rolling there. */
const FIRST_LANE_MIN_M = 60;

/** What a car drives in three minutes at 24 km/h. */
const REACH_M = 1200;
/** Cars that pass each site within that time, on average over where they start. */
const PASSES_WANTED = 7.5;
/** Between two sites at the speed limit. */
const SITES_APART_S = 8;
/** Loops that lanes and junctions take before they are crowded. */
const LANE_LOOPS_MAX = 10;
const JUNCTION_LOOPS_MAX = 14;
const IMPROVEMENT_ROUNDS = 8;

/** What a plan is charged for: the greater, the more it matters. */
const COST = {
  missingPass: 3,
  unseenLight: 2000,
  unseenRoad: 12,
  crowdedLane: 1.5,
  crowdedJunction: 0.7,
  hurriedSite: 1.5,
  sameLoop: 25,
} as const;

/**
 * Twenty closed loops over `next`, none with a lane twice, each beginning on a lane of its own.
 * Together they come by every light, and by each site often enough; no lane is crowded.
 *
 * @throws RangeError where the network has no such loops
 */
export function planRoutes(
  network: Network,
  sites: readonly HazardSite[],
  random: Random,
): Route[] {
  const goals = sites.map(({ lanes }) => lanes);
  const starts = [
    ...goals.map((goal) => at(goal, 0)),
    ...network.lights.flatMap(({ lanes }) => lanes),
    ...network.roads.flatMap(({ lanes }) => [at(lanes, 0), at(lanes, -1)]),
  ];
  const short = loopsOver(network.lanes, goals, [...new Set(starts)], SHORT, random);
  const loops = [...short, ...loopsOverLights(network, short, random)];
  const candidates = loops
    .map((loop) => appraise(network, sites, loop))
    .filter(({ starts }) => starts.length > 0);
  if (candidates.length < ROUTE_COUNT) {
    throw new RangeError('the network has no loops of the wanted length');
  }
  return withStarts(choose(network, sites, candidates));
}

/** Long loops over the lights that the fewest of the others come by. */
function loopsOverLights(network: Network, others: readonly Loop[], random: Random): Loop[] {
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

/** What a loop counts for. */
interface Candidate {
  loop: Loop;
  /** Lanes on which it can begin. */
  starts: readonly number[];
  /** Indices of what it comes by. */
  sites: readonly number[];
  lights: readonly number[];
  roads: readonly number[];
  roadLanes: readonly number[];
  junctions: readonly number[];
  /** Chance that a car that starts somewhere on it passes a site of it in time. */
  passChance: number;
  hurriedSites: number;
}

function appraise(network: Network, sites: readonly HazardSite[], loop: Loop): Candidate {
  const { lanes, lights } = network;
  const own = new Set(loop.lanes);
  const passed = sites.flatMap((site, index) =>
    site.lanes.every((lane) => own.has(lane)) ? [index] : [],
  );
  const roadLanes = loop.lanes.filter((lane) => at(lanes, lane).road >= 0);
  return {
    loop,
    starts: startsOf(network, loop.lanes),
    sites: passed,
    lights: lights.flatMap((light, index) =>
      light.lanes.some((lane) => own.has(lane)) ? [index] : [],
    ),
    roads: [...new Set(roadLanes.map((lane) => at(lanes, lane).road))],
    roadLanes,
    junctions: loop.lanes.map((lane) => at(lanes, lane).junction).filter((index) => index >= 0),
    passChance: Math.min(1, REACH_M / loop.lengthM),
    hurriedSites: hurriedSitesOn(
      lanes,
      loop,
      passed.map((index) => at(sites, index)),
    ),
  };
}

/** Sites that a car at the speed limit reaches less than `SITES_APART_S` after another. */
function hurriedSitesOn(
  lanes: Network['lanes'],
  loop: Loop,
  passed: readonly HazardSite[],
): number {
  const times: number[] = [];
  let totalS = 0;
  for (const index of loop.lanes) {
    const lane = at(lanes, index);
    for (const site of passed) {
      if (at(site.lanes, -1) === index) times.push(totalS + site.stationM / lane.speedLimitMps);
    }
    totalS += lengthOf(lane.polyline) / lane.speedLimitMps;
  }
  times.sort((a, b) => a - b);
  return times.filter((timeS, i) => {
    const next = times[i + 1] ?? at(times, 0) + totalS;
    return times.length > 1 && next - timeS < SITES_APART_S;
  }).length;
}

/** How often the chosen loops come by what there is, and what one more on a lane costs. */
interface Tally {
  sites: Float64Array;
  lights: Float64Array;
  roads: Float64Array;
  uses: Map<Candidate, number>;
  laneLoops: Float64Array;
  junctionLoops: Float64Array;
  laneCost: Float64Array;
  junctionCost: Float64Array;
}

/** One loop after another, the one that costs least; then each is given up for a better one. */
function choose(
  network: Network,
  sites: readonly HazardSite[],
  candidates: readonly Candidate[],
): Candidate[] {
  const tally: Tally = {
    sites: new Float64Array(sites.length),
    lights: new Float64Array(network.lights.length),
    roads: new Float64Array(network.roads.length),
    uses: new Map(),
    laneLoops: new Float64Array(network.lanes.length),
    junctionLoops: new Float64Array(network.junctions.length),
    laneCost: new Float64Array(network.lanes.length),
    junctionCost: new Float64Array(network.junctions.length),
  };
  const chosen: Candidate[] = [];
  for (let round = 0; round <= IMPROVEMENT_ROUNDS; round++) {
    for (let slot = 0; slot < ROUTE_COUNT; slot++) {
      const old = chosen[slot];
      if (old) count(tally, old, -1);
      const others = chosen.filter((_, index) => index !== slot).map(({ starts }) => starts);
      const best = cheapest(candidates, tally, ({ starts }) => matched([...others, starts]));
      chosen[slot] = best;
      count(tally, best, 1);
    }
  }
  return chosen;
}

function count(tally: Tally, candidate: Candidate, sign: 1 | -1): void {
  const addTo = (counts: Float64Array, indices: readonly number[], amount: number) => {
    for (const index of indices) counts[index] = (counts[index] ?? 0) + amount * sign;
  };
  tally.uses.set(candidate, (tally.uses.get(candidate) ?? 0) + sign);
  addTo(tally.sites, candidate.sites, candidate.passChance);
  addTo(tally.lights, candidate.lights, 1);
  addTo(tally.roads, candidate.roads, 1);
  addTo(tally.laneLoops, candidate.roadLanes, 1);
  addTo(tally.junctionLoops, candidate.junctions, 1);
  for (const lane of candidate.roadLanes) {
    const cost = crowdCost(tally.laneLoops[lane] ?? 0, LANE_LOOPS_MAX);
    tally.laneCost[lane] = cost * COST.crowdedLane;
  }
  for (const junction of candidate.junctions) {
    const cost = crowdCost(tally.junctionLoops[junction] ?? 0, JUNCTION_LOOPS_MAX);
    tally.junctionCost[junction] = cost * COST.crowdedJunction;
  }
}

/** The one that costs least among those that are possible beside the others. */
function cheapest(
  candidates: readonly Candidate[],
  tally: Tally,
  isPossible: (candidate: Candidate) => unknown,
): Candidate {
  const refused = new Set<Candidate>();
  while (refused.size < candidates.length) {
    let best: Candidate | undefined;
    let bestCost = Number.POSITIVE_INFINITY;
    for (const candidate of candidates) {
      const cost = costOf(candidate, tally);
      if (cost >= bestCost || refused.has(candidate)) continue;
      best = candidate;
      bestCost = cost;
    }
    if (!best) break;
    if (isPossible(best)) return best;
    refused.add(best);
  }
  throw new RangeError('the loops have too few lanes to begin on');
}

/** What one more loop adds to the cost of the plan, apart from what all loops add. */
function costOf(candidate: Candidate, tally: Tally): number {
  const { passChance } = candidate;
  let cost =
    candidate.hurriedSites * COST.hurriedSite + (tally.uses.get(candidate) ?? 0) * COST.sameLoop;
  for (const site of candidate.sites) {
    const missing = Math.max(0, PASSES_WANTED - (tally.sites[site] ?? 0));
    const left = Math.max(0, missing - passChance);
    cost -= (missing * missing * missing - left * left * left) * COST.missingPass;
  }
  for (const light of candidate.lights) if (tally.lights[light] === 0) cost -= COST.unseenLight;
  for (const road of candidate.roads) if (tally.roads[road] === 0) cost -= COST.unseenRoad;
  for (const lane of candidate.roadLanes) cost += tally.laneCost[lane] ?? 0;
  for (const junction of candidate.junctions) cost += tally.junctionCost[junction] ?? 0;
  return cost;
}

/** Grows with the square of what is too many. */
const crowdCost = (loops: number, most: number): number => Math.max(0, 2 * (loops - most) + 1);

const startsOf = ({ lanes }: Network, loop: readonly number[]): number[] =>
  loop.filter((index) => {
    const lane = at(lanes, index);
    return lane.road >= 0 && lengthOf(lane.polyline) >= FIRST_LANE_MIN_M;
  });

/** The loops turned so that each begins on a lane of its own. */
function withStarts(chosen: readonly Candidate[]): Route[] {
  const firsts = matched(chosen.map(({ starts }) => starts)) ?? [];
  return chosen.map(({ loop: { lanes } }, index) => {
    const first = lanes.indexOf(at(firsts, index));
    return [...lanes.slice(first), ...lanes.slice(0, first)];
  });
}

/** For each list one of its items, no two the same: a matching by augmenting paths. */
function matched(lists: readonly (readonly number[])[]): number[] | undefined {
  const ownerOf = new Map<number, number>();
  const claim = (list: number, seen: Set<number>): boolean =>
    at(lists, list).some((item) => {
      if (seen.has(item)) return false;
      seen.add(item);
      const rival = ownerOf.get(item);
      if (rival !== undefined && !claim(rival, seen)) return false;
      ownerOf.set(item, list);
      return true;
    });
  for (const list of lists.keys()) if (!claim(list, new Set())) return undefined;
  const items = lists.map(() => -1);
  for (const [item, list] of ownerOf) items[list] = item;
  return items;
}
