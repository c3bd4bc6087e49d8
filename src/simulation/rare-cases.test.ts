import { describe, expect, test } from 'vitest';
import { STEPS } from './handover-steps.ts';
import { missedCases, strikesAt } from './rare-cases.ts';
import { NO_COUNTS } from './totals.ts';

const RUNS = 10_000;
const TOTALS = { ...NO_COUNTS, takeovers: 1000, unknown: 1000, moved: 1000 };
const STRIKES = new Map(strikesAt(STEPS).map((each) => [each, 1]));

describe('of ten thousand runs', () => {
  test('none is missed if each strike met each step, and enough has moved', () => {
    expect(STRIKES.size).toBe(5 * STEPS.length);
    expect(missedCases({ runCount: RUNS, totals: TOTALS, strikes: STRIKES })).toEqual([]);
  });

  test('what never happened, or seldom, is named', () => {
    const strikes = new Map([...STRIKES].filter(([each]) => each !== 'pause at go'));
    const totals = { ...TOTALS, unknown: 999 };
    const missed = missedCases({ runCount: RUNS, totals, strikes });
    expect(missed).toEqual(['pause at go', '999 unknown']);
  });
});

test('fewer runs need not have met everything', () => {
  const runs = { runCount: RUNS - 1, totals: NO_COUNTS, strikes: new Map() };
  expect(missedCases(runs)).toEqual([]);
});
