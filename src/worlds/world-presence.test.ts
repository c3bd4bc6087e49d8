import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TwinError } from '../errors.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { worldRecord } from '../testing/doubles/world-record.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { fleetOf } from '../twin/fleet.ts';
import { partitionOf, worldIdOf } from '../twin/ids.ts';
import type { PresentWorld } from '../twin-service.ts';
import { WorldPresence } from './world-presence.ts';

const WORLD = 123_456_789;
const SEED = 42;
const SLOT_MS = 60_000;
const DUE_SLOT = 30;
const END_MS = (DUE_SLOT + 1) * SLOT_MS;

let temp: TempStore<EmbeddedStore>;
let clock: ManualClock;
let presence: WorldPresence;
/** Whether this node serves the world, and what it has then. */
let isServed: boolean;
let atHand: PresentWorld | undefined;
let loaded: () => Promise<PresentWorld | undefined>;
beforeEach(async () => {
  temp = await tempStore(openIn);
  clock = new ManualClock(1000);
  [isServed, atHand, loaded] = [false, undefined, async () => undefined];
  presence = new WorldPresence({
    store: temp.store,
    clock,
    idle: { endOfSlotMs: (slot) => (slot + 1) * SLOT_MS },
    worlds: { serves: () => isServed, atHand: () => atHand, load: () => loaded() },
  });
});
afterEach(() => temp.destroy());

const keyOf = (kind: string) => ['p', partitionOf(WORLD), kind, WORLD];

async function write(...writes: Parameters<EmbeddedStore['commit']>[1]): Promise<void> {
  const { store } = temp;
  const grant = await store.claims.take(partitionOf(WORLD), 'free');
  if ('holder' in grant) throw new Error('the partition is held');
  await store.commit([], writes, grant);
}

const create = () =>
  write({ key: keyOf('world'), value: worldRecord({ seed: SEED, due: DUE_SLOT }) });
const touch = (due: number) => write({ key: keyOf('touched'), value: due });
const remove = () =>
  write({ key: keyOf('world'), remove: true }, { key: keyOf('touched'), remove: true });

const present = { id: worldIdOf(WORLD), fleet: fleetOf(SEED, WORLD) };
const find = async () => {
  const found = await presence.find(WORLD);
  return typeof found === 'string' ? found : { id: found.id, fleet: found.fleet };
};

test('a world of another node is found by its record, and remembered', async () => {
  await create();
  const get = vi.spyOn(temp.store, 'get');
  expect(presence.isKnown(WORLD)).toBe(false);
  expect(await find()).toEqual(present);
  expect(presence.isKnown(WORLD)).toBe(true);
  get.mockClear();
  expect(await find()).toEqual(present);
  expect(get).not.toHaveBeenCalled();
});

test('a world without a record is gone for good', async () => {
  expect(await find()).toBe('gone');
  const get = vi.spyOn(temp.store, 'get');
  expect(await find()).toBe('gone');
  expect(presence.isKnown(WORLD)).toBe(false);
  expect(get).not.toHaveBeenCalled();
});

test('a world whose slot is over lives for one more slot, unless its record is removed', async () => {
  await create();
  clock.advance(END_MS + SLOT_MS - 6000 - clock.now());
  expect(await find()).toEqual(present);
  await remove();
  expect(await find()).toEqual(present);
  clock.advance(5000);
  expect(presence.isKnown(WORLD)).toBe(false);
  expect(await find()).toBe('gone');
});

test('a world that is due for longer is absent, for five seconds', async () => {
  await create();
  clock.advance(END_MS + SLOT_MS - clock.now());
  expect(await find()).toBe('due');
  expect(presence.isKnown(WORLD)).toBe(false);
  await touch(DUE_SLOT + 30);
  clock.advance(4999);
  expect(await find()).toBe('due');
  clock.advance(1);
  expect(await find()).toEqual(present);
});

test('what is remembered of a living world ends with its slot, and after a minute', async () => {
  await create();
  expect(await find()).toEqual(present);
  await remove();
  clock.advance(SLOT_MS - 1);
  expect(presence.isKnown(WORLD)).toBe(true);
  clock.advance(1);
  expect(presence.isKnown(WORLD)).toBe(false);
  await create();
  clock.advance(END_MS - 1 - clock.now());
  expect(await find()).toEqual(present);
  clock.advance(1);
  expect(presence.isKnown(WORLD)).toBe(false);
});

test('a world of this node that cannot be shown lives all the same', async () => {
  await create();
  isServed = true;
  loaded = () => Promise.reject(new TwinError('world_unavailable'));
  expect(await find()).toEqual(present);
  loaded = () => Promise.reject(new TwinError('store_unavailable'));
  await expect(find()).rejects.toMatchObject({ code: 'store_unavailable' });
});

test('a world of this node is as the node has it, whatever was read before', async () => {
  await create();
  expect(await find()).toEqual(present);
  isServed = true;
  expect(presence.isKnown(WORLD)).toBe(false);
  loaded = async () => ({ id: 'w', fleet: [] });
  expect(await find()).toEqual({ id: 'w', fleet: [] });
  atHand = { id: 'at hand', fleet: [] };
  expect(presence.isKnown(WORLD)).toBe(true);
  expect(presence.find(WORLD)).toBe(atHand);
  atHand = undefined;
  loaded = async () => undefined;
  expect(await find()).toBe('gone');
  isServed = false;
  expect(await find()).toBe('gone');
});

test('a world that goes to another node while it is loaded is read from the store', async () => {
  await create();
  for (const outcome of [async () => undefined, () => Promise.reject(new Error('lost'))]) {
    isServed = true;
    loaded = () => {
      isServed = false;
      return outcome();
    };
    expect(await find()).toEqual(present);
  }
});

test('a failure is one of the store, or of the node that serves the world', async () => {
  isServed = true;
  loaded = () => Promise.reject(new TwinError('overloaded'));
  await expect(find()).rejects.toMatchObject({ code: 'overloaded' });
  isServed = false;
  await temp.store.close();
  await expect(find()).rejects.toMatchObject({ code: 'store_unavailable' });
});
