import { expect, test } from 'vitest';
import { AttemptCount } from './attempt-count.ts';

const NOW_MS = 1_000_000;

/** The same count, as the names with two tags have it in turn. */
function shared() {
  let count = new AttemptCount(1);
  return (tag: number, change: (count: AttemptCount) => void): AttemptCount => {
    count = Object.assign(new AttemptCount(tag), count);
    change(count);
    return count;
  };
}

const fail = (count: AttemptCount) => count.fail(NOW_MS, (failures) => failures * 1000);
const succeed = (count: AttemptCount) => count.succeed();

test('names that share a count wait for each other', () => {
  const as = shared();
  as(1, fail);
  expect(as(2, fail).failures).toBe(2);
  expect(as(1, () => {}).waitMs(NOW_MS)).toBe(2000);
});

test('who logs in under one name does not clear the failures of another', () => {
  const as = shared();
  as(1, fail);
  expect(as(2, succeed).failures).toBe(1);
  expect(as(1, succeed).failures).toBe(0);
  as(1, fail);
  as(2, fail);
  expect(as(1, succeed).failures).toBe(2);
  // Failures that are forgotten are nobody's.
  const later = (count: AttemptCount) => count.fail(NOW_MS + 16 * 60_000, () => 0);
  expect(as(2, later).failures).toBe(1);
  expect(as(2, succeed).failures).toBe(0);
});

test('only the name that succeeded last is known', () => {
  const as = shared();
  expect(as(1, succeed).hasSucceeded).toBe(true);
  expect(as(2, () => {}).hasSucceeded).toBe(false);
  as(2, succeed);
  expect(as(1, () => {}).hasSucceeded).toBe(false);
});

test('a reservation ends once, by its release or by its time', () => {
  const count = new AttemptCount(1);
  for (const untilMs of [NOW_MS + 1, NOW_MS + 2, NOW_MS + 2]) count.reserve(untilMs);
  count.release(NOW_MS + 2);
  expect(count.pending(NOW_MS)).toBe(2);
  expect(count.pending(NOW_MS + 1)).toBe(1);
  count.release(NOW_MS + 1);
  expect(count.pending(NOW_MS + 1)).toBe(1);
  expect(count.pending(NOW_MS + 2)).toBe(0);
});
