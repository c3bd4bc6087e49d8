import { expect, test } from 'vitest';
import type { Lane } from '../../city/types.ts';
import { roadLane } from '../../testing/rigs/paths.ts';
import { RandomStream } from '../random-stream.ts';
import { loopsOver } from './loops.ts';
import { shortestFrom } from './ways.ts';

const HUNDRED_METRES = [
  [0, 0],
  [100, 0],
] as const;

/** Lanes 100 m long that lead to these. */
const lanesTo = (nexts: readonly (readonly number[])[]): Lane[] =>
  nexts.map((next) => roadLane(HUNDRED_METRES, { next }));

/** A ring of four lanes with a way round of two more from the second to the third. */
const network = lanesTo([[1], [2, 4], [3], [0], [5], [2]]);

test('The loops over a lane are those of the wanted length.', () => {
  const loopsUpTo = (lengthMaxM: number) =>
    loopsOver(network, [], [0], { lengthMinM: 300, lengthMaxM }, new RandomStream(1, 1)).sort(
      (a, b) => a.lengthM - b.lengthM,
    );
  expect(loopsUpTo(500)).toEqual([{ lanes: [0, 1, 2, 3], lengthM: 400 }]);
  expect(loopsUpTo(600)).toEqual([
    { lanes: [0, 1, 2, 3], lengthM: 400 },
    { lanes: [0, 1, 4, 5, 2, 3], lengthM: 600 },
  ]);
  expect(loopsUpTo(350)).toEqual([]);
});

test('The shortest ways lead from the end of a lane to the start of each lane.', () => {
  const distanceM = shortestFrom(
    network.map(({ next }) => next),
    [100, 100, 500, 100, 100, 100],
    1,
  );
  expect([...distanceM]).toEqual([600, 700, 0, 500, 0, 100]);
});
