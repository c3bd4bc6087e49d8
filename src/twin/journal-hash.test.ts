import { expect, test } from 'vitest';
import type { NumberedChange } from './journal.ts';
import { JournalHash } from './journal-hash.ts';

const START = { tick: 0, seq: 0, masks: [4095, 4095, 7] };

function changes(count: number): NumberedChange[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{ seq: i + 1, tick: 10 * i, car: i % 20, touched: 1 << (i % 12), values: i % 2 },
  }));
}

function hashOf(list: readonly NumberedChange[], hash = JournalHash.ofStart(1, START)): string {
  for (const change of list) hash.add(change);
  return hash.toString();
}

test('a journal that goes on from a hash has that of the whole', () => {
  const all = changes(100);
  for (const count of [0, 1, 99, 100]) {
    const known = JournalHash.parse(hashOf(all.slice(0, count)));
    expect(hashOf(all.slice(count), known)).toBe(hashOf(all));
  }
});

test('no journal with a fault has the hash of the right one', () => {
  const all = changes(100);
  const seen = new Set([hashOf(all)]);
  let count = 1;
  const differs = (list: readonly NumberedChange[]) => {
    seen.add(hashOf(list));
    count++;
  };
  for (const [i, change] of all.entries()) {
    differs(all.toSpliced(i, 1));
    differs(all.toSpliced(i, 0, change));
    if (i > 0) differs(all.with(i, all[i - 1] as NumberedChange).with(i - 1, change));
    for (const field of ['seq', 'tick', 'car', 'touched', 'values'] as const) {
      for (let bit = 0; bit < 12; bit++) {
        differs(all.with(i, { ...change, [field]: change[field] ^ (1 << bit) }));
      }
    }
  }
  expect(seen.size).toBe(count);
});

test('the start of a world is part of the hash', () => {
  const hashes = [
    JournalHash.ofStart(1, START),
    JournalHash.ofStart(2, START),
    JournalHash.ofStart(1, { ...START, tick: 4 }),
    JournalHash.ofStart(1, { ...START, seq: 4 }),
    JournalHash.ofStart(1, { ...START, masks: [4095, 4095, 6] }),
  ].map(String);
  expect(new Set(hashes).size).toBe(hashes.length);
});

test.each(['', '12', 'g'.repeat(16), '0'.repeat(17), 'A'.repeat(16)])('"%s" is no hash', (text) => {
  expect(JournalHash.parse(text)).toBeUndefined();
});
