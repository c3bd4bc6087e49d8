import { expect, test } from 'vitest';
import { describeOptions, parseOptions } from './options.ts';

const TABLE = {
  rate: { fallback: 100, min: 1, max: 1000, help: 'changes a second' },
  encoding: { fallback: 'json', choices: ['json', 'msgpack'], help: 'of the frames' },
  url: { fallback: '', help: 'of a server' },
  only: { fallback: [], choices: ['a', 'b', 'c'], help: 'parts' },
  verify: { fallback: false, help: 'read back' },
} as const;

test('options that are not given have their fallback', () => {
  expect(parseOptions(TABLE, [])).toEqual({
    rate: 100,
    encoding: 'json',
    url: '',
    only: [],
    verify: false,
  });
});

test('options are read by name', () => {
  const args = '--rate 20 --encoding msgpack --only c --verify --url http://a --only=a'.split(' ');
  expect(parseOptions(TABLE, args)).toEqual({
    rate: 20,
    encoding: 'msgpack',
    url: 'http://a',
    only: ['c', 'a'],
    verify: true,
  });
});

test('values out of bounds and unknown options are refused', () => {
  for (const rate of ['0', '1001', '1.5', 'many', '']) {
    expect(() => parseOptions(TABLE, ['--rate', rate])).toThrow('whole number from 1 to 1000');
  }
  expect(() => parseOptions(TABLE, ['--encoding', 'xml'])).toThrow('one of json, msgpack');
  expect(() => parseOptions(TABLE, ['--only', 'd'])).toThrow('one of a, b, c');
  expect(() => parseOptions(TABLE, ['--speed', '1'])).toThrow('--speed');
});

test('the help names every option with its fallback', () => {
  const help = describeOptions(TABLE);
  expect(help).toContain('--rate <n>');
  expect(help).toContain('changes a second (100)');
  expect(help).toContain('--encoding <json|msgpack>');
  expect(help).toContain('--verify');
});
