import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { type FaultyStore, faultyStore } from '../testing/doubles/faulty-store.ts';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { CountsInStore } from './counts-in-store.ts';
import { LoginAttempts } from './login-attempts.ts';

/** Four failures cost no wait; sixteen may be under way when the fifth is counted. */
const CHECKED_MAX = 4 + 16;
const LIMITS = { failedLogins: 5, failedLoginWaitS: 60 };

let temp: TempStore<EmbeddedStore>;
let store: FaultyStore;
let clock: ManualClock;
/** Of two nodes. */
let here: LoginAttempts;
let there: LoginAttempts;
beforeEach(async () => {
  temp = await tempStore(openIn);
  store = faultyStore(temp.store, systemTime);
  clock = new ManualClock(1_000_000);
  const random = { bytes: (count: number) => new Uint8Array(count).fill(7) };
  const open = async () =>
    new LoginAttempts(LIMITS, clock, await CountsInStore.open(store, clock, random));
  [here, there] = [await open(), await open()];
});
afterEach(() => temp.destroy());

const ANNA = { username: 'anna', address: 'x' };
const fail = (at: LoginAttempts, caller = ANNA) => at.try(caller, async () => false);
const succeed = (at: LoginAttempts, caller = ANNA) => at.try(caller, async () => true);
/** An attempt that is under way until `end` is called. */
function begin(at: LoginAttempts) {
  const { promise, resolve: end } = Promise.withResolvers<boolean>();
  const begun = Promise.withResolvers<void>();
  const outcome = at.try(ANNA, () => {
    begun.resolve();
    return promise;
  });
  return { outcome, end, begun: Promise.race([begun.promise, outcome]) };
}

test('failures of a name at one node make it wait at all', async () => {
  for (const at of [here, there, here, there, here]) expect(await fail(at)).toBe(false);
  for (const at of [here, there]) {
    await expect(succeed(at)).rejects.toMatchObject({ status: 429, retryAfterS: 1 });
  }
  clock.advance(1000);
  expect(await succeed(there)).toBe(true);
  for (const at of [here, here, there, there]) expect(await fail(at)).toBe(false);
  expect(await succeed(here)).toBe(true);
});

test('a name that has logged in from an address is known to be its own at all nodes', async () => {
  expect(await succeed(here)).toBe(true);
  for (let i = 0; i < 100; i++) await fail(here, { username: 'anna', address: `bot ${i}` });
  const elsewhere = { username: 'anna', address: 'y' };
  await expect(succeed(there, elsewhere)).rejects.toMatchObject({ status: 429 });
  expect(await succeed(there)).toBe(true);
});

test('of a flood at two nodes no more are checked than at one', async () => {
  let checked = 0;
  const check = async () => {
    checked++;
    return false as const;
  };
  const flood = [here, there].flatMap((at) =>
    Array.from({ length: 100 }, () => at.try(ANNA, check)),
  );
  const outcomes = await Promise.allSettled(flood);
  const answered = outcomes.filter(({ status }) => status === 'fulfilled');
  expect(checked).toBeGreaterThanOrEqual(5);
  expect(checked).toBeLessThanOrEqual(CHECKED_MAX);
  expect(answered.length).toBeLessThanOrEqual(checked);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 429 });
  }
});

test('attempts under way are as many at two nodes as at one, and end with their node', async () => {
  const running = Array.from({ length: 16 }, (_, i) => begin(i % 2 === 0 ? here : there));
  await Promise.all(running.map(({ begun }) => begun));
  const refusal = { status: 429, detail: 'Too many log-ins of this name at the same time.' };
  await expect(succeed(there)).rejects.toMatchObject(refusal);
  clock.advance(1000);
  await expect(succeed(here)).rejects.toMatchObject(refusal);
  // Nobody settles them.
  clock.advance(9000);
  expect(await succeed(here)).toBe(true);
  expect(await succeed(there)).toBe(true);
  for (const { end } of running) end(false);
  await Promise.all(running.map(({ outcome }) => outcome));
});

test('a flood of refused attempts costs the store nothing', async () => {
  for (let i = 0; i < 5; i++) await fail(here);
  await expect(succeed(here)).rejects.toMatchObject({ status: 429 });
  const [get, commit] = [vi.spyOn(store, 'get'), vi.spyOn(store, 'commit')];
  for (let i = 0; i < 100; i++) {
    await expect(succeed(here)).rejects.toMatchObject({ status: 429, retryAfterS: 1 });
  }
  expect(get).not.toHaveBeenCalled();
  expect(commit).not.toHaveBeenCalled();
  clock.advance(1000);
  expect(await succeed(here)).toBe(true);
  expect(commit).toHaveBeenCalled();
});

test('nobody learns the outcome of an attempt that could not be counted', async () => {
  for (const outcome of [true, false]) {
    const { outcome: answer, end, begun } = begin(here);
    await begun;
    store.setFault({ kind: 'gone' });
    end(outcome);
    await expect(answer).rejects.toMatchObject({ name: 'StoreUnavailable' });
    store.setFault({ kind: 'none' });
  }
  let isChecked = false;
  store.setFault({ kind: 'fail' });
  const attempt = here.try(ANNA, async () => {
    isChecked = true;
    return true;
  });
  await expect(attempt).rejects.toMatchObject({ name: 'StoreUnavailable' });
  expect(isChecked).toBe(false);
});

test('a change that always meets those of other nodes is refused in the end', async () => {
  const { commit } = temp.store;
  const meeting = vi.spyOn(temp.store, 'commit').mockImplementation(async (_, writes) => {
    await commit.call(temp.store, [], writes);
    return false;
  });
  await expect(succeed(here)).rejects.toMatchObject({ status: 429, retryAfterS: 1 });
  expect(meeting.mock.calls.length).toBeGreaterThan(1);
});
