import { expect, test } from 'vitest';
import { PARTITION_COUNT } from '../limits.ts';
import {
  parseWorldId,
  partitionOf,
  randomWorldNumber,
  WORLD_NUMBER_END,
  worldIdOf,
} from './ids.ts';
import { draw } from './seeded-random.ts';

/** Random 50-bit numbers, always the same ones. */
const NUMBERS = Array.from({ length: 2000 }, (_, n) => Number(draw(1n, n) >> 14n));

function bytesOf(value: number): Uint8Array {
  return new Uint8Array(7).fill(value);
}

test('an id is the number in Crockford base 32, most significant first', () => {
  expect(worldIdOf(0)).toBe('0000000000');
  expect(worldIdOf(1)).toBe('0000000001');
  expect(worldIdOf(31)).toBe('000000000z');
  expect(worldIdOf(2 ** 25)).toBe('0000100000');
  expect(worldIdOf(WORLD_NUMBER_END - 1)).toBe('zzzzzzzzzz');
});

test('an id can be parsed back to its number', () => {
  for (const number of [0, 1, 2 ** 32, WORLD_NUMBER_END - 1, ...NUMBERS]) {
    const id = worldIdOf(number);
    expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{10}$/);
    expect(parseWorldId(id)).toBe(number);
  }
});

test('ids sort as their numbers do', () => {
  const byNumber = [...NUMBERS].sort((a, b) => a - b).map(worldIdOf);
  expect(byNumber).toEqual(NUMBERS.map(worldIdOf).sort());
});

test.each([
  '',
  '000000000',
  '00000000000',
  '000000000A',
  '000000000i',
  '000000000l',
  '000000000o',
  '000000000u',
  '00000 0000',
  ' 000000000',
  '000000000é',
  '000000000\u{10400}',
  '../etc/pas',
])('%j is no world id', (id) => {
  expect(parseWorldId(id)).toBeUndefined();
});

test('the partition is the top six bits, the first character and the first bit of the second', () => {
  expect(partitionOf(0)).toBe(0);
  expect(partitionOf(2 ** 44 - 1)).toBe(0);
  expect(partitionOf(2 ** 44)).toBe(1);
  expect(partitionOf(WORLD_NUMBER_END - 1)).toBe(PARTITION_COUNT - 1);
});

test('all bits of a new number are random', () => {
  expect(randomWorldNumber(() => bytesOf(0))).toBe(0);
  expect(randomWorldNumber(() => bytesOf(255))).toBe(WORLD_NUMBER_END - 1);
  for (let bit = 0; bit < 50; bit++) {
    const bytes = new Uint8Array(7);
    bytes[6 - Math.floor(bit / 8)] = 1 << (bit % 8);
    expect(randomWorldNumber(() => bytes)).toBe(2 ** bit);
  }
});
