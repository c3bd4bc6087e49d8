import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readResults, tableOf } from './results.ts';

const FILES = ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts'];
const passed = (fullName: string) => ({ fullName, status: 'passed', failureMessages: [] });
const REPORT = JSON.stringify({
  testResults: [
    {
      name: resolve('b.test.ts'),
      status: 'failed',
      message: '',
      assertionResults: [
        passed('one'),
        { fullName: 'two', status: 'failed', failureMessages: ['Error: no\n at x'] },
        { fullName: 'three', status: 'skipped' },
      ],
    },
    {
      name: resolve('a.test.ts'),
      status: 'passed',
      message: '',
      assertionResults: [passed('x'), passed('y')],
    },
    { name: resolve('c.test.ts'), status: 'failed', message: 'a hook', assertionResults: [] },
  ],
});

test('failed, skipped and missing tests are no success', () => {
  const results = readResults(REPORT, FILES);
  expect(results.map(({ isWhole }) => isWhole)).toEqual([true, false, false, false]);
  expect(results.map(({ failures }) => failures)).toEqual([
    [],
    ['two: Error: no', 'three: skipped'],
    ['a hook', 'no test has run'],
    ['no test has run'],
  ]);
});

test('the table has a line for each file, the sums, and what has failed', () => {
  const [a, b] = readResults(REPORT, FILES);
  if (a === undefined || b === undefined) throw new Error('unreachable: there are four files');
  const table = tableOf(
    new Map([
      ['0', [a, b]],
      ['any', [a, a]],
    ]),
  );
  expect(table.split('\n')).toEqual([
    'passed tests       node 0  any node',
    'a.test.ts               2         2',
    'b.test.ts     1, 2 FAILED         2',
    'all           3, 2 FAILED         4',
    '',
    'b.test.ts at 0: two: Error: no',
    'b.test.ts at 0: three: skipped',
  ]);
});
