import { at } from '../../city/geometry.ts';

/**
 * Metres from the end of a lane to the start of each lane; infinite without a way. The lane itself
 * gets the way back to its own start. Bellman and Ford's algorithm with a queue.
 */
export function shortestFrom(
  nextOf: readonly (readonly number[])[],
  lengthsM: readonly number[],
  from: number,
): Float64Array {
  const distanceM = new Float64Array(nextOf.length).fill(Number.POSITIVE_INFINITY);
  const isQueued = new Uint8Array(nextOf.length);
  const queue: number[] = [];
  const leave = (lane: number, endM: number): void => {
    for (const next of at(nextOf, lane)) {
      if (endM >= (distanceM[next] ?? 0)) continue;
      distanceM[next] = endM;
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
  return distanceM;
}
