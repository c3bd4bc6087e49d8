import { expect, test } from 'vitest';
import { contactWith } from '../../testing/doubles/contacts.ts';
import { COMPARED_END_TICKS, type ContactRecord } from '../../twin/contact-records.ts';
import type { IncidentContacts } from '../../twin/incidents.ts';
import type { NumberedChange } from '../../twin/journal.ts';
import type { LoadedWorld } from '../loaded-world.ts';
import { packNumbered } from '../protocol.ts';
import { RewindCache } from './rewind-cache.ts';

const WORLD = 9;
const TICK = 1000;
const contact = contactWith({ tick: TICK });
const chain: IncidentContacts = [contact];
/** The latest tick of a re-run. */
const END = TICK + COMPARED_END_TICKS;
const image = new Uint8Array(8);
/** For a re-run as far as one goes, of a world that is not in memory. */
const WHOLE = { world: undefined, untilTick: Number.POSITIVE_INFINITY };

const changeAt = (tick: number): NumberedChange => ({
  ...{ seq: tick, tick, car: 0, touched: 1, values: 0 },
});
const ticksOf = (start: { changes: readonly NumberedChange[] } | undefined) =>
  start?.changes.map(({ tick }) => tick);

test('a rewind keeps the changes of a re-run up to its latest end', () => {
  const cache = new RewindCache();
  const journal = packNumbered([100, 200, 201, TICK, END, END + 1].map(changeAt));
  cache.add(WORLD, chain, { tick: 200, image, journal, completeTick: END });
  expect(ticksOf(cache.get(WORLD, chain, WHOLE))).toEqual([201, TICK, END]);
});

test('a rewind serves no re-run to a tick at which its journal may lack a change', () => {
  const cache = new RewindCache();
  const journal = packNumbered([100, 201, TICK].map(changeAt));
  cache.add(WORLD, chain, { tick: 200, image, journal, completeTick: TICK + 15 });
  const until = (untilTick: number) => cache.get(WORLD, chain, { world: undefined, untilTick });
  expect(ticksOf(until(TICK + 15))).toEqual([201, TICK]);
  expect([until(TICK + 16), until(Number.POSITIVE_INFINITY)]).toEqual([undefined, undefined]);
  cache.add(WORLD, chain, { tick: 200, image, journal, completeTick: END });
  expect(ticksOf(until(Number.POSITIVE_INFINITY))).toEqual([201, TICK]);
});

test('a rewind whose journal is as complete replaces one from a state that could not be trusted', () => {
  const cache = new RewindCache();
  const journal = packNumbered([changeAt(TICK)]);
  const other = new Uint8Array(9);
  cache.add(WORLD, chain, { tick: 200, image, journal, completeTick: Number.POSITIVE_INFINITY });
  cache.add(WORLD, chain, { tick: 200, image: other, journal, completeTick: END + 50 });
  expect(cache.get(WORLD, chain, WHOLE)?.image).toBe(other);
  cache.add(WORLD, chain, { tick: 200, image, journal, completeTick: TICK });
  expect(cache.get(WORLD, chain, WHOLE)?.image).toBe(other);
});

test('a watched world tells the changes until a re-run can meet no further one', () => {
  const cache = new RewindCache();
  const changes = [changeAt(TICK)];
  const world = {
    ...{ number: WORLD, residency: 3, tick: TICK, images: [{ tick: 0, seq: 0, bytes: image }] },
    changesAfter: (tick: number) => changes.filter((change) => change.tick > tick),
  };
  const get = (of?: object) =>
    ticksOf(cache.get(WORLD, chain, { ...WHOLE, world: of as LoadedWorld | undefined }));
  const keep = (record: ContactRecord) => cache.keep(world as unknown as LoadedWorld, record, TICK);
  keep(contact);
  expect(get(world)).toEqual([TICK]);
  world.tick = END - 1;
  changes.push(changeAt(END - 1));
  expect(get(world)).toEqual([TICK, END - 1]);
  world.tick = END;
  changes.push(changeAt(END), changeAt(END + 1));
  expect(get(world)).toEqual([TICK, END - 1, END]);
  // From now on it does not need the world, which may forget its changes.
  expect(get()).toEqual([TICK, END - 1, END]);
  keep(contact);
  world.tick = END - 1;
  expect(get(world)).toHaveLength(3);
  expect(get()).toBeUndefined();
});
