import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemRandom } from '../random.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { Ownership } from './ownership.ts';
import { keys } from './records.ts';

let temp: TempStore<EmbeddedStore>;
/** Passes only while somebody sleeps. */
let nowMs: number;
const time = {
  now: () => nowMs,
  sleep: async (ms: number) => {
    nowMs += ms;
  },
};
beforeEach(async () => {
  temp = await tempStore(openIn);
  nowMs = 1000;
});
afterEach(() => temp.destroy());

function open() {
  const taken = vi.fn();
  return { taken, ownership: new Ownership(temp.store, systemRandom, time, taken) };
}

/** Takes the records over; how long that waited. */
async function take(ownership: Ownership): Promise<number> {
  const startMs = nowMs;
  await ownership.take();
  expect(await ownership.isOwn()).toBe(true);
  return nowMs - startMs;
}

/** It finds out that it has lost the records, after a change of this duration. */
async function lose(ownership: Ownership, tookMs: number): Promise<void> {
  await ownership.commitFailed(await ownership.take(), tookMs);
}

/** The time that the owner has asked for. */
const holdMs = async () => (await temp.store.get<{ holdMs: number }>(keys.owner))?.value.holdMs;

test('the last process that took the records over has them', async () => {
  const [a, b] = [open(), open()];
  await take(a.ownership);
  expect(await b.ownership.isOwn()).toBe(false);
  await take(b.ownership);
  expect(await a.ownership.isOwn()).toBe(false);
  expect([a.taken.mock.calls.length, b.taken.mock.calls.length]).toEqual([1, 1]);
});

test('an owner has time for a change from when another process sees that it is the owner', async () => {
  const [{ ownership: a }, { ownership: b }] = [open(), open()];
  await take(a);
  expect(await take(b)).toBe(10);
  await lose(a, 0);
  // It has seen the owner for a while.
  nowMs += 7;
  expect(await take(a)).toBe(3);
  await lose(b, 0);
  nowMs += 100;
  expect(await take(b)).toBe(0);
});

test('a change that took longer makes others wait longer the next time, up to four seconds', async () => {
  const [{ ownership: a }, { ownership: b }] = [open(), open()];
  await take(a);
  const held: (number | undefined)[] = [];
  for (const tookMs of [300, 0, 0, 10_000, 0]) {
    await take(b);
    await lose(a, tookMs);
    await take(a);
    await lose(b, 0);
    held.push(await holdMs());
  }
  expect(held).toEqual([600, 300, 150, 4000, 2000]);
  expect(await take(b)).toBe(2000);
});

test('a commit that failed for another reason loses nothing', async () => {
  const { ownership } = open();
  await take(ownership);
  const version = await ownership.take();
  await ownership.commitFailed(version, 1000);
  expect(await ownership.take()).toBe(version);
  expect(await holdMs()).toBe(10);
});

test('a late failure does not end what was taken over again', async () => {
  const [{ ownership: a }, { ownership: b }] = [open(), open()];
  await take(a);
  const first = await a.take();
  await take(b);
  await lose(a, 0);
  await take(a);
  const second = await a.take();
  expect(second).not.toBe(first);
  await a.commitFailed(first, 0);
  expect(a.take()).toBe(second);
});

test('an owner of an older release, which asks for no time, gets none', async () => {
  await temp.store.commit([], [{ key: keys.owner, value: 'somebody' }]);
  expect(await take(open().ownership)).toBe(0);
});

test('who is never first gives up', async () => {
  const { ownership } = open();
  const { commit } = temp.store;
  vi.spyOn(temp.store, 'commit').mockImplementation(async () => {
    const value = { name: 'somebody else', holdMs: 100 };
    await commit.call(temp.store, [], [{ key: keys.owner, value }]);
    return false;
  });
  await expect(ownership.take()).rejects.toMatchObject({ status: 503 });
});
