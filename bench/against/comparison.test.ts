import { expect, test } from 'vitest';
import { exitCodeOf, formatComparison } from './against.ts';
import { compareRuns } from './comparison.ts';
import type { Reading } from './readings.ts';

const LIMIT = 0.03;

function runs(values: readonly number[], of: Omit<Reading, 'value'>): Reading[][] {
  return values.map((value) => [{ ...of, value }]);
}

function compare(here: readonly number[], there: readonly number[], better?: Reading['better']) {
  const of = { name: 'step', unit: 'ns', ...(better && { better }) };
  const comparison = compareRuns(runs(here, of), runs(there, of), LIMIT);
  const [figure] = comparison.figures;
  if (!figure) throw new Error('nothing was compared');
  return { ...figure, exitCode: exitCodeOf(comparison) };
}

test('medians, ratios of neighbouring runs and the spread of the reference', () => {
  const { here, there, ratio, spread } = compare([110, 100, 99], [100, 100, 110], 'smaller');
  expect([here, there]).toEqual([100, 100]);
  expect(ratio).toEqual({ min: 0.9, median: 1, max: 1.1 });
  expect(spread).toBeCloseTo(0.1);
});

test('a figure is worse past the limit, in the direction that is worse', () => {
  const steady = [100, 100, 100];
  expect(compare([104, 104, 104], steady, 'smaller')).toMatchObject({
    verdict: 'worse',
    exitCode: 1,
  });
  expect(compare([104, 104, 104], steady, 'larger')).toMatchObject({
    verdict: 'better',
    exitCode: 0,
  });
  expect(compare([96, 96, 96], steady, 'larger').verdict).toBe('worse');
  expect(compare([102, 102.9, 104], steady, 'smaller')).toMatchObject({
    verdict: 'same',
    exitCode: 0,
  });
});

test('of two ratios the geometric mean counts', () => {
  expect(compare([50, 200], [100, 100], 'smaller').ratio.median).toBeCloseTo(1);
});

test('a reference that drifts more than the limit widens it', () => {
  expect(compare([106, 106, 106], [95, 100, 107], 'smaller').verdict).toBe('same');
  expect(compare([112, 112, 112], [95, 100, 107], 'smaller').verdict).toBe('worse');
});

test('a figure without a better direction is shown, not judged', () => {
  expect(compare([50, 50], [100, 100])).toMatchObject({ verdict: 'not judged', exitCode: 0 });
});

test('zero against zero is no change, something against zero is one', () => {
  expect(compare([0, 0], [0, 0], 'smaller')).toMatchObject({ verdict: 'same', spread: 0 });
  expect(compare([2, 2], [0, 0], 'smaller').verdict).toBe('worse');
});

test('what one side lacks is named and not compared', () => {
  const common = { name: 'step', value: 1, unit: 'ns' };
  const added = { ...common, name: 'added' };
  const removed = { ...common, name: 'removed' };
  const { figures, unmatched } = compareRuns([[added, common]], [[common, removed]], LIMIT);
  expect(figures.map(({ name }) => name)).toEqual(['step']);
  expect(unmatched).toEqual(['added', 'removed']);
});

test('the table names both sides, the ratio with its spread, and the verdict', () => {
  const of = { name: 'step', unit: 'ns', better: 'smaller' } as const;
  const comparison = compareRuns(runs([120, 121, 122], of), runs([100, 100, 101], of), LIMIT);
  const text = formatComparison(comparison, {
    question: { script: 'bench', name: 'kernel', args: [] },
    against: '3d2cb8f',
    limit: 3,
    asMarkdown: false,
  });
  const row = text.split('\n').find((line) => line.startsWith('step'));
  expect(row?.split(/ {2,}/)).toEqual([
    'step',
    '121 ns',
    '100 ns',
    '1.208',
    '1.200 to 1.210',
    '±1.0 %',
    'WORSE',
  ]);
  expect(text).toContain('1 of 1 figures worse');
});
