import { expect, test } from 'vitest';
import { compared, figure, formatFigure, formatNumber, markdown } from './figures.ts';

test('a figure is judged by its own value', () => {
  expect(figure('encode', 3.2, 'µs', { atMost: 4 }).target).toEqual({ text: '≤ 4 µs', met: true });
  expect(figure('create', 900, '/s', { atLeast: 2000 }).target?.met).toBe(false);
  expect(figure('encode', 3.2, 'µs')).not.toHaveProperty('target');
});

test('a compared figure is judged by its ratio', () => {
  const empty = { name: 'empty', value: 100_000 };
  expect(compared('read', 70_000, '/s', empty, { atLeast: 0.6 })).toMatchObject({
    ratio: 0.7,
    target: { text: '≥ 0.6 ×', met: true },
  });
  expect(compared('read', 50_000, '/s', empty, { atLeast: 0.6 }).target?.met).toBe(false);
});

test('figures are printed with reference and verdict', () => {
  const empty = { name: 'empty', value: 100_000 };
  expect(formatFigure(compared('read', 50_000, '/s', empty, { atLeast: 0.6 }))).toBe(
    '50,000 /s   = 0.5 × empty (100,000)   target ≥ 0.6 ×: MISSED',
  );
  expect([0.012345, 2.71, 1234.5].map(formatNumber)).toEqual(['0.0123', '2.71', '1,235']);
});

test('a table has a row a figure, with empty cells where nothing is compared or judged', () => {
  const native = { name: 'native', value: 200 };
  const figures = [figure('moving', 88, '%'), compared('step', 220, 'ns', native, { atMost: 1.2 })];
  expect(markdown(figures).split('\n').slice(2)).toEqual([
    '| moving | 88 % |  |  |',
    '| step | 220 ns | 1.1 × native (200) | ≤ 1.2 ×: met |',
  ]);
});
