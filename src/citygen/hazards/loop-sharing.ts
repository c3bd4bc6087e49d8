import { at } from '../../city/geometry.ts';
import type { Loop } from '../routes/loops.ts';

/** Loops over a lane that count: those that pass most spots. */
const LOOPS_WANTED = 12;
/** A lane needs this many loops, so that routes can use it and still differ. */
const LOOPS_MIN = 3;
/** Spots wanted on the loops over a spot, itself included. */
const SPOTS_WANTED = 5;
/** Value of one more of them, and cost of a missing loop if no spot is near; m of detour. */
const SPOT_WORTH = 150;
const LOOP_WORTH = 15;

/**
 * Counts the taken spots that share loops with a lane. A route is one loop, so spots on the same
 * loops are passed by the same cars.
 */
export class LoopSharing {
  readonly #loops: readonly Loop[];
  /** For each lane the indices of the loops over it. */
  readonly #loopsOver: readonly (readonly number[])[];
  readonly #spotCounts: number[];
  /** Lanes of the taken spots. */
  readonly #taken: number[] = [];
  readonly #shares = new Map<number, readonly number[]>();
  #spotsPerLoop = new Map<number, number>();

  constructor(laneCount: number, loops: readonly Loop[]) {
    const loopsOver: number[][] = Array.from({ length: laneCount }, () => []);
    for (const [index, { lanes }] of loops.entries()) {
      for (const lane of lanes) at(loopsOver, lane).push(index);
    }
    this.#loops = loops;
    this.#loopsOver = loopsOver;
    this.#spotCounts = loops.map(() => 0);
  }

  /** Takes a spot on the lane. */
  add(lane: number): void {
    this.#taken.push(lane);
    this.#count(lane, 1);
  }

  remove(lane: number): void {
    this.#taken.splice(this.#taken.indexOf(lane), 1);
    this.#count(lane, -1);
  }

  /** Value of a spot on the lane for itself and for taken spots with few others; m of detour. */
  worthOf(lane: number): number {
    const loopCount = at(this.#loopsOver, lane).length;
    if (loopCount < LOOPS_MIN) return Number.NEGATIVE_INFINITY;
    let spots = this.#spotsPerLoopOver(lane);
    for (const other of this.#taken) {
      const missing = Math.max(0, SPOTS_WANTED - this.#spotsPerLoopOver(other));
      spots += missing * at(this.#sharesOf(other), lane);
    }
    const missing = spots < 1 ? Math.max(0, LOOPS_WANTED - loopCount) : 0;
    return spots * SPOT_WORTH - missing * LOOP_WORTH;
  }

  /** Mean number of taken spots on the best loops over the lane. */
  #spotsPerLoopOver(lane: number): number {
    const known = this.#spotsPerLoop.get(lane);
    if (known !== undefined) return known;
    const counts = at(this.#loopsOver, lane).map((loop) => at(this.#spotCounts, loop));
    const most = counts.sort((a, b) => b - a).slice(0, LOOPS_WANTED);
    const mean = most.reduce((sum, count) => sum + count, 0) / most.length;
    this.#spotsPerLoop.set(lane, mean);
    return mean;
  }

  /** For each lane, the fraction of the loops over `lane` that use it. */
  #sharesOf(lane: number): readonly number[] {
    const known = this.#shares.get(lane);
    if (known) return known;
    const own = at(this.#loopsOver, lane);
    const shares = this.#loopsOver.map(() => 0);
    for (const loop of own) {
      for (const other of at(this.#loops, loop).lanes) {
        shares[other] = at(shares, other) + 1 / own.length;
      }
    }
    this.#shares.set(lane, shares);
    return shares;
  }

  #count(lane: number, sign: 1 | -1): void {
    for (const loop of at(this.#loopsOver, lane)) {
      this.#spotCounts[loop] = at(this.#spotCounts, loop) + sign;
    }
    this.#spotsPerLoop = new Map();
  }
}
