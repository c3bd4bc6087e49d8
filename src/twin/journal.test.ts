import { expect, test } from 'vitest';
import { maskOf } from './catalogue.ts';
import { applyChange, type Change, journalEntryOf, packChanges, unpackChanges } from './journal.ts';
import { parseWorldOptions } from './world-options.ts';

const CHANGES: Change[] = [
  { tick: 0, car: 0, touched: 1, values: 0 },
  { tick: 7, car: 19, touched: 4095, values: 4095 },
  { tick: 2 ** 30, car: 3, touched: maskOf(['aeb', 'esc']), values: maskOf(['esc']) },
];

test('a change sets only the touched features', () => {
  expect(applyChange(0b1111, { tick: 0, car: 0, touched: 0b0110, values: 0b0100 })).toBe(0b1101);
});

test('an entry names the touched features in catalogue order', () => {
  const entry = journalEntryOf({ tick: 12, car: 4, touched: maskOf(['esc', 'brakes']), values: 2 });
  expect(JSON.stringify(entry)).toBe('{"tick":12,"car":4,"features":{"brakes":true,"esc":false}}');
});

test('packed changes can be unpacked', () => {
  const packed = packChanges(CHANGES);
  expect(packed).toHaveLength(CHANGES.length * 4);
  expect(unpackChanges(packed)).toEqual(CHANGES);
  expect(unpackChanges(packChanges([]))).toEqual([]);
});

test('the entries that the API lists can be parsed back to changes', () => {
  const journal = JSON.parse(
    JSON.stringify({ seed: 1, city: 'a', tick: 0, changes: CHANGES.map(journalEntryOf) }),
  );
  const parsed = parseWorldOptions({ journal }, ['a']).journal?.changes;
  expect(parsed).toEqual(packChanges(CHANGES));
});
