import { describe, expect, test } from 'vitest';
import { writeHundredths, writeInteger, writeTenThousandths } from './decimal.ts';

type Writer = (view: DataView, at: number, value: number) => number;

const view = new DataView(new ArrayBuffer(64));

/** What a writer writes, begun at an odd place among bytes of other use. */
function written(writer: Writer, value: number): string {
  new Uint8Array(view.buffer).fill(0x23);
  const end = writer(view, 5, value);
  expect(view.getUint8(4)).toBe(0x23);
  return String.fromCharCode(...new Uint8Array(view.buffer, 5, end - 5));
}

/** All small values, and those around each power of ten. */
const VALUES = Array.from({ length: 25_000 }, (_, value) => value);
for (let power = 10_000; power < 2 ** 32; power *= 10) {
  for (const leading of [1, 2, 4]) {
    for (let off = -101; off <= 101; off++) VALUES.push(leading * power + off);
  }
}
VALUES.push(2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1);

/** Both signs at once; a mismatch shows value and texts. */
function mismatches(writer: Writer, divisor: number, values: number[]): string[] {
  return values
    .map((value) => [value, written(writer, value), JSON.stringify(value / divisor)] as const)
    .filter(([, text, expected]) => text !== expected)
    .map((row) => row.join(' '));
}

describe('decimals are what JSON.stringify prints', () => {
  test('for integers', () => {
    expect(mismatches(writeInteger, 1, VALUES)).toEqual([]);
  });

  test('for hundredths of either sign', () => {
    const values = VALUES.flatMap((value) => [value, -value || 0]);
    expect(mismatches(writeHundredths, 100, values)).toEqual([]);
  });

  test('for ten-thousandths of either sign', () => {
    const values = VALUES.flatMap((value) => [value, -value || 0]);
    expect(mismatches(writeTenThousandths, 10_000, values)).toEqual([]);
  });
});
