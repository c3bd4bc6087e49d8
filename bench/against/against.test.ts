import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { splitAgainst } from './against.ts';

test('options of the comparison are split from those of the question', () => {
  const args = [
    'kernel',
    '--against',
    '3d2cb8f',
    '--worlds',
    '5',
    '--runs=2',
    '--slices',
    '--write',
  ];
  expect(splitAgainst(args)).toEqual({
    against: { against: '3d2cb8f', runs: 2, limit: 3, slices: true, write: true },
    rest: ['kernel', '--worlds', '5'],
  });
  expect(splitAgainst(['store'])).toEqual({ rest: ['store'] });
});

test('a comparison without a commit, or with a senseless number, is refused', () => {
  expect(() => splitAgainst(['--runs', '3'])).toThrow('need --against');
  expect(() => splitAgainst(['--against', 'x', '--runs', '0'])).toThrow('--runs takes');
  expect(() => splitAgainst(['--against'])).toThrow('--against');
});

test.each([
  ['bench/main.ts', ['nothing'], 'no bench is called nothing'],
  ['bench/main.ts', ['kernel', '--against', 'no-such-commit'], 'no commit no-such-commit'],
  ['load/main.ts', ['worlds', '--against', 'no-such-commit'], 'no commit no-such-commit'],
  ['load/main.ts', ['worlds', '--count', '0'], '--count takes a whole number'],
])('%s %j is a mistake of the user: exit code 2', async (entry, args, message) => {
  const script = fileURLToPath(new URL(`../../${entry}`, import.meta.url));
  const run = promisify(execFile)(process.execPath, [script, ...args]);
  await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
