import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import type { AttemptCounts } from './attempt-count.ts';
import { CountsInMemory } from './counts-in-memory.ts';
import { CountsInStore } from './counts-in-store.ts';
import { LoginAttempts } from './login-attempts.ts';

let temp: TempStore<EmbeddedStore>;
beforeEach(async () => {
  temp = await tempStore(openIn);
});
afterEach(() => temp.destroy());

/** Which names meet in a slot is the same in every run. */
const random = { bytes: (count: number) => new Uint8Array(count).fill(7) };

const PLACES: [string, (clock: ManualClock) => AttemptCounts | Promise<AttemptCounts>][] = [
  ['in memory', () => new CountsInMemory()],
  ['in the store', (clock) => CountsInStore.open(temp.store, clock, random)],
];

describe.each(PLACES)('failed log-ins of a name, counted %s,', (_, open) => {
  let clock: ManualClock;
  let counts: AttemptCounts;
  let attempts: LoginAttempts;
  beforeEach(async () => {
    clock = new ManualClock(1_000_000);
    counts = await open(clock);
    attempts = new LoginAttempts({ failedLogins: 5, failedLoginWaitS: 60 }, clock, counts);
  });

  const fail = (username = 'anna', address = 'here') =>
    attempts.try({ username, address }, async () => false);
  const succeed = (username = 'anna', address = 'here') =>
    attempts.try({ username, address }, async () => true);

  test('[L13] cost ever longer waits after five, a minute at most', async () => {
    for (let i = 0; i < 4; i++) await fail();
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      await fail();
      const refusal = await fail().catch((error) => error);
      expect(refusal).toMatchObject({ status: 429 });
      waits.push(refusal.retryAfterS);
      clock.advance(refusal.retryAfterS * 1000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test('[L13] never lock a name: after the wait a log-in succeeds and resets the count', async () => {
    for (let i = 0; i < 5; i++) await fail();
    for (let i = 0; i < 100; i++) await expect(succeed()).rejects.toMatchObject({ status: 429 });
    clock.advance(1000);
    expect(await succeed()).toBe(true);
    for (let i = 0; i < 4; i++) expect(await fail()).toBe(false);
    expect(await succeed()).toBe(true);
  });

  test('are forgotten after a quarter of an hour', async () => {
    for (let i = 0; i < 4; i++) await fail();
    clock.advance(15 * 60_000 + 1);
    for (let i = 0; i < 5; i++) expect(await fail()).toBe(false);
    await expect(fail()).rejects.toMatchObject({ status: 429 });
  });

  test('count for that name only', async () => {
    for (let i = 0; i < 5; i++) await fail();
    expect(await succeed('erik')).toBe(true);
  });

  test('[L22] do not delay the name at another address', async () => {
    for (let i = 0; i < 50; i++) {
      const refusal = await fail('admin', 'hostile').catch((error) => error);
      if (refusal) clock.advance(refusal.retryAfterS * 1000);
    }
    await fail('admin', 'hostile').catch(() => {});
    await expect(succeed('admin', 'hostile')).rejects.toMatchObject({ status: 429 });
    expect(await succeed('admin', 'office')).toBe(true);
  });

  test('[L22] from many addresses make new ones wait a second, and not those that know the password', async () => {
    expect(await succeed('admin', 'office')).toBe(true);
    for (let i = 0; i < 100; i++) expect(await fail('admin', `bot ${i}`)).toBe(false);
    await expect(fail('admin', 'bot')).rejects.toMatchObject({ status: 429, retryAfterS: 1 });
    await expect(succeed('admin', 'hotel')).rejects.toMatchObject({ status: 429, retryAfterS: 1 });
    expect(await succeed('admin', 'office')).toBe(true);
    expect(await succeed('erik', 'bot')).toBe(true);
    clock.advance(1000);
    expect(await fail('admin', 'bot')).toBe(false);
    await expect(fail('admin', 'other bot')).rejects.toMatchObject({ retryAfterS: 1 });
    clock.advance(1000);
    expect(await succeed('admin', 'hotel')).toBe(true);
    await expect(fail('admin', 'bot 1')).resolves.toBe(false);
    expect(await succeed('admin', 'hotel')).toBe(true);
  });

  test('[L29] sixteen can be under way at the same time, and a further one is not called failed', async () => {
    const all = Promise.allSettled(Array.from({ length: 40 }, () => fail()));
    const atOnce = 'Too many log-ins of this name at the same time.';
    const refusal = { status: 429, detail: atOnce, retryAfterS: 1 };
    await expect(succeed()).rejects.toMatchObject(refusal);
    expect(await succeed('anna', 'there')).toBe(true);
    expect(await succeed('erik')).toBe(true);
    expect((await all).filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
    clock.advance(1000);
    const failed = { detail: 'Too many failed log-ins.', retryAfterS: 59 };
    await expect(fail()).rejects.toMatchObject(failed);
  });

  test('[L29] those that succeed at the same time make room for others', async () => {
    await Promise.all(Array.from({ length: 16 }, () => succeed()));
    expect(await succeed()).toBe(true);
  });

  test('an attempt that was not made counts neither as failed nor as under way', async () => {
    const caller = { username: 'anna', address: 'here' };
    const broken = () => attempts.try(caller, () => Promise.reject(new Error('no thread')));
    for (let i = 0; i < 40; i++) await expect(broken()).rejects.toThrow('no thread');
    expect(await succeed()).toBe(true);
  });

  test('[L7] cost no wait if limits are off', async () => {
    const free = new LoginAttempts('off', clock, counts);
    const caller = { username: 'anna', address: 'here' };
    for (let i = 0; i < 100; i++) expect(await free.try(caller, async () => false)).toBe(false);
  });
});
