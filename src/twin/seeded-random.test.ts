import { expect, test } from 'vitest';
import { draw, mix64, splitmix64, streamKey, uniform } from './seeded-random.ts';

const GOLDEN = 0x9e3779b97f4a7c15n;

function sequence(seed: bigint, count: number): bigint[] {
  return Array.from({ length: count }, (_, n) => splitmix64(seed + BigInt(n) * GOLDEN));
}

test('splitmix64 gives the published numbers', () => {
  expect(sequence(1234567n, 5)).toEqual([
    6457827717110365317n,
    3203168211198807973n,
    9817491932198370423n,
    4593380528125082431n,
    16408922859458223821n,
  ]);
  expect(sequence(0n, 3)).toEqual([0xe220a8397b1dcdafn, 0x6e789e6aa1b965f4n, 0x06c45d188009454fn]);
});

test('a draw is the mixed sum of key and counter', () => {
  const key = streamKey(42, 3, 7);
  expect(draw(key, 0)).toBe(mix64(key));
  expect(draw(key, 1)).toBe(splitmix64(key));
  expect(draw(key, 1000)).toBe(mix64(BigInt.asUintN(64, key + 1000n * GOLDEN)));
});

test('a key is made of seed, purpose and entity', () => {
  const state =
    42n ^ BigInt.asUintN(64, 3n * GOLDEN) ^ BigInt.asUintN(64, 7n * 0xd1b54a32d192ed03n);
  expect(streamKey(42, 3, 7)).toBe(splitmix64(state));
});

test('different seeds, purposes and entities have different streams', () => {
  const keys = new Set<bigint>();
  for (const seed of [0, 1, 2 ** 32 - 1]) {
    for (let purpose = 0; purpose < 20; purpose++) {
      for (let entity = 0; entity < 20; entity++) keys.add(streamKey(seed, purpose, entity));
    }
  }
  expect(keys.size).toBe(3 * 20 * 20);
});

test('uniform numbers are the upper 53 bits, from 0 to below 1', () => {
  expect(uniform(0n)).toBe(0);
  expect(uniform(1n << 63n)).toBe(0.5);
  expect(uniform(2n ** 64n - 1n)).toBe(1 - 2 ** -53);
});
