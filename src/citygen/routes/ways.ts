import { at } from '../../city/geometry.ts';

/** Shortest ways from the end of a lane to the start of every other. */
export interface Tree {
  /** To the lane's start; infinite where no way leads. */
  distanceM: Float64Array;
  /** The lane before it on the way, or −1. */
  cameFrom: Int32Array;
}

/**
 * Bellman and Ford's labels, corrected in the order in which they changed. The lane itself gets the
 * way back to its own start.
 */
export function shortestFrom(
  nextOf: readonly (readonly number[])[],
  lengthsM: readonly number[],
  from: number,
): Tree {
  const distanceM = new Float64Array(nextOf.length).fill(Number.POSITIVE_INFINITY);
  const cameFrom = new Int32Array(nextOf.length).fill(-1);
  const isQueued = new Uint8Array(nextOf.length);
  const queue: number[] = [];
  const leave = (lane: number, endM: number): void => {
    for (const next of at(nextOf, lane)) {
      if (endM >= (distanceM[next] ?? 0)) continue;
      distanceM[next] = endM;
      cameFrom[next] = lane;
      if (isQueued[next] === 1 || next === from) continue;
      isQueued[next] = 1;
      queue.push(next);
    }
  };
  leave(from, 0);
  for (const lane of queue) {
    isQueued[lane] = 0;
    leave(lane, (distanceM[lane] ?? 0) + at(lengthsM, lane));
  }
  return { distanceM, cameFrom };
}
