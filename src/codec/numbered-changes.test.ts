import { decode, encode } from '@msgpack/msgpack';
import { expect, test } from 'vitest';
import { listHead, withoutList, writtenChanges } from './numbered-changes.ts';

/** The packed bytes at an odd place in memory, as in a message from another node. */
function packed(changes: readonly (readonly number[])[]): Uint8Array {
  const bytes = new Uint8Array(Int32Array.from(changes.flat()).buffer);
  const around = new Uint8Array(bytes.length + 1);
  around.set(bytes, 1);
  return around.subarray(1);
}

test.each([
  ['none', []],
  ['a small one', [[1, 0, 0, 1, 0]]],
  ['one with every length of a number', [[65_536, 4_000_000_000, 255, 128, 127]]],
  [
    'numbers at the limits of lengths',
    [127, 128, 255, 256, 65_535, 65_536].map((n) => [n, n, n, n, n]),
  ],
])('[Y11] %s: a list of maps to any library', (_, changes) => {
  const hello = encode({ type: 'hello', changes: [] });
  const whole = Buffer.concat([
    withoutList(hello),
    listHead(changes.length),
    writtenChanges(packed(changes)),
  ]);
  expect(decode(whole)).toStrictEqual({
    type: 'hello',
    changes: changes.map(([seq, tick, car, touched, values]) => ({
      ...{ seq, tick, car, touched, values },
    })),
  });
});

test('a map that ends with something else is refused', () => {
  expect(() => withoutList(encode({ changes: [], type: 'hello' }))).toThrow('empty list');
});
