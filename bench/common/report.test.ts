import { expect, onTestFinished, test, vi } from 'vitest';
import { circumstances, columns, median, resultName } from './report.ts';

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

test('a result is named by the options that were typed', () => {
  const named = (line: string) => {
    const [question = '', ...args] = line.split(' ');
    return resultName(question, args);
  };
  expect(named('load-failover')).toBe('load-failover');
  expect(named('load-failover --lease 2')).toBe('load-failover-lease-2');
  expect(named('load-failover --lease=2')).toBe('load-failover-lease-2');
  expect(named('load-watchers --verify')).toBe('load-watchers-verify');
  expect(named('load-worlds --url http://127.0.0.1:80/')).toBe('load-worlds-url-http-127.0.0.1-80');
  expect(named('viewer --beside /home/somebody/pages')).toBe('viewer-beside-pages');
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('SHARDS', '1');
  expect(named('load-watchers --worlds 9')).toBe('load-watchers-worlds-9-shards-1');
});

test('long names of results are cut, and stay apart', () => {
  const rows = Array.from({ length: 20 }, (_, i) => ['--only', `a-row-${i}`]).flat();
  const [one, other] = [resultName('load-chaos', rows), resultName('load-chaos', [...rows, 'x'])];
  expect(one).toMatch(/^load-chaos-only-a-row-0-only-.*-[\da-f]{8}$/);
  expect([one.length, other.length]).toEqual([120, 120]);
  expect(one).not.toBe(other);
});
