import { expect, test } from 'vitest';
import { compared, figure, formatFigure } from '../common/figures.ts';
import { columns } from '../common/report.ts';
import { benchReadings, loadReadings, printedFigures } from './readings.ts';

const FIGURES = [
  figure('a car-tick in 1 world', 114.4, 'ns'),
  figure('  in processor time', 115.6, 'ns'),
  figure('a car-tick in 5,000 worlds', 170.2, 'ns', { atMost: 260 }),
  figure('  in processor time', 171, 'ns'),
  compared('POST worlds', 7300, '/s', { name: 'empty uWebSockets.js', value: 100_000 }),
  figure('cities in turn', 3, ''),
];

test('the figures of a result are its readings, those with a reference by their ratio', () => {
  expect(benchReadings({ printed: '', result: { figures: FIGURES } })).toEqual([
    { name: 'a car-tick in 1 world', value: 114.4, unit: 'ns', better: 'smaller' },
    { name: '  in processor time', value: 115.6, unit: 'ns', better: 'smaller' },
    { name: 'a car-tick in 5,000 worlds', value: 170.2, unit: 'ns', better: 'smaller' },
    { name: '  in processor time (2)', value: 171, unit: 'ns', better: 'smaller' },
    { name: 'POST worlds ÷ empty uWebSockets.js', value: 0.073, unit: '×', better: 'larger' },
    { name: 'cities in turn', value: 3, unit: '' },
  ]);
});

test('a printed table has the same readings, with the digits that it shows', () => {
  const printed = columns(FIGURES.map((each) => [each.name, formatFigure(each, 2)] as const));
  const readings = benchReadings({ printed: `> bench\n\n${printed}\n`, result: undefined });
  const exact = benchReadings({ printed: '', result: { figures: FIGURES } });
  expect(readings.map(({ name, unit, better }) => [name, unit, better])).toEqual(
    exact.map(({ name, unit, better }) => [name, unit, better]),
  );
  for (const [i, { value }] of readings.entries()) {
    expect(value / (exact[i]?.value ?? 0)).toBeCloseTo(1, 2);
  }
});

test('lines that are no row of a table are left out', () => {
  const printed = [
    'machine factor 2.05, measured 2026-01-02 on Some CPU',
    '    5 s  1000 changes answered',
    'written to bench/results/kernel.json',
    'growth from 100 to 5,000    8.7 %',
  ];
  expect(printedFigures(printed.join('\n'))).toEqual([
    { name: 'growth from 100 to 5,000', value: 8.7, unit: '%' },
  ]);
});

test('the measures of a load command are found in its result, where it has them', () => {
  const readings = loadReadings([
    { name: 'p99 gap', path: 'summary.p99Ms', unit: 'ms', better: 'smaller' },
    { name: 'first endpoint', path: 'endpoints.0.ms', unit: 'ms', better: 'smaller' },
    { name: 'memory', path: 'idle.rssBytes', unit: 'bytes', better: 'smaller' },
  ]);
  const result = { summary: { p99Ms: 95 }, endpoints: [{ ms: 6 }], idle: undefined };
  expect(readings({ printed: '', result })).toEqual([
    { name: 'p99 gap', value: 95, unit: 'ms', better: 'smaller' },
    { name: 'first endpoint', value: 6, unit: 'ms', better: 'smaller' },
  ]);
  expect(readings({ printed: 'nothing', result: undefined })).toEqual([]);
});
