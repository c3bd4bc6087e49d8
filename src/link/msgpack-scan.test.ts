import { isDeepStrictEqual } from 'node:util';
import { Packr } from 'msgpackr';
import { expect, test } from 'vitest';
import { Dice } from '../testing/rigs/dice.ts';
import { endOfValue, MalformedMessage } from './msgpack-scan.ts';
import { pack, unpack } from './wire.ts';

const message = (value: unknown) => ['test', value] as const;

/** Any value that MessagePack carries. */
function anyValue(dice: Dice, depth = 0): unknown {
  const many = () => Array.from({ length: dice.below(20) }, () => anyValue(dice, depth + 1));
  const makes: (() => unknown)[] = [
    () => null,
    () => undefined,
    () => dice.below(2) === 0,
    () => dice.below(2 ** 20) - 2 ** 19,
    () => (dice.below(2 ** 30) - 2 ** 29) * 2 ** 22,
    () => dice.below(1000) / 7,
    () => BigInt(dice.below(2 ** 30)) ** 2n,
    () => 'å'.repeat(dice.below(300)),
    () => 'x'.repeat(dice.below(70_000)),
    () => Uint8Array.from({ length: dice.below(40) }, () => dice.below(256)),
    () => new Uint8Array(dice.below(70_000)),
  ];
  if (depth < 4) {
    makes.push(many, () => Object.fromEntries(many().map((value, i) => [`key ${i}`, value])));
  }
  return dice.pick(makes)();
}

test('finds the end of any value, and what is cut off before it', () => {
  const dice = new Dice(1);
  for (let round = 0; round < 500; round += 1) {
    const value = anyValue(dice);
    const bytes = pack(message(value));
    const behind = new Uint8Array(bytes.length + 3);
    behind.set(bytes, 2);
    expect(endOfValue(behind, 2)).toBe(2 + bytes.length);
    // Quicker than a comparison that shows differences.
    expect(isDeepStrictEqual(unpack(behind, 2, 2 + bytes.length), message(value))).toBe(true);
    const cut = bytes.subarray(0, dice.below(bytes.length));
    expect(() => endOfValue(cut, 0)).toThrow(MalformedMessage);
  }
});

test.each([
  ['a date', new Date(1)],
  ['a set', new Set([1])],
  ['an error', new Error('x')],
  ['an expression', /x/],
  ['a number of more than 64 bits', 2n ** 70n],
])('refuses %s', (_, value) => {
  const packr = new Packr({ useRecords: false, moreTypes: true, useBigIntExtension: true });
  expect(() => endOfValue(packr.pack([value]), 0)).toThrow(MalformedMessage);
});

test('refuses records', () => {
  const bytes = new Packr().pack([{ a: 1, b: 2 }]);
  expect(() => endOfValue(bytes, 0)).toThrow(MalformedMessage);
});

test.each([[new Date(1)], [2n ** 70n]])('%s is not sent in the first place', (value) => {
  expect(() => pack(message([value]))).toThrow(TypeError);
});

test('refuses what is nested too deep, and lengths beyond the end', () => {
  const nested = (depth: number) => new Uint8Array(depth + 1).fill(0x91, 0, depth);
  expect(endOfValue(nested(64), 0)).toBe(65);
  expect(() => endOfValue(nested(65), 0)).toThrow('nested too deep');
  expect(() => endOfValue(nested(2_000_000), 0)).toThrow('nested too deep');
  for (const token of [0xc6, 0xdb, 0xdd, 0xdf]) {
    const long = Uint8Array.of(token, 0xff, 0xff, 0xff, 0xff, 1, 2, 3);
    expect(() => endOfValue(long, 0)).toThrow('cut off');
  }
});

test('whatever bytes come, either they are refused or they are a value', () => {
  const dice = new Dice(2);
  let valueCount = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const bytes = Uint8Array.from({ length: 1 + dice.below(30) }, () => dice.below(256));
    let end: number;
    try {
      end = endOfValue(bytes, 0);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedMessage);
      continue;
    }
    valueCount += 1;
    try {
      unpack(bytes, 0, end);
    } catch (error) {
      // Keys of maps that are no keys of objects.
      expect(error).toBeInstanceOf(MalformedMessage);
    }
  }
  expect(valueCount).toBeGreaterThan(1000);
});
