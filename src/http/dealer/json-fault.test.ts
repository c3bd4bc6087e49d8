import { describe, expect, test } from 'vitest';
import { jsonFault } from './json-fault.ts';

/** The offset of the first syntax error, found by hand. */
const FAULTS: readonly (readonly [text: string, offset: number, reason: string])[] = [
  ['', 0, 'Unexpected end of input'],
  [' \n', 2, 'Unexpected end of input'],
  ['tru', 0, 'Expecting value'],
  ['-', 0, 'Expecting value'],
  ['01', 1, 'Extra data'],
  ['1.', 1, 'Extra data'],
  ['+1', 0, 'Expecting value'],
  ["'a'", 0, 'Expecting value'],
  ['[1,]', 3, 'Expecting value'],
  ['[1 2]', 3, "Expecting ',' delimiter"],
  ['[1', 2, 'Unexpected end of input'],
  ['{"a" 1}', 5, "Expecting ':' delimiter"],
  ['{"a": 1,}', 8, 'Expecting property name enclosed in double quotes'],
  ['{1: 2}', 1, 'Expecting property name enclosed in double quotes'],
  ['{"a": 1}}', 8, 'Extra data'],
  ['"\\u12g4"', 1, 'Invalid escape'],
  ['"\t"', 1, 'Invalid control character'],
  ['["🚗", x]', 6, 'Expecting value'],
  ['{"a": [{"b": [1, {}, [], "c"]}, nul]}', 32, 'Expecting value'],
];

test.each(FAULTS)('%j stops at %i: %s', (text, offset, reason) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(jsonFault(text)).toEqual({ offset, reason });
});

describe('part of a valid text', () => {
  const whole = '{"a": [1, -2.5e+3, true, null, "\\u00e5\\n\\"", {}], "b": {"c": [], "d": ""}} ';

  test('every prefix that is not JSON has a fault near its end', () => {
    for (let length = 0; length < whole.length; length++) {
      const text = whole.slice(0, length);
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      if (isJson) continue;
      const { offset } = jsonFault(text);
      expect(offset).toBeLessThanOrEqual(length);
      // The fault is at the end, or at the start of a truncated word, number or escape.
      expect(length - offset).toBeLessThan(7);
    }
  });

  test('a text with one changed character has a fault within it, or is JSON', () => {
    for (let at = 0; at < whole.length; at++) {
      for (const other of ['x', '"', ',', '}', ']', '\\', ' ']) {
        const text = whole.slice(0, at) + other + whole.slice(at + 1);
        try {
          JSON.parse(text);
        } catch {
          expect(jsonFault(text).offset).toBeLessThanOrEqual(text.length);
        }
      }
    }
  });
});

test('a hundred thousand nested brackets are parsed', () => {
  expect(jsonFault('['.repeat(100_000)).offset).toBe(100_000);
  expect(jsonFault(`${'{"a":'.repeat(100_000)}x`).offset).toBe(500_000);
});
