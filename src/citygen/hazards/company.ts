import { at } from '../../city/geometry.ts';
import type { Loop } from '../routes/loops.ts';

/** Loops by a place that count: those that come by most spots. */
const LOOPS_WANTED = 12;
/** By a place at least, so that routes can lead there and still differ. */
const LOOPS_MIN = 3;
/** Spots on the loops by a spot, itself counted. */
const SPOTS_WANTED = 5;
/** What one more of them is worth, and what a loop fewer costs where nothing else is; m of detour. */
const SPOT_WORTH = 150;
const LOOP_WORTH = 15;

/** How well places and the spots that are taken lie together on loops. */
export interface Company {
  join(lane: number): void;
  leave(lane: number): void;
  /** Of a place on the lane, for itself and for the spots that have too little company. */
  worthOf(lane: number): number;
}

export function createCompany(laneCount: number, loops: readonly Loop[]): Company {
  const users: number[][] = Array.from({ length: laneCount }, () => []);
  for (const [index, { lanes }] of loops.entries()) {
    for (const lane of lanes) at(users, lane).push(index);
  }
  const spotCounts = loops.map(() => 0);
  const members: number[] = [];
  let companies = new Map<number, number>();
  const companyOn = (lane: number): number => {
    const known = companies.get(lane);
    if (known !== undefined) return known;
    const counts = at(users, lane).map((loop) => at(spotCounts, loop));
    const most = counts.sort((a, b) => b - a).slice(0, LOOPS_WANTED);
    const company = most.reduce((sum, count) => sum + count, 0) / most.length;
    companies.set(lane, company);
    return company;
  };
  const shares = new Map<number, readonly number[]>();
  /** For each lane the part of the loops by `lane` that use it. */
  const sharesOf = (lane: number): readonly number[] => {
    const known = shares.get(lane);
    if (known) return known;
    const own = at(users, lane);
    const share = users.map(() => 0);
    for (const loop of own) {
      for (const other of at(loops, loop).lanes) share[other] = at(share, other) + 1 / own.length;
    }
    shares.set(lane, share);
    return share;
  };
  const count = (lane: number, sign: 1 | -1): void => {
    for (const loop of at(users, lane)) spotCounts[loop] = at(spotCounts, loop) + sign;
    companies = new Map();
  };
  return {
    join: (lane) => {
      members.push(lane);
      count(lane, 1);
    },
    leave: (lane) => {
      members.splice(members.indexOf(lane), 1);
      count(lane, -1);
    },
    worthOf: (lane) => {
      const loopCount = at(users, lane).length;
      if (loopCount < LOOPS_MIN) return Number.NEGATIVE_INFINITY;
      let company = companyOn(lane);
      for (const other of members) {
        company += Math.max(0, SPOTS_WANTED - companyOn(other)) * at(sharesOf(other), lane);
      }
      const missing = company < 1 ? Math.max(0, LOOPS_WANTED - loopCount) : 0;
      return company * SPOT_WORTH - missing * LOOP_WORTH;
    },
  };
}
