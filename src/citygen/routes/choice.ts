import { at } from '../../city/geometry.ts';
import type { Network } from '../network/network.ts';
import type { RandomStream } from '../random-stream.ts';
import type { Loop } from './loops.ts';

/** Passes wanted of each site. The cost grows with the cube of the missing ones. */
const PASSES_WANTED = 9;
/** Loops over a lane or a junction above which it is crowded. */
const LANE_LOOPS_MAX = 10;
const JUNCTION_LOOPS_MAX = 14;

const FIRST_ROUNDS = 6;
/** Number of random restarts, and the part of the loops that each replaces. */
const RESTARTS = 20;
const REPLACED_PERCENT = 25;
/** Least improvement of the total cost for another round. */
const COST_STEP = 1e-6;

/** Weights of the costs of a plan. */
const COST = {
  missingPass: 3,
  unseenLight: 100,
  unseenRoad: 60,
  crowdedLane: 10,
  crowdedJunction: 0.7,
  sameLoop: 40,
  metre: 0.02,
} as const;

/** A loop and the quantities that its cost depends on. */
export interface Candidate {
  loop: Loop;
  /** Places where a route can begin. */
  starts: readonly number[];
  /** Indices of the sites, lights, roads, lanes and junctions on it. */
  sites: readonly number[];
  lights: readonly number[];
  roads: readonly number[];
  roadLanes: readonly number[];
  junctions: readonly number[];
}

/** How often the chosen loops pass each site, light, road and lane, and the cost of one more. */
interface Tally {
  sites: Float64Array;
  lights: Float64Array;
  roads: Float64Array;
  uses: Map<Candidate, number>;
  laneLoops: Float64Array;
  junctionLoops: Float64Array;
  laneCost: Float64Array;
  junctionCost: Float64Array;
  /** Cost of the chosen loops, without the part that all plans share. */
  total: number;
}

/**
 * Chooses `routeCount` loops of low cost that can all begin in different places; a loop
 * may be chosen more than once. Local search: fills each slot with the cheapest loop, then replaces loops
 * one by one, then random sets of them, and keeps the better plan.
 */
export function choose(
  network: Network,
  siteCount: number,
  candidates: readonly Candidate[],
  routeCount: number,
  random: RandomStream,
): Candidate[] {
  const tally: Tally = {
    sites: new Float64Array(siteCount),
    lights: new Float64Array(network.lights.length),
    roads: new Float64Array(network.roads.length),
    uses: new Map(),
    laneLoops: new Float64Array(network.lanes.length),
    junctionLoops: new Float64Array(network.junctions.length),
    laneCost: new Float64Array(network.lanes.length),
    junctionCost: new Float64Array(network.junctions.length),
    total: 0,
  };
  const chosen = new Map<number, Candidate>();
  const empty = (slot: number): void => {
    const old = chosen.get(slot);
    if (old) count(tally, old, -1);
    chosen.delete(slot);
  };
  const fill = (slot: number): void => {
    empty(slot);
    const others = [...chosen.values()].map(({ starts }) => starts);
    const best = cheapest(candidates, tally, ({ starts }) => matched([...others, starts]));
    chosen.set(slot, best);
    count(tally, best, 1);
  };
  const slots = Array.from({ length: routeCount }, (_, slot) => slot);
  const improve = (rounds: number): void => {
    for (let round = 0; round < rounds; round++) {
      const before = tally.total;
      for (const slot of slots) fill(slot);
      if (tally.total > before - COST_STEP) break;
    }
  };
  improve(FIRST_ROUNDS);
  for (let restart = 0; restart < RESTARTS; restart++) {
    const best = new Map(chosen);
    const bestTotal = tally.total;
    const replaced = slots.filter(() => random.between(1, 100) <= REPLACED_PERCENT);
    for (const slot of replaced) empty(slot);
    for (const slot of replaced) fill(slot);
    improve(1);
    if (tally.total < bestTotal) continue;
    for (const slot of slots) empty(slot);
    for (const [slot, candidate] of best) {
      chosen.set(slot, candidate);
      count(tally, candidate, 1);
    }
  }
  return slots.flatMap((slot) => chosen.get(slot) ?? []);
}

function count(tally: Tally, candidate: Candidate, sign: 1 | -1): void {
  if (sign > 0) tally.total += costOf(candidate, tally);
  const addTo = (counts: Float64Array, indices: readonly number[], amount: number) => {
    for (const index of indices) counts[index] = (counts[index] ?? 0) + amount * sign;
  };
  tally.uses.set(candidate, (tally.uses.get(candidate) ?? 0) + sign);
  addTo(tally.sites, candidate.sites, 1);
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
  if (sign < 0) tally.total -= costOf(candidate, tally);
}

/** The cheapest candidate that is possible together with the chosen ones. */
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
  throw new RangeError('the loops have too few places to begin');
}

/** The cost that one more loop adds to the plan, without the part that all loops share. */
function costOf(candidate: Candidate, tally: Tally): number {
  let cost = candidate.loop.lengthM * COST.metre + (tally.uses.get(candidate) ?? 0) * COST.sameLoop;
  for (const site of candidate.sites) {
    const missing = Math.max(0, PASSES_WANTED - (tally.sites[site] ?? 0));
    const left = Math.max(0, missing - 1);
    cost -= (missing * missing * missing - left * left * left) * COST.missingPass;
  }
  for (const light of candidate.lights) if (tally.lights[light] === 0) cost -= COST.unseenLight;
  for (const road of candidate.roads) if (tally.roads[road] === 0) cost -= COST.unseenRoad;
  for (const lane of candidate.roadLanes) cost += tally.laneCost[lane] ?? 0;
  for (const junction of candidate.junctions) cost += tally.junctionCost[junction] ?? 0;
  return cost;
}

/** Cost of one more loop; the sum grows with the square of the excess. */
const crowdCost = (loops: number, most: number): number => Math.max(0, 2 * (loops - most) + 1);

/** One item of each list, all different, or undefined: bipartite matching by augmenting paths. */
export function matched(lists: readonly (readonly number[])[]): number[] | undefined {
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
