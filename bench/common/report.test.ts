import { expect, test } from 'vitest';
import { circumstances, columns, median } from './report.ts';

test('the median is the middle value, or the mean of the middle two', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
});

test('rows line up', () => {
  expect(
    columns([
      ['a', '1'],
      ['long', '2'],
    ]),
  ).toBe('a     1\nlong  2');
});

test('a result names its command, and no folder of the machine', () => {
  const { argv } = process;
  process.argv = [
    'node',
    'bench/main.ts',
    'viewer',
    '--beside',
    '/home/somebody/pages',
    '--rounds',
    '5',
  ];
  expect(circumstances().command).toBe('node bench/main.ts viewer --beside <pages> --rounds 5');
  process.argv = argv;
});

test('a result names machine and versions', () => {
  const { machine, versions, at } = circumstances();
  expect(machine.cores).toBeGreaterThan(0);
  expect(versions.node).toBe(process.versions.node);
  expect(versions).toHaveProperty(['uWebSockets.js']);
  expect(at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});
