import { at, lengthOf } from '../../city/geometry.ts';
import type { Lane } from '../../city/types.ts';
import { lanesBefore } from '../network/network.ts';
import type { RandomStream } from '../random-stream.ts';
import { shortestFrom } from './ways.ts';

/** A route begins on a lane of this length, so that the car can be driving there at tick 0. */
export const FIRST_LANE_MIN_M = 60;

/** A closed list of lanes that begins with a lane of a road. */
export interface Loop {
  lanes: readonly number[];
  lengthM: number;
}

interface LoopWishes {
  lengthMinM: number;
  lengthMaxM: number;
}

/** Size of the beam, in all and per lane. */
const BEAM_WIDTH = 80;
const BEAM_WIDTH_PER_LANE = 8;
/** Value of a goal, in metres of additional length. */
const GOAL_WORTH_M = 240;
/** Range of a random bonus, so that drives of similar worth alternate. */
const NOISE_M = 150;

/** The way from a lane of a road to the next lane of a road. */
interface Step {
  /** The last one is a lane of a road. */
  lanes: readonly number[];
  lengthM: number;
  /** Bit i: goal i is passed. */
  goals: number;
}

/** The beginning of a loop, linked backwards. */
interface Drive {
  lane: number;
  step?: Step;
  before?: Drive;
  lengthM: number;
  goals: number;
  worth: number;
}

/**
 * Finds loops through each of the `starts`, none with a lane twice, by a beam search that prefers
 * short drives over many goals. There are at most 31 goals. A goal is a lane of a road, or such a
 * lane and the connector after it.
 */
export function loopsOver(
  lanes: readonly Lane[],
  goals: readonly (readonly number[])[],
  starts: readonly number[],
  wishes: LoopWishes,
  random: RandomStream,
): Loop[] {
  const lengthsM = lanes.map(({ polyline }) => lengthOf(polyline));
  const steps = lanes.map((lane, index) =>
    lane.road >= 0 ? stepsFrom(lanes, lengthsM, goals, index) : [],
  );
  const before = lanesBefore(lanes);
  const found = new Map<string, Loop>();
  for (const start of starts) {
    const homeM = shortestFrom(before, lengthsM, start);
    for (const loop of search(steps, start, homeM, wishes, random)) {
      found.set(loop.lanes.toSorted((a, b) => a - b).join(), loop);
    }
  }
  return [...found.values()];
}

function stepsFrom(
  lanes: readonly Lane[],
  lengthsM: readonly number[],
  goals: readonly (readonly number[])[],
  from: number,
): Step[] {
  const ways = at(lanes, from).next.flatMap((next) =>
    at(lanes, next).road >= 0 ? [[next]] : at(lanes, next).next.map((road) => [next, road]),
  );
  return ways.map((way) => {
    const driven = [from, ...way];
    const passed = goals.map((goal) =>
      goal.length === 1 ? goal[0] === at(way, -1) : goal.every((lane, i) => lane === driven[i]),
    );
    return {
      lanes: way,
      lengthM: way.reduce((sum, lane) => sum + at(lengthsM, lane), 0),
      goals: passed.reduce((bits, isPassed, i) => bits | (isPassed ? 1 << i : 0), 0),
    };
  });
}

function search(
  steps: readonly (readonly Step[])[],
  start: number,
  homeM: Float64Array,
  { lengthMinM, lengthMaxM }: LoopWishes,
  random: RandomStream,
): Loop[] {
  const loops: Loop[] = [];
  let beam: Drive[] = [{ lane: start, lengthM: 0, goals: 0, worth: 0 }];
  while (beam.length > 0) {
    const onward: Drive[] = [];
    for (const drive of beam) {
      for (const step of at(steps, drive.lane)) {
        const lane = at(step.lanes, -1);
        const lengthM = drive.lengthM + step.lengthM;
        const goals = drive.goals | step.goals;
        if (lane === start) {
          const loop = { lane, step, before: drive, lengthM, goals, worth: 0 };
          if (lengthM >= lengthMinM && lengthM <= lengthMaxM) loops.push(closed(loop));
          continue;
        }
        if (lengthM + (homeM[lane] ?? 0) > lengthMaxM || hasDriven(drive, lane)) continue;
        const worth = countBits(goals) * GOAL_WORTH_M - lengthM + random.between(0, NOISE_M);
        onward.push({ lane, step, before: drive, lengthM, goals, worth });
      }
    }
    beam = bestOf(onward);
  }
  return loops;
}

function bestOf(drives: readonly Drive[]): Drive[] {
  const counts = new Map<number, number>();
  const best: Drive[] = [];
  for (const drive of drives.toSorted((a, b) => b.worth - a.worth)) {
    const count = counts.get(drive.lane) ?? 0;
    if (count === BEAM_WIDTH_PER_LANE) continue;
    counts.set(drive.lane, count + 1);
    best.push(drive);
    if (best.length === BEAM_WIDTH) break;
  }
  return best;
}

function hasDriven(drive: Drive, lane: number): boolean {
  for (let some: Drive | undefined = drive; some; some = some.before) {
    if (some.lane === lane) return true;
  }
  return false;
}

/** The lanes of a drive that is back at its start, the first lane first. */
function closed(home: Drive): Loop {
  const lanes: number[] = [];
  for (let drive: Drive | undefined = home; drive?.step; drive = drive.before) {
    lanes.unshift(...drive.step.lanes);
  }
  const start = lanes.pop();
  return { lanes: start === undefined ? [] : [start, ...lanes], lengthM: home.lengthM };
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
