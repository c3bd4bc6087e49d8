import { expect, test } from 'vitest';
import {
  compared,
  type Figure,
  figure,
  formatFigure,
  formatNumber,
  isMissed,
  markdown,
} from './figures.ts';

test('a figure is judged by its own value', () => {
  expect(figure('encode', 3.2, 'µs', { atMost: 4 }).target).toEqual({
    text: '≤ 4 µs',
    met: true,
    scaled: 4,
  });
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

test('which way is better follows from the limit, from what is said, or from the unit', () => {
  const empty = { name: 'empty', value: 100 };
  expect(figure('moving', 88, '%')).not.toHaveProperty('better');
  expect(figure('moving', 88, '%', { better: 'larger' }).better).toBe('larger');
  expect(figure('growth', 8, '%', { atMost: 25 }).better).toBe('smaller');
  expect(figure('encode', 3.2, 'µs').better).toBe('smaller');
  expect(compared('read', 50, '/s', empty).better).toBe('larger');
});

test('the factor of the machine widens limits of processor time and of rates only', () => {
  const shown = (each: Figure) => formatFigure(each, 2).split('target ')[1];
  expect(shown(figure('step', 400, 'ns', { atMost: 260 }))).toBe(
    '≤ 260 ns: MISSED, with factor 2.00: met',
  );
  expect(shown(figure('made', 1200, '/s', { atLeast: 2000 }))).toContain('2.00: met');
  expect(shown(figure('made', 900, '/s', { atLeast: 2000 }))).toContain('2.00: MISSED');
  expect(shown(figure('gap', 200, 'ms', { atMost: 120 }))).toBe('≤ 120 ms: MISSED');
  expect(shown(figure('burst', 20, 'ms', { atMost: 15, isScaled: true }))).toContain('2.00: met');
  expect(shown(compared('read', 5, '/s', { name: 'empty', value: 9 }, { atLeast: 0.6 }))).toBe(
    '≥ 0.6 ×: MISSED',
  );
});

test('a limit that the factor of the machine widens is missed only past that', () => {
  const cores = (value: number) => figure('node', value, 'cores', { atMost: 0.1, isScaled: true });
  expect([0.09, 0.19, 0.21].map((value) => isMissed(cores(value), 2))).toEqual([
    false,
    false,
    true,
  ]);
  expect(isMissed(figure('gap', 200, 'ms', { atMost: 120 }), 2)).toBe(true);
  expect(isMissed(figure('only shown', 200, 'ms'), 2)).toBe(false);
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
