import { expect, test, vi } from 'vitest';
import { loadCities } from '../load-cities.ts';
import { systemRandom } from '../random.ts';
import { contactWith } from '../testing/doubles/contacts.ts';
import { itemsOf } from '../testing/doubles/long-list.ts';
import { worldRecord } from '../testing/doubles/world-record.ts';
import { fleetOf } from '../twin/fleet.ts';
import { WorldHistory } from './world-history.ts';
import type { WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';

test('[I34] the lists of each object of a world have tags of their own', () => {
  let count = 0;
  const shared = {
    random: { bytes: (length: number) => new Uint8Array(length).fill(count++) },
    explanationBudget: () => undefined,
  };
  const parts = {
    world: { number: 7, id: 'w' },
    record: worldRecord(),
    journal: { seq: 3 },
    shared,
  };
  const tagOfNew = () => {
    const history = new WorldHistory(parts as unknown as WorldParts, {} as WorldLoader);
    return history.journal({}).tag;
  };
  expect(tagOfNew()).not.toBe(tagOfNew());
  count = 0;
  const first = tagOfNew();
  count = 0;
  expect(tagOfNew()).toBe(first);
});

test('[I33] what began before the start of a world is listed without a step of it', async () => {
  const world = { number: 7, id: 'w', fleet: fleetOf(7, 7) };
  const contacts = [300, 900, 1500].map((tick) => contactWith({ tick, chainTick: tick }));
  const records = {
    contacts: async (_: number, [tick, order = -1]: [number, number?]) =>
      contacts.filter((each) => each.tick > tick || (each.tick === tick && each.order > order)),
    explanations: async () => new Map(),
  };
  let steps = 0;
  const query = async () => ({ tick: 2000 + steps++ });
  const parts = {
    world,
    record: { ...worldRecord(), from: { tick: 1000, seq: 0, masks: [] } },
    reports: { stored: async () => {}, storedContacts: 3 },
    demand: { watcherCount: 0 },
    shared: {
      ...{ city: loadCities().cities[0], records, random: systemRandom },
      explanationBudget: () => undefined,
    },
  };
  const history = new WorldHistory(parts as unknown as WorldParts, { query } as never);
  const idsUpTo = async (untilTick: number) =>
    (await itemsOf(await history.incidents({ untilTick }))).map(({ id }) => id);
  expect(await idsUpTo(1000)).toEqual(['i300-0', 'i900-0']);
  expect(steps).toBe(0);
  expect(await idsUpTo(1001)).toEqual(['i300-0', 'i900-0']);
  expect(steps).toBe(1);
});

test('[P35] what is stored of an incident is told and replayed without a step of its world', async () => {
  const chain = [contactWith({ tick: 900 })];
  const replay = vi.fn(async () => ({ outcome: 'played', frames: new Uint8Array(3) }));
  const incident = vi.fn(async () => ({ chain, explanation: undefined }));
  const parts = {
    world: { number: 7, id: 'w', fleet: fleetOf(7, 7) },
    record: worldRecord(),
    reports: { stored: async () => {} },
    shared: {
      ...{ city: loadCities().cities[0], cityIndex: 0, shard: { replay }, records: { incident } },
      random: systemRandom,
      explanationBudget: () => undefined,
    },
  };
  // Whatever steps the world goes through its loader.
  const loader = { query: () => expect.unreachable(), hasStartedOver: true };
  const history = new WorldHistory(parts as unknown as WorldParts, loader as never);
  expect(await history.recordedIncident('i900-0')).toMatchObject({ tick: 900, explained: false });
  expect(await history.recordedIncident('nothing')).toBeUndefined();
  const order = { client: 'a', on: 0, encoding: 'json', spend: () => {} } as const;
  await history.replay('i900-0', { ...order, untilContact: true });
  expect(replay).toHaveBeenCalledWith(expect.objectContaining({ untilTick: 900 }));
  // Of a world that an earlier kernel has stepped, until it has started over.
  loader.hasStartedOver = false;
  await expect(history.replay('i900-0', { ...order, untilContact: true })).rejects.toMatchObject({
    code: 'unknown_incident',
  });
});
