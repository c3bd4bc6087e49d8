import { at, lengthOf } from './geometry.ts';
import type { Random } from './random.ts';
import type { Lane, Route } from './types.ts';

const ROUTE_COUNT = 20;
const LENGTH_MIN_M = 800;
/** Between these the greatest length of each route is drawn, so that lengths differ. */
const LENGTH_MAX_FROM_M = 1100;
const LENGTH_MAX_TO_M = 2500;
/** A route begins on a lane long enough for a car to be rolling there. */
const FIRST_LANE_MIN_M = 70;
const CANDIDATE_COUNT = 80;
/** Faster than a city's general limit. */
const FAST_MPS = 55 / 3.6;
/** Roads that a candidate wanders along before it turns back. */
const WANDER_MIN = 3;
const WANDER_MAX = 10;

/**
 * Twenty closed loops over `next`, none with a lane twice, each beginning on a lane of its own. Of
 * many random loops the one is kept that adds most road to what the loops before it cover.
 *
 * @throws RangeError where the network has no such loops
 */
export function planRoutes(lanes: readonly Lane[], random: Random): Route[] {
  const lengthsM = lanes.map((lane) => lengthOf(lane.polyline));
  const starts = lanes.flatMap((lane, index) =>
    lane.road >= 0 && at(lengthsM, index) >= FIRST_LANE_MIN_M ? [index] : [],
  );
  const covered = new Set<number>();
  const taken = new Set<number>();
  return Array.from({ length: ROUTE_COUNT }, () => {
    const free = starts.filter((start) => !taken.has(start));
    const route = bestLoop(lanes, lengthsM, free, covered, random);
    taken.add(at(route, 0));
    for (const lane of route) covered.add(lane);
    return route;
  });
}

function bestLoop(
  lanes: readonly Lane[],
  lengthsM: readonly number[],
  starts: readonly number[],
  covered: ReadonlySet<number>,
  random: Random,
): number[] {
  const lengthMaxM = random.between(LENGTH_MAX_FROM_M, LENGTH_MAX_TO_M);
  let best: number[] = [];
  let bestGainM = -1;
  for (let i = 0; i < CANDIDATE_COUNT; i++) {
    const loop = randomLoop(lanes, random.pick(starts), random);
    const lengthM = sum(loop, lengthsM);
    if (lengthM < LENGTH_MIN_M || lengthM > lengthMaxM) continue;
    const gainM = sum(
      loop.filter((lane) => !covered.has(lane)),
      lengthsM,
    );
    if (gainM <= bestGainM) continue;
    best = loop;
    bestGainM = gainM;
  }
  if (best.length === 0) throw new RangeError('the network has no loop of the wanted length');
  return best;
}

const sum = (loop: readonly number[], lengthsM: readonly number[]): number =>
  loop.reduce((totalM, lane) => totalM + at(lengthsM, lane), 0);

/** A walk from `start` and the shortest way back; empty where it got stuck. */
function randomLoop(lanes: readonly Lane[], start: number, random: Random): number[] {
  const walk = [start];
  const used = new Set(walk);
  const wander = random.between(WANDER_MIN, WANDER_MAX);
  for (let i = 0; i < wander; i++) {
    const choices = at(lanes, at(walk, -1)).next.filter((connector) =>
      at(lanes, connector).next.every((road) => !used.has(road)),
    );
    if (choices.length === 0) return [];
    const connector = random.pick(choices.flatMap((one) => ticketsOf(lanes, one)));
    walk.push(connector, at(at(lanes, connector).next, 0));
    for (const lane of walk.slice(-2)) used.add(lane);
  }
  const back = wayBack(lanes, at(walk, -1), start, used);
  return back ? [...walk, ...back] : [];
}

/**
 * The connector as often as it takes part in the draw: straight on counts three turns, or loops
 * would only circle their block, and a fast road draws traffic.
 */
function ticketsOf(lanes: readonly Lane[], connector: number): number[] {
  const lane = at(lanes, connector);
  const isFast = at(lanes, at(lane.next, 0)).speedLimitMps > FAST_MPS;
  const count = (lane.connector?.turn === 'straight' ? 3 : 1) * (isFast ? 3 : 1);
  return Array.from({ length: count }, () => connector);
}

/** Fewest lanes from `from` to `start`, both left out, over none that are used; breadth first. */
function wayBack(
  lanes: readonly Lane[],
  from: number,
  start: number,
  used: ReadonlySet<number>,
): number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [from];
  for (const lane of queue) {
    for (const next of at(lanes, lane).next) {
      if (next === start) return pathTo(lane, from, cameFrom);
      if (used.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, lane);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(lane: number, from: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const path: number[] = [];
  for (let step = lane; step !== from; step = cameFrom.get(step) ?? from) path.push(step);
  return path.reverse();
}
