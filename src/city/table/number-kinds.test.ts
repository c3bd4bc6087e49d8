import { describe, expect, test } from 'vitest';
import { KINDS, type Kind } from './number-kinds.ts';

/** Bytes of numbers at the edges of each kind, as unsigned integers. */
const EDGES: Readonly<Record<Kind, readonly bigint[]>> = {
  u16: [0n, 1n, 0x7fffn, 0x8000n, 0xffffn],
  i32: [0n, 1n, 0x7fffffffn, 0x80000000n, 0xffffffffn],
  // Zeros, least and greatest numbers, infinities, and some of the many NaN, of either sign.
  f32: [0n, 1n, 0x7f7fffffn, 0x7f800000n, 0x7fc00000n, 0x7f800001n].flatMap((bits) => [
    bits,
    bits | 0x80000000n,
  ]),
  f64: [0n, 1n, 0x7fefffffffffffffn, 0x7ff0000000000000n, 0x7ff0000000000001n].flatMap((bits) => [
    bits,
    bits | 0x8000000000000000n,
  ]),
};
const EXPECTED: Readonly<Record<Kind, readonly number[]>> = {
  u16: [0, 1, 40_000, 65_535],
  i32: [0, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 32],
  f32: [0, -0, 1, -1e-40, 3.4e38, Number.NEGATIVE_INFINITY, Number.NaN],
  f64: [0, -0, 1, -5e-324, 1.7e308, Number.POSITIVE_INFINITY, Number.NaN],
};

const view = new DataView(new ArrayBuffer(16));
const count = new Uint32Array(2);

describe.each(Object.keys(EDGES) as Kind[])('counts of %s', (kind) => {
  test('lead from any number to any number', () => {
    const { encode, decode } = KINDS[kind];
    for (const bits of EDGES[kind]) {
      for (const expected of EXPECTED[kind]) {
        view.setBigUint64(0, bits, true);
        view.setBigUint64(8, 0n, true);
        encode(view, 0, expected, count.fill(0));
        decode(view, 8, expected, count[0] as number, count[1] as number);
        expect(view.getBigUint64(8, true), `${bits} where ${expected}`).toBe(bits);
      }
    }
  });
});

test('counts are small where numbers are near: twice so many numbers lie between', () => {
  const countOf = (kind: Kind, expected: number) => {
    KINDS[kind].encode(view, 0, expected, count.fill(0));
    return [...count];
  };
  view.setInt32(0, 7, true);
  expect([countOf('i32', 7), countOf('i32', 5), countOf('i32', 10)]).toEqual([
    [0, 0],
    [4, 0],
    [5, 0],
  ]);
  view.setFloat32(0, 1, true);
  expect([countOf('f32', 1), countOf('f32', 1 - 2 ** -24), countOf('f32', 1 + 2 ** -23)]).toEqual([
    [0, 0],
    [2, 0],
    [1, 0],
  ]);
  view.setFloat64(0, 0, true);
  expect([countOf('f64', 0), countOf('f64', -5e-324), countOf('f64', -0)]).toEqual([
    [0, 0],
    [4, 0],
    [2, 0],
  ]);
});
