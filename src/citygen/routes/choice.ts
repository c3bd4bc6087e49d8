import { at } from '../../city/geometry.ts';
import type { Network } from '../network/network.ts';
import type { Random } from '../random.ts';
import type { Loop } from './loops.ts';

/** Certain passes of each site; what is missing costs by its cube. */
const PASSES_WANTED = 9;
/** Loops that lanes and junctions take before they are crowded. */
const LANE_LOOPS_MAX = 10;
const JUNCTION_LOOPS_MAX = 14;

const FIRST_ROUNDS = 6;
/** Times that chance is tried, and how many of the loops are given up then. */
const KICKS = 20;
const GIVEN_UP_PERCENT = 25;
/** Less is no improvement. */
const COST_STEP = 1e-6;

/** What a plan is charged for: the greater, the more it matters. */
const COST = {
  missingPass: 3,
  unseenLight: 2000,
  unseenRoad: 60,
  crowdedLane: 1.5,
  crowdedJunction: 0.7,
  hurriedSite: 1.5,
  sameLoop: 10,
} as const;

/** What a loop counts for. */
export interface Candidate {
  loop: Loop;
  /** Lanes on which it can begin. */
  starts: readonly number[];
  /** Indices of what it comes by. */
  sites: readonly number[];
  lights: readonly number[];
  roads: readonly number[];
  roadLanes: readonly number[];
  junctions: readonly number[];
  /**
   * What a site gains by it: the square of the chance that a car which starts somewhere on it passes
   * the site in time, because what is certain is worth more.
   */
  passWorth: number;
  hurriedSites: number;
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
  /** Cost of all that is chosen, apart from what every plan costs. */
  total: number;
}

/**
 * So many loops, of which each may be taken more than once as long as all can begin on lanes of
 * their own: one after another, the one that costs least; then each is given up for a better one;
 * then some at a time, and the others again, as long as chance finds something better.
 */
export function choose(
  network: Network,
  siteCount: number,
  candidates: readonly Candidate[],
  routeCount: number,
  random: Random,
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
  for (let kick = 0; kick < KICKS; kick++) {
    const best = new Map(chosen);
    const bestTotal = tally.total;
    const given = slots.filter(() => random.between(1, 100) <= GIVEN_UP_PERCENT);
    for (const slot of given) empty(slot);
    for (const slot of given) fill(slot);
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
  addTo(tally.sites, candidate.sites, candidate.passWorth);
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
  const { passWorth } = candidate;
  let cost =
    candidate.hurriedSites * COST.hurriedSite + (tally.uses.get(candidate) ?? 0) * COST.sameLoop;
  for (const site of candidate.sites) {
    const missing = Math.max(0, PASSES_WANTED - (tally.sites[site] ?? 0));
    const left = Math.max(0, missing - passWorth);
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

/** For each list one of its items, no two the same: a matching by augmenting paths. */
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
