import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { unpackNumbered } from '../shard/protocol.ts';
import { contactWith } from '../testing/doubles/contacts.ts';
import { worldRecord } from '../testing/doubles/world-record.ts';
import { takenGrant } from '../testing/rigs/taken-grant.ts';
import { openIn, tempStore } from '../testing/rigs/temp-store.ts';
import { type CrashPulseFacts, INCIDENT_END_TICKS } from '../twin/contact-records.ts';
import { partitionOf } from '../twin/ids.ts';
import { listDue } from './due-entries.ts';
import { Records, storedLife } from './records.ts';

const WORLD = 77;

const temp = await tempStore(openIn);
let records: Records;
beforeAll(async () => {
  records = new Records(temp.store, await takenGrant(temp.store, partitionOf(WORLD)));
});
afterAll(() => temp.destroy());

const contact = (tick: number, order: number, chainTick: number, chainOrder: number) =>
  contactWith({ tick, order, chainTick, chainOrder });

test('a chain is all contacts that go back to its first, however many others lie between', async () => {
  const first = contact(1000, 1, 1000, 1);
  // One just in time after another, with a thousand and more of other chains in between.
  const links = [1099, 1198, 1297].map((tick) => contact(tick, 19, 1000, 1));
  const others = [1000, 1050, 1150, 1250].flatMap((tick) =>
    Array.from({ length: 300 }, (_, i) => contact(tick, i + 2, tick, i + 2)),
  );
  await records.saveIncidents(WORLD, [first, ...others, ...links]);
  expect(await records.incidentChain(WORLD, 1000, 1)).toEqual([first, ...links]);
  expect(await records.incidentChain(WORLD, 1050, 7)).toEqual([contact(1050, 7, 1050, 7)]);
  expect(await records.contacts(WORLD, [0], 10_000)).toHaveLength(1 + others.length + links.length);
});

test('a crash pulse that ends after the last contact counts in its chain', async () => {
  const first = contact(7000, 0, 7000, 0);
  const { car, ...party } = first.parties[0];
  const crashPulse = { car, sinceTick: 7099, deltaVMps: 12, impactX: 0, impactY: 1, energyJ: 40 };
  const pulse: CrashPulseFacts = {
    tick: 7108,
    order: 0,
    chainTick: 7000,
    chainOrder: 0,
    crashPulse,
  };
  await records.saveIncidents(WORLD, [first, pulse]);
  const [found, ...more] = (await records.incidentChain(WORLD, 7000, 0)) ?? [];
  expect(more).toEqual([]);
  expect(found?.energyJ).toBe(40);
  expect(found?.parties[0]).toEqual({ ...party, car, deltaVMps: 12, impactX: 0, impactY: 1 });
});

test('a contact later in its chain is none to ask for, nor one that never was', async () => {
  expect(await records.incidentChain(WORLD, 1099, 19)).toBeUndefined();
  expect(await records.incidentChain(WORLD, 999, 0)).toBeUndefined();
});

test('a chain ends where no contact can belong to it any more', async () => {
  const first = contact(5000, 0, 5000, 0);
  const late = contact(5000 + INCIDENT_END_TICKS, 0, 5000, 0);
  await records.saveIncidents(WORLD, [first, late]);
  expect(await records.incidentChain(WORLD, 5000, 0)).toEqual([first]);
});

test('a contact that was stored before there were chains is one of its own', async () => {
  const { chainTick: _, chainOrder: __, energyJ: ___, ...old } = contact(9000, 3, 9000, 3);
  await records.write([{ key: records.key(WORLD, 'incident', 9000, 3), value: old }]);
  // Two cars of 1,500 kg that close at 10 m/s.
  const energyJ = 0.5 * 750 * 100;
  expect(await records.incidentChain(WORLD, 9000, 3)).toEqual([
    { ...contact(9000, 3, 9000, 3), energyJ },
  ]);
});

test('a world falls due as it was made to until it is moved, and is gone with all that is filed', async () => {
  const world = 78;
  await records.create(world, worldRecord({ due: 5 }), new Int32Array(0));
  const fallen = async (before: number) =>
    (await listDue(temp.store, partitionOf(world), { before, limit: 10 })).map(
      (found) => found.world,
    );
  expect([await records.due(world), await fallen(5), await fallen(6)]).toEqual([5, [], [world]]);
  await records.moveDue(world, 5, 9);
  expect([await records.due(world), await fallen(9), await fallen(10)]).toEqual([9, [], [world]]);
  await records.remove(world);
  expect([await records.due(world), await fallen(10)]).toEqual([undefined, []]);
});

test('a world whose removal is interrupted is no world any more, and the next removal ends it', async () => {
  const world = 79;
  const slot = async () =>
    (await listDue(temp.store, partitionOf(world), { before: 6, limit: 10 })).map(
      (found) => found.world,
    );
  const change = { seq: 1, tick: 9, car: 3, touched: 1, values: 0 };
  await records.create(world, worldRecord({ due: 5 }), new Int32Array(0));
  await records.append(world, [change]);
  const { commit } = temp.store;
  const committed = vi.spyOn(temp.store, 'commit');
  committed.mockImplementationOnce(commit.bind(temp.store));
  committed.mockRejectedValueOnce(new Error('the store is gone'));
  await expect(records.remove(world)).rejects.toThrow();
  committed.mockRestore();
  expect(await records.record(world)).toBeUndefined();
  expect(await storedLife(temp.store, world)).toBeUndefined();
  expect([await records.due(world), await slot()]).toEqual([5, [world]]);
  await records.remove(world);
  expect(await records.laterChanges(world, 0)).toEqual([]);
  expect([await records.due(world), await slot()]).toEqual([undefined, []]);
});

test('[R29] an image of a world that has started over is followed by what came after its start', async () => {
  const start = { tick: 500, seq: 2, masks: [] };
  const record = worldRecord({ from: start });
  const change = { car: 1, touched: 1, values: 0 };
  const ticks = [10, 20, 600, 700];
  await records.append(
    WORLD,
    ticks.map((tick, i) => ({ seq: i + 1, tick, ...change })),
  );
  const bytes = new Uint8Array(8);
  for (const seq of [0, 2]) {
    const past = await records.pastFrom(WORLD, record, { tick: 550, seq, bytes });
    expect(past.image).toEqual({ tick: 550, seq: 2, bytes });
    expect(unpackNumbered(past.changes).map((each) => each.seq)).toEqual([3, 4]);
  }
  expect((await records.pastFrom(WORLD, record, { tick: 650, seq: 2, bytes })).image).toBe(
    undefined,
  );
});
