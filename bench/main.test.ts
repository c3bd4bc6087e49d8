import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ROOT } from './common/places.ts';

test.each(['factor', 'trace'])('%s is not run against another commit', (name) => {
  const args = [
    '--disable-warning=ExperimentalWarning',
    'bench/main.ts',
    name,
    '--against',
    'HEAD',
  ];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect([status, stderr.split('\n', 1)]).toEqual([2, [`${name} cannot be compared`]]);
});
