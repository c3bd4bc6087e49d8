import { expect, test } from 'vitest';
import { causeOf, type Known, type Shown, wrongText } from './shown.ts';

const CHANGES = [{ tick: 1000 }, { tick: 2000 }, { tick: 3000 }];
const KNOWN: Known = { changes: CHANGES, createdAtMs: 50_000, held: [] };
const SHOWN: Shown = { tick: 2100, hash: 'feedfeedfeedfeed', serverTick: 2103.5, seq: 1 };
/** When that was shown. */
const AT_MS = 50_000 + 2103.5 * 20;
const HELD = [{ fromMs: AT_MS - 3000, untilMs: AT_MS - 400 }];

test('a wrong state is no fault where a change was unknown that was young or held', () => {
  expect(causeOf(SHOWN, KNOWN)).toBe('late');
  expect(causeOf(SHOWN, { ...KNOWN, held: HELD })).toBe('held');
  expect(causeOf({ ...SHOWN, tick: 2010, serverTick: 2014 }, KNOWN)).toBe('young');
  // One that is young excuses no other.
  const both = { ...SHOWN, tick: 3010, serverTick: 3014 };
  expect(causeOf(both, KNOWN)).toBe('late');
});

test('a wrong state by changes that were all known is a fault, whatever was held', () => {
  const known = { ...SHOWN, seq: 2 };
  expect(causeOf(known, { ...KNOWN, held: HELD })).toBe('known');
  expect(causeOf({ ...known, tick: 2010, serverTick: 2014 }, KNOWN)).toBe('known');
  expect(wrongText('world', known, CHANGES)).toContain('all was known');
  expect(wrongText('world', SHOWN, CHANGES)).toContain('unknown: changes at 2000');
});
