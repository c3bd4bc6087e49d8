import { expect, test } from 'vitest';
import { isMissed } from '../bench/common/figures.ts';
import { judgedFrames } from './frame-bounds.ts';
import type { FrameSummary } from './frame-tally.ts';

const MINUTE: FrameSummary = {
  ...{ frames: 1500, bytes: 1, missed: 0, disordered: 0, closed: {} },
  ...{ seconds: 60, streams: 2, fewest: 742, most: 758 },
  ...{ p50Ms: 81.9, p99Ms: 120, maxMs: 300 },
};

/** Names of the figures that are past their bounds, on a machine of any speed. */
const missedOf = (found: Partial<FrameSummary>, elsewhereP99Ms = 80) =>
  judgedFrames({ ...MINUTE, ...found }, elsewhereP99Ms)
    .filter((figure) => isMissed(figure, 3))
    .map(({ name }) => name);

test('streams of a minute may have eight frames more or fewer, 80 ms apart', () => {
  expect(missedOf({})).toEqual([]);
  const off = 'frames that a stream had too many or too few, at most';
  expect(missedOf({ fewest: 741 })).toEqual([off]);
  expect(missedOf({ most: 759 })).toEqual([off]);
  expect(missedOf({ p50Ms: 77.9 })).toEqual(['median gap, off 80 ms']);
  expect(missedOf({ p50Ms: 82.1 })).toEqual(['median gap, off 80 ms']);
  expect(missedOf({ p99Ms: 121 })).toEqual(['gap, p99']);
  expect(missedOf({ disordered: 1 })).toEqual(['frames out of order']);
});

test('a machine that delays an empty server too is forgiven', () => {
  expect(missedOf({ p99Ms: 149 }, 100)).toEqual([]);
  expect(missedOf({ p99Ms: 151 }, 100)).toEqual(['gap, p99']);
});

test('in a short time a frame at each end is forgiven', () => {
  const second = { seconds: 1, fewest: 11, most: 14 };
  expect(missedOf(second)).toEqual([]);
  expect(missedOf({ ...second, fewest: 10 })).toHaveLength(1);
});
